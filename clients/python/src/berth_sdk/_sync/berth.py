# Made from the asynchronous source by `pnpm clients`.
"""The client of one deployment."""

from __future__ import annotations

from types import TracebackType

from .operations import Operations
from .sandbox import Sandboxes
from .workloads import Agents, Jobs, Logs


class Berth(Operations):
    """The client of one deployment. At the end of `with` it closes its connections."""

    @property
    def sandboxes(self) -> Sandboxes:
        """Machines for programs, with files, ports and a terminal."""
        return Sandboxes(self)

    @property
    def agents(self) -> Agents:
        """Servers from an image, which run while there are requests for them."""
        return Agents(self)

    @property
    def jobs(self) -> Jobs:
        """Images that do one piece of work and end."""
        return Jobs(self)

    @property
    def logs(self) -> Logs:
        return Logs(self)

    def __enter__(self) -> Berth:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
