"""A small server on the low-level Server of the mcp package, major 1: one tool with an output schema."""
import anyio
import mcp.types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

server = Server("lowlevel-demo")
NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@server.list_tools()
async def list_tools() -> list[types.Tool]:
    return [types.Tool(name="double", description="Doubles n.", inputSchema=NUMBER, outputSchema=NUMBER)]


@server.call_tool()
async def call_tool(name: str, arguments: dict) -> dict:
    if name != "double":
        raise ValueError(f"Unknown tool: {name}")
    return {"n": 2 * arguments["n"]}


async def main() -> None:
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


anyio.run(main)
