"""Client of Berth: sandboxes, agents and jobs on your own machines."""

from ._async.berth import AsyncBerth
from ._async.files import AsyncFiles
from ._async.process import AsyncProcess
from ._async.sandbox import AsyncSandbox, AsyncSandboxes
from ._async.terminal import AsyncTerminal
from ._async.workloads import AsyncAgents, AsyncJobs, AsyncLogs
from ._core.errors import (
    AccessError,
    BerthError,
    ConflictError,
    ConnectionFailedError,
    InvalidRequestError,
    NotFoundError,
    PortUnreachableError,
    QuotaError,
    RateLimitedError,
    TimedOutError,
    UnavailableError,
)
from ._core.output import End, Event, ExecResult, ExitError, Notice, Output
from ._generated import guest, management
from ._sync.berth import Berth
from ._sync.files import Files
from ._sync.process import Process
from ._sync.sandbox import Sandbox, Sandboxes
from ._sync.terminal import Terminal
from ._sync.workloads import Agents, Jobs, Logs

__all__ = [
    "AccessError",
    "Agents",
    "AsyncAgents",
    "AsyncBerth",
    "AsyncFiles",
    "AsyncJobs",
    "AsyncLogs",
    "AsyncProcess",
    "AsyncSandbox",
    "AsyncSandboxes",
    "AsyncTerminal",
    "Berth",
    "BerthError",
    "ConflictError",
    "ConnectionFailedError",
    "End",
    "Event",
    "ExecResult",
    "ExitError",
    "Files",
    "InvalidRequestError",
    "Jobs",
    "Logs",
    "NotFoundError",
    "Notice",
    "Output",
    "PortUnreachableError",
    "Process",
    "QuotaError",
    "RateLimitedError",
    "Sandbox",
    "Sandboxes",
    "Terminal",
    "TimedOutError",
    "UnavailableError",
    "guest",
    "management",
]
