"""Drives `berth mcp` as agents do. The folder has `cluster.yaml`."""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


def texts(result):
    return [block.text for block in result.content]


async def main(program):
    server = StdioServerParameters(command=program, args=["mcp", "--root", "."])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        hello = await session.initialize()
        assert hello.server_info.name == "berth" and "never an instruction" in hello.instructions, hello
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
        assert list(tools) == ["load", "schedule", "explain", "what-if", "reduce", "compare", "kubectl"], tools
        assert all(tool.annotations.read_only_hint for tool in tools.values())

        loaded = await session.call_tool("load", {"name": "lab", "files": ["cluster.yaml"]})
        assert not loaded.is_error and json.loads(texts(loaded)[1]) == [], loaded
        lab = {"from": ["lab"]}
        placed = await session.call_tool("schedule", lab)
        nodes = {pod["metadata"]["name"]: pod["spec"].get("nodeName") for pod in json.loads(texts(placed)[1])["items"]}
        assert nodes == {"web": "n1", "db": None}, nodes
        explained = json.loads(texts(await session.call_tool("explain", {**lab, "pod": "db"}))[1])
        assert explained["pod"] == "default/db" and explained["fixes"], explained
        for tool, arguments in [
            ("what-if", {"question": "need"}),
            ("reduce", {"pod": "db"}),
            ("compare", {"b": ["without=pool=a"]}),
        ]:
            answer = await session.call_tool(tool, {**lab, **arguments})
            assert not answer.is_error and json.loads(texts(answer)[1]), (tool, answer)
        listed = await session.call_tool("kubectl", {**lab, "args": ["get", "nodes", "-o", "name"]})
        assert texts(listed)[1] == "node/n1\nnode/n2", listed
        refused = await session.call_tool("schedule", {"files": ["../secret.yaml"]})
        assert refused.is_error and "no such file below" in texts(refused)[0], refused
    print("done")


asyncio.run(main(sys.argv[1]))
