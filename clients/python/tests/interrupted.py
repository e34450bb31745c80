"""What happens to commands when they are cancelled and when connections break. The end-to-end test names the part."""

import asyncio
import hashlib
import json
import os
import sys
import threading
from signal import SIGINT
from typing import Any

from berth_sdk import AsyncBerth, Berth

settings = json.loads(os.environ["STORY"])
place: Any = {
    "url": settings["url"],
    "key": settings["key"],
    "workspace": "main",
    "gateway_url": settings["gatewayUrl"],
    "max_tries": 20,
}
count = settings.get("count", 0)


async def cancel() -> dict[str, Any]:
    """Tasks are cancelled before their command has started, and while it runs."""
    async with AsyncBerth(**place) as berth:
        box = await berth.sandboxes.get(settings["name"])
        tasks = [asyncio.create_task(box.exec("exec sleep 1000.8")) for _ in range(count)]
        for at, task in enumerate(tasks):
            asyncio.get_running_loop().call_later(at % 20 * 0.02, task.cancel)
        ends = await asyncio.gather(*tasks, return_exceptions=True)
    return {"cancelled": sum(isinstance(end, asyncio.CancelledError) for end in ends)}


def press() -> dict[str, Any]:
    """Ctrl-C at different moments of a command, without asyncio."""
    interrupted = 0
    with Berth(**place) as berth:
        box = berth.sandboxes.get(settings["name"])
        for at in range(count):
            timer = threading.Timer(0.001 + at * 0.004, os.kill, [os.getpid(), SIGINT])
            try:
                timer.start()
                box.exec("exec sleep 1000.8")
            except KeyboardInterrupt:
                interrupted += 1
    return {"interrupted": interrupted}


async def output() -> dict[str, Any]:
    async with AsyncBerth(**place) as berth:
        box = await berth.sandboxes.get(settings["name"])
        said = False

        def tell(_: str) -> None:
            nonlocal said
            if not said:
                print("began", flush=True)
            said = True

        result = await box.exec(settings["command"], on_stdout=tell)
    hashes = [hashlib.sha256(text.encode()).hexdigest() for text in (result.stdout, result.stderr)]
    return {"exitCode": result.exit_code, "isComplete": result.is_complete, "hashes": hashes}


async def follow() -> dict[str, Any]:
    async with AsyncBerth(**place) as berth:
        box = await berth.sandboxes.get(settings["name"])
        codes = [(await box.exec("true")).exit_code for _ in range(count)]
    return {"done": codes.count(0)}


async def retries() -> dict[str, Any]:
    """Each call is made once, whatever the proxies cut."""
    async with AsyncBerth(**place) as berth:
        box = await berth.sandboxes.get(settings["name"])
        turns = asyncio.Semaphore(10)

        async def both(number: int) -> bool:
            async with turns:
                spec: Any = {"type": "maxToken", "maxTokens": {"granularity": "day", "total": 1}}
                name = f"from-python-{number}"
                made = await berth.create_policy(body={"metadata": {"name": name}, "spec": spec})
                ran = await box.exec(f"echo {number} >> /tmp/runs")
                return made["metadata"]["name"] == name and ran.exit_code == 0

        done = await asyncio.gather(*(both(number) for number in range(count)))
    return {"done": sum(done)}


parts = {"cancel": cancel, "output": output, "follow": follow, "retries": retries}
part = sys.argv[1]
print(json.dumps(press() if part == "press" else asyncio.run(parts[part]())))
