"""A small server on the fastmcp package (both majors): two tools, a resource, a prompt; no network, no state."""
import sys

from fastmcp import FastMCP

server = FastMCP("fastmcp-demo")


@server.tool
def add(a: int, b: int) -> int:
    """Adds two integers."""
    return a + b


@server.tool
def greet(name: str) -> str:
    """Greets by name."""
    return f"Hello, {name}!"


@server.resource("demo://motto")
def motto() -> str:
    """Returns the motto."""
    return "proof early"


@server.prompt
def review(text: str) -> str:
    """Asks for a review of a text."""
    return f"Review this text: {text}"


if len(sys.argv) > 1:
    server.run(transport="http", host="127.0.0.1", port=int(sys.argv[1]), show_banner=False)
else:
    server.run(show_banner=False)
