"""Whether a request is sent again, and when. A request is repeated only where that is provably safe. Pure."""

from __future__ import annotations

from .errors import BerthError

_passing = {408, 429, 502, 503, 504}
# Long enough together for a gateway that starts again.
_first_pause = 0.25
_max_pause = 5.0
# A service that asks for more is not waited for.
_max_asked = 30.0


def pause_before_retry(
    error: BerthError, tries: int, *, max_tries: int, repeatable: bool, random: float
) -> float | None:
    """Seconds until the next try; None when there is none. `random` is from 0 to 1."""
    may_pass = error.status is None or error.status in _passing
    if not (error.not_dispatched or (repeatable and may_pass)):
        return None
    asked = error.retry_after or 0.0
    if tries >= max_tries or asked > _max_asked:
        return None
    pause = (0.5 + random / 2) * min(_max_pause, _first_pause * 2 ** (tries - 1))
    return max(pause, asked)
