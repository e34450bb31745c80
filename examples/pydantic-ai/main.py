"""A model with the tools of a sandbox, by Pydantic AI and MCP."""

import asyncio
import os
import sys

from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

prompt = sys.argv[1] if len(sys.argv) > 1 else "Which Linux is this? Look into /etc/os-release."


async def main() -> None:
    sandbox = MCPToolset(os.environ["MCP_URL"], headers={"authorization": f"Bearer {os.environ['BERTH_KEY']}"})
    provider = OpenAIProvider(base_url=os.environ["MODEL_URL"], api_key=os.environ["MODEL_KEY"])
    model = OpenAIChatModel(os.environ.get("MODEL", "gpt"), provider=provider)
    print((await Agent(model, toolsets=[sandbox]).run(prompt)).output)


asyncio.run(main())
