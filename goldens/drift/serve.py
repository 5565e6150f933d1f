#!/usr/bin/env python3
"""Serves the surface of a JSON file over stdio, as it stands there, until its input ends.

usage: serve.py FILE
The `initialize` of the file is answered whatever version is asked for: a server that speaks one revision.
`_serve.pageSize` of the file pages every list; a list whose capability is not declared is an unknown method.
"""
import json, sys

LISTS = {
    "tools/list": ("tools", "tools"),
    "prompts/list": ("prompts", "prompts"),
    "resources/list": ("resources", "resources"),
    "resources/templates/list": ("resources", "resourceTemplates"),
}


class Refused(Exception):
    pass


def page(surface, key, cursor):
    items = surface.get(key, [])
    size = surface.get("_serve", {}).get("pageSize") or len(items) or 1
    starts = [str(start) for start in range(size, len(items), size)]
    if cursor is not None and cursor not in starts:
        raise Refused(-32602, "unknown cursor")
    start = int(cursor or 0)
    result = {key: items[start : start + size]}
    if start + size < len(items):
        result["nextCursor"] = str(start + size)
    return result


def answer(surface, method, params):
    if method == "initialize":
        return surface["initialize"]
    if method == "ping":
        return {}
    capability, key = LISTS.get(method, (None, None))
    if capability not in surface["initialize"].get("capabilities", {}):
        raise Refused(-32601, "method not found")
    return page(surface, key, params.get("cursor"))


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        surface = json.load(file)
    for line in sys.stdin:
        if not line.strip():
            continue
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            continue
        reply = {"jsonrpc": "2.0", "id": message["id"]}
        try:
            reply["result"] = answer(surface, message["method"], message.get("params") or {})
        except Refused as why:
            reply["error"] = {"code": why.args[0], "message": why.args[1]}
        # Escapes keep hidden characters whole, whatever encoding the pipe has.
        print(json.dumps(reply), flush=True)


main()
