"""Read what `reask` is asked for and ask it, as its two ways share: episodes, pictures, the output file."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from rich.console import Console

from app.cli.budget_prompt import budget_prompt
from core.config import Settings
from core.errors import BadValue, ConsoleError, LogError
from core.log.store import Store
from core.text.untrusted_text import sanitise
from core.vqa.budget import Meter
from core.vqa.registry import ModelSettings

T = TypeVar("T")


@dataclass(frozen=True)
class ReaskRequest:
    """Whom to ask again, within which budget, as the settings say, and about which episodes: all, latest
    first, if none is named. `to` is a file for both raw replies of each call.
    """

    settings: Settings
    episodes: Sequence[str]
    limit: int
    to: Path | None

    def asking(self, console: Console) -> tuple[ModelSettings, Meter]:
        """Return how the model is asked, and the meter, which asks the person at a terminal for more."""

        def notify(text: str) -> None:
            console.print(f"  {sanitise(text)}", style="yellow", soft_wrap=True)

        s, meter = self.settings, Meter(self.settings.budget)
        if sys.stdin.isatty():
            meter.on_exceeded = budget_prompt(meter, console, False, notify)
        cache = Path(s.cache) if s.cache else None
        return ModelSettings(s.model, s.prompt, s.picture_size, cache=cache, notify=notify), meter


def episodes_of(store: Store, episodes: Sequence[str]) -> list[str]:
    """Return the ids of these episodes, or of all, latest first. Raises UnknownName, LogError."""
    named = [store.summary(episode).episode for episode in episodes]
    return named or [summary.episode for summary in store.episodes(limit=10**6)]


def pictures_of(store: Store) -> Callable[[str], bytes]:
    """Return what returns the PNG bytes of a frame, b"" if they were not stored."""

    def picture(frame: str) -> bytes:
        try:
            return store.picture(frame)
        except LogError:
            return b""

    return picture


def ask_all(
    found: Iterable[T], to: Path | None, line: Callable[[T], Mapping[str, object]]
) -> tuple[list[T], str]:
    """Ask them all and write each as a line of JSON. Return what was asked, and why not all of it, if so.

    After Ctrl+C or an error, what was asked so far counts. Raises ConsoleError if nothing was.
    """
    done: list[T] = []
    try:
        with nullcontext() if to is None else to.open("w", encoding="utf-8") as file:
            for one in found:
                done.append(one)
                if file is not None:
                    file.write(json.dumps(line(one)) + "\n")
    except KeyboardInterrupt:
        return done, "Ctrl+C was pressed."
    except OSError as error:
        raise BadValue(f"{to} cannot be written ({error.strerror}): choose another file.") from None
    except ConsoleError as error:
        if not done:
            raise
        return done, str(error)
    return done, ""
