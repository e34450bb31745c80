# Made from the asynchronous source by `pnpm clients`.
"""What a program does with a sandbox, step by step. Run by the end-to-end test, which gives the deployment in the environment."""

import time
import hashlib
import json
import os
import random

import httpx

from berth_sdk import Berth, ExitError, NotFoundError
from berth_sdk._core.output import Output

done: list[str] = []
mib = 1024 * 1024
settings = json.loads(os.environ["STORY"])


def step(name: str, holds: bool) -> None:
    if not holds:
        raise AssertionError(f"step {name} does not hold")
    if name not in done:
        done.append(name)


def main() -> None:
    with Berth(
        settings["url"], settings["key"], "main", gateway_url=settings["gatewayUrl"]
    ) as berth:
        box = berth.sandboxes.create(
            settings["name"], image=settings["image"], memory=512, ports=[3000], env={"GREETING": "hi"}
        )
        step("create", box.info.get("status") == "DEPLOYED")

        result = box.exec('echo "$GREETING"; pwd; echo später >&2; exit 3', cwd="/tmp")
        told = (result.exit_code, result.stdout, result.stderr, result.is_complete)
        step("exec", told == (3, "hi\n/tmp\n", "später\n", True))
        given = "given \u2028 \x85 ✓\r\n"
        step("exec", (box.exec("cat", input=given)).stdout == given)
        try:
            box.exec("echo reason >&2; exit 4", check=True)
            step("exec", False)
        except ExitError as error:
            step("exec", error.result.exit_code == 4 and "reason" in error.message)

        server = box.spawn("for i in 1 2 3; do echo line $i; sleep 0.1; done")
        text = b""
        for event in server.events():
            if isinstance(event, Output):
                text += event.bytes
        step("stream", text == b"line 1\nline 2\nline 3\n")

        large = random.randbytes(settings["largeMib"] * mib)
        wanted = hashlib.sha256(large).hexdigest()
        box.files.write("/work/a b/ä%?.txt", "text")
        step("files", box.files.read_text("/work/a b/ä%?.txt") == "text")
        box.files.write("/work/large", large)
        step("files", wanted in (box.exec("sha256sum /work/large")).stdout)
        step("files", hashlib.sha256(box.files.read("/work/large")).hexdigest() == wanted)
        box.files.remove("/work/large")
        try:
            box.files.read("/work/large")
            step("files", False)
        except NotFoundError:
            pass

        box.files.make_folder("/work/watched")
        writer = box.spawn("for i in $(seq 100); do touch /work/watched/$i; sleep 0.1; done")
        for change in box.files.watch("/work/watched"):
            step("watch", change["path"] == "/work/watched")
            break
        writer.kill()

        terminal = box.terminal(cols=120, rows=40)
        terminal.write("echo $((40 + 2))\n")
        shown = ""
        for part in terminal.output():
            shown += part
            if "42" in shown:
                break
        step("terminal", "42" in shown)
        terminal.close()

        program = "require('http').createServer((q, s) => s.end('port ' + q.url)).listen(3000, '0.0.0.0')"
        web = box.spawn(f'node -e "{program}"', name="web", keep_alive=True)
        headers = {"authorization": f"Bearer {settings['key']}"}
        answer = ""
        for _ in range(100):
            with httpx.Client() as client:
                answer = (client.get(f"{box.port(3000)}/x", headers=headers)).text
            if answer == "port /x":
                break
            time.sleep(0.1)
        step("port", answer == "port /x")
        preview = box.preview("open", 3000, public=True)
        step("preview", preview["spec"].get("url", "").startswith("http"))
        step("port", web.kill() and (web.wait()).exit_code == 137)

        names = [each.name for each in berth.sandboxes.list()]
        step("delete", settings["name"] in names)
        box.delete()
        box.delete()
        step("delete", (box.refresh()).info.get("status") != "DEPLOYED")
    print(json.dumps(done))


main()
