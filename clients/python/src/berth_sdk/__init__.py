"""Client of Berth: sandboxes, agents and jobs on your own machines."""

from ._async.berth import AsyncBerth
from ._async.process import AsyncProcess
from ._async.sandbox import AsyncSandbox
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
from ._core.output import End, ExecResult, ExitError, Notice, Output
from ._generated import guest, management
from ._sync.berth import Berth
from ._sync.process import Process
from ._sync.sandbox import Sandbox

__all__ = [
    "AccessError",
    "AsyncBerth",
    "AsyncProcess",
    "AsyncSandbox",
    "Berth",
    "BerthError",
    "ConflictError",
    "ConnectionFailedError",
    "End",
    "ExecResult",
    "ExitError",
    "InvalidRequestError",
    "NotFoundError",
    "Notice",
    "Output",
    "PortUnreachableError",
    "Process",
    "QuotaError",
    "RateLimitedError",
    "Sandbox",
    "TimedOutError",
    "UnavailableError",
    "guest",
    "management",
]
