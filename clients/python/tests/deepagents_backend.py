"""Both backends for deepagents on one sandbox. Prints which of them did every step."""

import asyncio
import json
import os

from deepagents.backends.protocol import ExecuteResponse, FileDownloadResponse, FileUploadResponse

from berth_sdk import AsyncBerth, Berth
from berth_sdk.deepagents import AsyncSandboxBackend, SandboxBackend

settings = json.loads(os.environ["BACKEND"])
connection = {"url": settings["url"], "key": settings["key"], "workspace": "main", "gateway_url": settings["gatewayUrl"]}

ran = ExecuteResponse("out\nerr\n", 3)
command = "echo out; sleep 0.2; echo err >&2; exit 3"
data = bytes(range(256))
kept = [FileUploadResponse("/tmp/backend/a"), FileUploadResponse("../b", "invalid_path")]
read = [FileDownloadResponse("/tmp/backend/a", data), FileDownloadResponse("/tmp/none", error="file_not_found")]


def check(name: str, found: object, wanted: object) -> None:
    if found != wanted:
        raise AssertionError(f"{name}: {found} is not {wanted}")


def sync() -> None:
    with Berth(**connection) as berth:
        backend = SandboxBackend(berth.sandboxes.get(settings["name"]))
        check("id", backend.id, settings["name"])
        check("execute", backend.execute(command), ran)
        check("timeout", backend.execute("echo begun; exec sleep 1000.6", timeout=2), ExecuteResponse("begun\n", 124))
        check("ended", backend.execute("grep -lzx 1000[.]6 /proc/[0-9]*/cmdline 2>/dev/null").output, "")
        check("upload", backend.upload_files([("/tmp/backend/a", data), ("../b", b"")]), kept)
        check("download", backend.download_files(["/tmp/backend/a", "/tmp/none"]), read)
        check("in a thread", asyncio.run(backend.aexecute(command)), ran)


async def asynchronous() -> None:
    async with AsyncBerth(**connection) as berth:
        backend = AsyncSandboxBackend(await berth.sandboxes.get(settings["name"]))
        check("id", backend.id, settings["name"])
        check("execute", await backend.aexecute(command), ran)
        late = await backend.aexecute("echo begun; exec sleep 1000.6", timeout=2)
        check("timeout", late, ExecuteResponse("begun\n", 124))
        check("ended", (await backend.aexecute("grep -lzx 1000[.]6 /proc/[0-9]*/cmdline 2>/dev/null")).output, "")
        check("upload", await backend.aupload_files([("/tmp/backend/a", data), ("../b", b"")]), kept)
        check("download", await backend.adownload_files(["/tmp/backend/a", "/tmp/none"]), read)


sync()
asyncio.run(asynchronous())
print("sync async")
