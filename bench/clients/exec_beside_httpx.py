"""Runs `true` in a sandbox by the client and by bare httpx, by turns, and prints the milliseconds of each command."""

import asyncio
import json
import os
from time import perf_counter

import httpx

from berth_sdk import AsyncBerth

settings = json.loads(os.environ["BENCH"])
times: dict[str, list[float]] = {"ours": [], "bare": []}


async def main() -> None:
    address = f"{settings['gatewayUrl']}/main/sandboxes/{settings['sandbox']}"
    headers = {"authorization": f"Bearer {settings['key']}"}
    async with (
        AsyncBerth(settings["url"], settings["key"], "main", gateway_url=settings["gatewayUrl"]) as berth,
        httpx.AsyncClient(headers=headers, timeout=60) as kept,
    ):
        box = await berth.sandboxes.get(settings["sandbox"])

        async def ours(_: int) -> None:
            assert (await box.exec("true")).exit_code == 0

        async def bare(at: int) -> None:
            body = {"command": "true", "name": f"httpx-{at}"}
            answer = await kept.post(f"{address}/process?format=events&once=true", json=body)
            assert '"type":"end"' in answer.text

        kinds = {"ours": ours, "bare": bare}
        for at in range(settings["warmUp"] + settings["count"]):
            # Each is first in every second turn.
            for kind in ("ours", "bare") if at % 2 == 0 else ("bare", "ours"):
                started = perf_counter()
                await kinds[kind](at)
                if at >= settings["warmUp"]:
                    times[kind].append((perf_counter() - started) * 1000)
    print(json.dumps(times))


asyncio.run(main())
