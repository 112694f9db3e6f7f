"""What can go wrong with a request: whether it passes, what to say about it, and what to do."""

from __future__ import annotations

import email.utils
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass

from core.asking.plain import plain
from core.asking.presets import Preset

PASSING = {408, 409, 429}  # and everything from 500 on
LONGEST = 300  # characters of a server's own words in a message


@dataclass(frozen=True)
class Trouble:
    """A request that failed. `passing`: trying again may help, not before `wait` seconds where it says so."""

    why: str
    way_out: str = ""
    passing: bool = True
    wait: float | None = None


def of_status(preset: Preset, status: int, body: str, headers: Mapping[str, str]) -> Trouble:
    """What an HTTP status means; `body` is the server's own explanation, or the beginning of it."""
    said = _in_a_line(_words(body))
    if status in (401, 403):
        where = f"check {' or '.join(preset.keys)}" if preset.keys else "this endpoint has no key set"
        return Trouble(f"refused the key (HTTP {status})", where, passing=False)
    if status == 404:
        return Trouble(
            f"does not know the model {preset.model!r} or the address (HTTP 404)",
            f"check the model's name and that {preset.host} is the right place",
            passing=False,
        )
    if status == 402 or (status == 429 and "insufficient_quota" in body):
        return Trouble(f"has no credit left on this account (HTTP {status})", "add credit", passing=False)
    if 300 <= status < 400:
        return Trouble(f"sends us elsewhere (HTTP {status})", "give the final address", passing=False)
    if status in PASSING or status >= 500:
        return Trouble(f"is busy or broken (HTTP {status}: {said})", wait=retry_after(headers))
    return Trouble(
        f"refused the request (HTTP {status}: {said})", "mend the preset's parameters", passing=False
    )


def _words(body: str) -> str:
    """The message of an error in the usual JSON, else all that was said."""
    try:
        return str(json.loads(body)["error"]["message"])
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        return body


def of_connection(preset: Preset) -> Trouble:
    return Trouble("cannot be reached, or hung up", preset.start and f"is it running? {preset.start}")


def of_timeout(seconds: float) -> Trouble:
    return Trouble(f"did not answer within {seconds:g} s", "give it more time, or take a smaller model")


def of_nonsense(what: str) -> Trouble:
    return Trouble(f"sent something that is not a reply ({_in_a_line(what)})")


def of_excess(how_much: str, body: bytes) -> Trouble:
    """`body` is the beginning of what was sent."""
    began = _in_a_line(body[: 4 * LONGEST].decode("utf-8", errors="replace"))
    way_out = "look at its settings, or take another model"
    return Trouble(f"sent {how_much}, which is no reply (it begins {began!r})", way_out, passing=False)


def _in_a_line(text: str) -> str:
    return " ".join(plain(text[: 4 * LONGEST]).split())[:LONGEST]


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds from `retry-after-ms` or `Retry-After` (seconds or a date), None where there is neither."""
    for name, scale in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers[name]) / scale
        except (KeyError, ValueError):
            continue
        return seconds if 0 <= seconds < float("inf") else None
    try:
        date = email.utils.parsedate_to_datetime(headers["retry-after"])
    except (KeyError, ValueError, TypeError):
        return None
    return max(0.0, date.timestamp() - time.time())
