"""The client of one deployment."""

from __future__ import annotations

from types import TracebackType

from .operations import AsyncOperations
from .sandbox import AsyncSandboxes
from .workloads import AsyncAgents, AsyncJobs, AsyncLogs


class AsyncBerth(AsyncOperations):
    @property
    def sandboxes(self) -> AsyncSandboxes:
        return AsyncSandboxes(self)

    @property
    def agents(self) -> AsyncAgents:
        return AsyncAgents(self)

    @property
    def jobs(self) -> AsyncJobs:
        return AsyncJobs(self)

    @property
    def logs(self) -> AsyncLogs:
        return AsyncLogs(self)

    async def __aenter__(self) -> AsyncBerth:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
