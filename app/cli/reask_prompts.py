"""`reask --prompts`: put what methods asked a language model to another one, and compare how it is read.

`reask` shares with it what is asked for, and the asking itself.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

from rich.console import Console
from rich.table import Table

from app.cli.budget_prompt import budget_prompt
from app.cli.output.json_output import print_json
from app.cli.output.printing import PlainConsole, right_column
from core.config import Settings
from core.errors import BadValue, ConsoleError, LogError
from core.events import EpisodeStarted, ModelConsulted
from core.log.rerun_settings import domain_spec_of
from core.log.store import Store
from core.methods.cowp.replies import interpret
from core.planning.planner import make_planner
from core.ports import Model
from core.stop_token import StopToken
from core.text.plural import plural
from core.text.untrusted_text import sanitise
from core.vqa.budget import Meter
from core.vqa.knower.registry import make_knower
from core.vqa.registry import ModelSettings

ModelOf = Callable[[EpisodeStarted], Model]


@dataclass(frozen=True)
class PromptReask:
    """A logged prompt, and the other model's reply with how it is read."""

    episode: str
    before: ModelConsulted
    by: str
    raw_reply: str
    interpretation: str

    @property
    def agrees(self) -> bool:
        """Return True if both replies are read alike; where nothing is read, if they are the same."""
        if self.before.interpretation:
            return self.interpretation == self.before.interpretation
        return self.raw_reply.strip() == self.before.raw_reply.strip()


def compare_logged_prompts(store: Store, request: ReaskRequest, as_json: bool) -> bool:
    """Put what methods asked a language model to another one. Return True if all of it was asked."""
    asking, meter = request.asking(PlainConsole(stderr=True))
    model_of = model_for_episode(request.settings.answerer, asking, meter)
    found = reask_prompts(store, request.episodes, request.limit, model_of, StopToken())
    done, stopped = ask_all(found, request.to, json_line)
    if not done:
        raise LogError("The log has no prompt of a method: run an episode with cowp first.")
    show_prompts(done, stopped, as_json)
    return not stopped


def model_for_episode(name: str, asking: ModelSettings, meter: Meter) -> ModelOf:
    """Return the model for an episode; a simulated one is made for the episode's domain and seed."""

    def made(started: EpisodeStarted) -> Model:
        domain_spec = domain_spec_of(started)
        seed = started.settings.get("seed", "0")
        number = int(seed) if seed.isdecimal() else 0
        task = domain_spec.tasks.get(started.task)
        if task is None:
            raise LogError(
                f"The domain {domain_spec.name} has no task {started.task!r}: name another episode."
            )
        return make_knower(name, domain_spec, task, None, make_planner(), number, asking, meter)

    return made


def reask_prompts(
    store: Store, episodes: Sequence[str], limit: int, model_of: ModelOf, cancel: StopToken
) -> Iterator[PromptReask]:
    """Ask at most `limit` prompts of these episodes, or of all, latest first. Raises ConsoleError."""
    picture, left = pictures_of(store), limit
    for episode in episodes_of(store, episodes):
        events = [record.event for record in store.records(episode)]
        started = next((e for e in events if isinstance(e, EpisodeStarted)), None)
        asked = [event for event in events if isinstance(event, ModelConsulted) and not event.error][:left]
        if started is None or not asked:
            continue
        model, left = model_of(started), left - len(asked)
        for one in asked:
            reply = model.ask(one.messages, (picture(one.frame),) if one.frame else (), cancel)
            read = interpret(one.purpose, one.messages[-1].text, reply.text) if one.interpretation else ""
            yield PromptReask(episode, one, model.name, reply.text, read)


def json_line(one: PromptReask) -> dict[str, object]:
    old = one.before
    place = {"episode": one.episode, "turn": old.turn, "purpose": old.purpose}
    before = {"by": old.by, "said": old.raw_reply, "read": old.interpretation}
    after = {"by": one.by, "said": one.raw_reply, "read": one.interpretation}
    return {**place, "prompt": [asdict(m) for m in old.messages], "before": before, "after": after}


def show_prompts(done: Sequence[PromptReask], stopped: str, as_json: bool) -> None:
    """Print by purpose how many there are, and how many replies agree; `stopped`: why not all were asked."""
    agreed: dict[str, list[bool]] = {}
    for one in done:
        agreed.setdefault(one.before.purpose, []).append(one.agrees)
    by = done[-1].by
    if as_json:
        counts = {purpose: (len(those), sum(those)) for purpose, those in agreed.items()}
        print_json({"asked": len(done), "agreed": counts, "answerer": by, "stopped": stopped})
        return
    figures = map(right_column, ("prompts", "read alike", "share"))
    console, table = PlainConsole(), Table("asked for", *figures, box=None, header_style="dim")
    for purpose, those in sorted(agreed.items()):
        table.add_row(purpose, str(len(those)), str(sum(those)), f"{sum(those) / len(those):.0%}")
    console.print(table)
    said = f"{plural(len(done), 'prompt')} put to {by}; no episode is changed."
    console.print(said, style="dim", markup=False)
    if stopped:
        console.print(f"Not all of them: {stopped}", style="yellow", soft_wrap=True, markup=False)


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
