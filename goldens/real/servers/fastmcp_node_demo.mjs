// A small server on the npm package fastmcp: two tools and a resource; no network, no state.
import { FastMCP } from "fastmcp";
import { z } from "zod";

const server = new FastMCP({ name: "fastmcp-node-demo", version: "1.0.0" });
server.addTool({
  name: "add",
  description: "Adds two numbers.",
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: async ({ a, b }) => String(a + b),
});
server.addResource({ uri: "demo://motto", name: "motto", mimeType: "text/plain", load: async () => ({ text: "proof early" }) });
const port = Number(process.argv[2] ?? 0);
await server.start(port ? { transportType: "httpStream", httpStream: { port, host: "127.0.0.1" } } : { transportType: "stdio" });
