"""What a program does with a sandbox, step by step. Run by the end-to-end test, which gives the deployment in the environment."""

import asyncio
import hashlib
import json
import os
import random

import httpx

from berth_sdk import AsyncBerth, ExitError, NotFoundError
from berth_sdk._core.output import Output

done: list[str] = []
mib = 1024 * 1024
settings = json.loads(os.environ["STORY"])


def step(name: str, holds: bool) -> None:
    if not holds:
        raise AssertionError(f"step {name} does not hold")
    if name not in done:
        done.append(name)


async def main() -> None:
    async with AsyncBerth(
        settings["url"], settings["key"], "main", gateway_url=settings["gatewayUrl"]
    ) as berth:
        box = await berth.sandboxes.create(
            settings["name"], image=settings["image"], memory=512, ports=[3000], env={"GREETING": "hi"}
        )
        step("create", box.info.get("status") == "DEPLOYED")

        result = await box.exec('echo "$GREETING"; pwd; echo später >&2; exit 3', cwd="/tmp")
        told = (result.exit_code, result.stdout, result.stderr, result.is_complete)
        step("exec", told == (3, "hi\n/tmp\n", "später\n", True))
        given = "given \u2028 \x85 ✓\r\n"
        step("exec", (await box.exec("cat", input=given)).stdout == given)
        try:
            await box.exec("echo reason >&2; exit 4", check=True)
            step("exec", False)
        except ExitError as error:
            step("exec", error.result.exit_code == 4 and "reason" in error.message)

        server = await box.spawn("for i in 1 2 3; do echo line $i; sleep 0.1; done")
        text = b""
        async for event in server.events():
            if isinstance(event, Output):
                text += event.bytes
        step("stream", text == b"line 1\nline 2\nline 3\n")

        large = random.randbytes(settings["largeMib"] * mib)
        wanted = hashlib.sha256(large).hexdigest()
        await box.files.write("/work/a b/ä%?.txt", "text")
        step("files", await box.files.read_text("/work/a b/ä%?.txt") == "text")
        await box.files.write("/work/large", large)
        step("files", wanted in (await box.exec("sha256sum /work/large")).stdout)
        step("files", hashlib.sha256(await box.files.read("/work/large")).hexdigest() == wanted)
        await box.files.remove("/work/large")
        try:
            await box.files.read("/work/large")
            step("files", False)
        except NotFoundError:
            pass

        await box.files.make_folder("/work/watched")
        writer = await box.spawn("for i in $(seq 100); do touch /work/watched/$i; sleep 0.1; done")
        async for change in box.files.watch("/work/watched"):
            step("watch", change["path"] == "/work/watched")
            break
        await writer.kill()

        terminal = await box.terminal(cols=120, rows=40)
        await terminal.write("echo $((40 + 2))\n")
        shown = ""
        async for part in terminal.output():
            shown += part
            if "42" in shown:
                break
        step("terminal", "42" in shown)
        await terminal.aclose()

        program = "require('http').createServer((q, s) => s.end('port ' + q.url)).listen(3000, '0.0.0.0')"
        web = await box.spawn(f'node -e "{program}"', name="web", keep_alive=True)
        headers = {"authorization": f"Bearer {settings['key']}"}
        answer = ""
        for _ in range(100):
            async with httpx.AsyncClient() as client:
                answer = (await client.get(f"{await box.port(3000)}/x", headers=headers)).text
            if answer == "port /x":
                break
            await asyncio.sleep(0.1)
        step("port", answer == "port /x")
        preview = await box.preview("open", 3000, public=True)
        step("preview", preview["spec"].get("url", "").startswith("http"))
        step("port", await web.kill() and (await web.wait()).exit_code == 137)

        names = [each.name async for each in berth.sandboxes.list()]
        step("delete", settings["name"] in names)
        await box.delete()
        await box.delete()
        step("delete", (await box.refresh()).info.get("status") != "DEPLOYED")
    print(json.dumps(done))


asyncio.run(main())
