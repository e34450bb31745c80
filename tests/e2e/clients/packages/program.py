"""Uses everything that the client exports. Its types are checked against the installed package; then it runs without a deployment,
so that only the first request is made."""

import json
from typing import assert_type

from berth_sdk import (
    AccessError,
    Agents,
    AsyncAgents,
    AsyncBerth,
    AsyncFiles,
    AsyncJobs,
    AsyncLogs,
    AsyncProcess,
    AsyncSandbox,
    AsyncSandboxes,
    AsyncTerminal,
    Berth,
    BerthError,
    ConflictError,
    ConnectionFailedError,
    End,
    Event,
    ExecResult,
    ExitError,
    Files,
    InvalidRequestError,
    Jobs,
    Logs,
    NotFoundError,
    Notice,
    Output,
    PortUnreachableError,
    Process,
    QuotaError,
    RateLimitedError,
    Sandbox,
    Sandboxes,
    Terminal,
    TimedOutError,
    UnavailableError,
    guest,
    management,
)

families: list[type[BerthError]] = [
    AccessError,
    ConflictError,
    ConnectionFailedError,
    ExitError,
    InvalidRequestError,
    NotFoundError,
    PortUnreachableError,
    QuotaError,
    RateLimitedError,
    TimedOutError,
    UnavailableError,
]


def use_parts(berth: Berth, box: Sandbox) -> int:
    assert_type(berth.sandboxes, Sandboxes)
    assert_type(berth.agents, Agents)
    assert_type(berth.jobs, Jobs)
    assert_type(berth.logs, Logs)
    assert_type(box.files, Files)
    assert_type(box.terminal(cols=80, rows=24), Terminal)
    events: list[Event] = list(box.process("web").events())
    return len(events)


async def use_parts_with_asyncio(berth: AsyncBerth, box: AsyncSandbox) -> None:
    assert_type(berth.sandboxes, AsyncSandboxes)
    assert_type(berth.agents, AsyncAgents)
    assert_type(berth.jobs, AsyncJobs)
    assert_type(berth.logs, AsyncLogs)
    assert_type(box.files, AsyncFiles)
    assert_type(await box.terminal(cols=80, rows=24), AsyncTerminal)


def use_commands(box: Sandbox) -> int:
    result = box.exec("npm test", cwd="/app", env={"STAGE": "test"}, input="text", check=True, on_stdout=print)
    assert_type(result, ExecResult)
    process: Process = box.spawn("npm start", name="web", keep_alive=True)
    seen = 0
    for event in process.events():
        if isinstance(event, Output):
            seen += len(event.bytes)
        elif isinstance(event, Notice):
            seen += len(event.text)
        else:
            assert_type(event, End)
    process.write("line\n")
    process.end_input()
    process.signal("SIGHUP")
    state: guest.Process = process.info()
    return result.exit_code + seen + process.stop(5) + process.kill() + box.process(state["name"]).wait().exit_code


def use_sandboxes(berth: Berth) -> str:
    with berth.sandboxes.create("demo", memory=512, ports=[3000], or_existing=True) as box:
        box.files.write("/work/a", b"bytes")
        box.files.make_folder("/work/b")
        found = box.files.find("/work", ["*.py"])["total"] + box.files.search("/work", "text")["total"]
        names = [file["name"] for file in box.files.list("/work")["files"]]
        changes = [change["path"] for change in box.files.watch("/work", recursive=True)]
        box.files.remove("/work", recursive=True)
        terminal = box.terminal(cols=80, rows=24)
        terminal.write("exit\n")
        shown = "".join(terminal.output())
        terminal.resize(100, 30)
        terminal.close()
        preview: management.Preview = box.preview("site", 3000, public=True)
        text = box.files.read_text("/work/a") + box.files.read("/work/a").decode()
        return f"{found} {names} {changes} {shown} {preview['metadata']['name']} {text} {box.port(3000)}"


def use_workloads(berth: Berth) -> str:
    agent = berth.agents.deploy("helper", "agent/helper:1", public=False, on_event=print)
    answer = berth.agents.call("helper", "/ask", method="POST")
    execution = berth.jobs.run("report", [{"city": "Oslo"}])
    names = [policy["metadata"]["name"] for policy in berth.list_policies()["data"]]
    return f"{agent.get('status')} {answer.text} {execution.get('status')} {names}"


async def use_without_blocking() -> int:
    async with AsyncBerth() as berth, await berth.sandboxes.create() as box:
        assert_type(box, AsyncSandbox)
        process: AsyncProcess = await box.spawn("npm start")
        box.exec("npm test")  # pyright: ignore[reportUnusedCoroutine]
        return (await process.wait()).exit_code + (await box.exec("uname -a")).exit_code


# The environment names the deployment.
with Berth(key="key", workspace="main", max_tries=1, request_timeout=30) as berth:
    try:
        berth.list_agents()
        reason = "none"
    except ConnectionFailedError as error:
        reason = type(error).__name__
print(json.dumps({"reason": reason, "families": len(families)}))
