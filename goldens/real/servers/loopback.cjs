// Preloaded with `node --require`: a server that names no host listens on 127.0.0.1 instead of on every interface.
const net = require("node:net");

const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (port, ...rest) {
  // A port read from the environment is a string of digits.
  const unnamed = /^\d+$/.test(String(port)) && typeof rest[0] !== "string";
  return unnamed ? listen.call(this, Number(port), "127.0.0.1", ...rest) : listen.call(this, port, ...rest);
};
