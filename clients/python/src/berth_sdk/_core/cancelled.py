"""What ends a call from outside."""

import asyncio

AsyncCancelled = (asyncio.CancelledError, KeyboardInterrupt)
Cancelled = (KeyboardInterrupt,)
