"""A model with the tools of a sandbox, by LangChain and MCP."""

import asyncio
import os
import sys

from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_openai import ChatOpenAI

prompt = sys.argv[1] if len(sys.argv) > 1 else "Which Linux is this? Look into /etc/os-release."


async def main() -> None:
    sandbox = MultiServerMCPClient(
        {
            "sandbox": {
                "transport": "streamable_http",
                "url": os.environ["MCP_URL"],
                "headers": {"authorization": f"Bearer {os.environ['BERTH_KEY']}"},
            }
        }
    )
    model = ChatOpenAI(
        model=os.environ.get("MODEL", "gpt"), base_url=os.environ["MODEL_URL"], api_key=os.environ["MODEL_KEY"]
    )
    agent = create_agent(model, await sandbox.get_tools())
    answer = await agent.ainvoke({"messages": [("user", prompt)]})
    print(answer["messages"][-1].text)


asyncio.run(main())
