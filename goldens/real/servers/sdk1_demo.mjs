// A small server on McpServer of @modelcontextprotocol/sdk, major 1: a tool with an output schema, a resource, a prompt.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const server = new McpServer({ name: "sdk1-demo", version: "1.0.0" });
const input = { a: z.number(), b: z.number() };
server.registerTool("add", { description: "Adds two numbers.", inputSchema: input, outputSchema: { sum: z.number() } }, async ({ a, b }) => ({
  content: [{ type: "text", text: JSON.stringify({ sum: a + b }) }],
  structuredContent: { sum: a + b },
}));
server.registerResource("motto", "demo://motto", { description: "The motto." }, async (uri) => ({
  contents: [{ uri: uri.href, text: "proof early" }],
}));
server.registerPrompt("review", { argsSchema: { text: z.string() } }, ({ text }) => ({
  messages: [{ role: "user", content: { type: "text", text: `Review this text: ${text}` } }],
}));
await server.connect(new StdioServerTransport());
