"""The client of one deployment."""

from __future__ import annotations

from types import TracebackType

from .operations import AsyncOperations
from .sandbox import AsyncSandboxes
from .workloads import AsyncAgents, AsyncJobs, AsyncLogs


class AsyncBerth(AsyncOperations):
    """The client of one deployment. At the end of `with` it closes its connections."""

    @property
    def sandboxes(self) -> AsyncSandboxes:
        """Machines for programs, with files, ports and a terminal."""
        return AsyncSandboxes(self)

    @property
    def agents(self) -> AsyncAgents:
        """Servers from an image, which run while there are requests for them."""
        return AsyncAgents(self)

    @property
    def jobs(self) -> AsyncJobs:
        """Images that do one piece of work and end."""
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
