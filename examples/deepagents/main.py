"""An agent of deepagents whose files and commands are in a sandbox."""

import os
import sys

from berth_sdk import Berth
from berth_sdk.deepagents import SandboxBackend
from deepagents import create_deep_agent
from langchain_openai import ChatOpenAI

prompt = sys.argv[1] if len(sys.argv) > 1 else "Which Linux is this? Look into /etc/os-release."

model = ChatOpenAI(
    model=os.environ.get("MODEL", "gpt"), base_url=os.environ["MODEL_URL"], api_key=os.environ["MODEL_KEY"]
)
with Berth(gateway_url=os.environ.get("GATEWAY_URL")) as berth:
    box = berth.sandboxes.get(os.environ["SANDBOX"])
    agent = create_deep_agent(model, backend=SandboxBackend(box))
    answer = agent.invoke({"messages": [("user", prompt)]})
    print(answer["messages"][-1].text)
