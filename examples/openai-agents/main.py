"""A model with the tools of a sandbox, by the OpenAI Agents SDK and MCP."""

import asyncio
import os
import sys

from agents import Agent, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
from agents.mcp import MCPServerStreamableHttp
from openai import AsyncOpenAI

prompt = sys.argv[1] if len(sys.argv) > 1 else "Which Linux is this? Look into /etc/os-release."
# Commands may take longer than the five seconds that the client waits by default.
tool_seconds = 600


async def main() -> None:
    # Traces would go to OpenAI, whose key is not here.
    set_tracing_disabled(True)
    client = AsyncOpenAI(base_url=os.environ["MODEL_URL"], api_key=os.environ["MODEL_KEY"])
    model = OpenAIChatCompletionsModel(model=os.environ.get("MODEL", "gpt"), openai_client=client)
    headers = {"authorization": f"Bearer {os.environ['BERTH_KEY']}"}
    async with MCPServerStreamableHttp(
        {"url": os.environ["MCP_URL"], "headers": headers, "timeout": tool_seconds},
        client_session_timeout_seconds=tool_seconds,
    ) as sandbox:
        agent = Agent(name="worker", model=model, mcp_servers=[sandbox])
        print((await Runner.run(agent, prompt)).final_output)


asyncio.run(main())
