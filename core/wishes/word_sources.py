"""Who writes a wish where no model is asked: a grammar, or recorded replies. Both say so by name."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path

from pydantic.dataclasses import dataclass

from core.data_file import FILE, UnitInterval, load_toml, write_toml
from core.errors import UnknownName
from core.install_paths import resource_path
from core.ports import ChatMessage, Reply
from core.stop_token import StopToken
from core.wishes.authoring import Brief
from core.wishes.english import written_replies
from core.wishes.grammar import read_words

SOURCES = ("grammar", "recorded")
SHEET = "sheet:"  # and the file in which a person left the replies
_REQUEST = re.compile(r"Request: (.+)")
_FAILED = re.compile("No motions were found|An earlier attempt found no motions")


@dataclass(frozen=True, config=FILE)
class Sample:
    """The replies to "plan", "goal" and "step N", and how often a model gave them.

    Instead of replies, what they say in `spatial` English, which the grammar spells out.
    """

    share: UnitInterval
    replies: dict[str, str] = field(default_factory=dict)
    spatial: str = ""

    def replies_about(self, brief: Brief) -> Mapping[str, str]:
        return _spelt_out(self.spatial, brief) if self.spatial else self.replies


@dataclass(frozen=True, config=FILE)
class _Left:
    """A sheet's replies, and who left them."""

    source: str
    replies: dict[str, str]


@dataclass(frozen=True, config=FILE)
class Recorded:
    """Replies to one task. After a wish without motions the first sample is what it was mended to."""

    source: str
    samples: list[Sample]


def is_source(name: str) -> bool:
    return name in SOURCES or name.startswith(SHEET)


def write_replies(path: Path, replies: Mapping[str, str], by: str) -> None:
    """Write a file that the source SHEET reads. Raises BadFile."""
    write_toml(path, {"source": by, "replies": dict(replies)})


class WordSource:
    """A `Model` that can do nothing but write a wish. Any thread."""

    def __init__(self, name: str, replies: Callable[[bool], Mapping[str, str]]) -> None:
        """`replies` returns all replies, given whether a wish found no motions before."""
        self.name, self._replies = name, replies

    def ask(self, messages: Sequence[ChatMessage], pictures: Sequence[bytes], cancel: StopToken) -> Reply:
        cancel.check()
        request = _REQUEST.match(messages[0].text)
        failed = any(_FAILED.search(message.text) for message in messages if message.role == "user")
        said = self._replies(failed).get(request[1].strip(), "None") if request else "I only write wishes."
        return Reply(said, self.name)


def _spelt_out(words: str, brief: Brief) -> Mapping[str, str]:
    """Return the replies that the grammar gives to words, or only which of them it does not understand."""
    reading = read_words(words, brief.problem, brief.things)
    if unknown := ", ".join(map(repr, reading.not_understood)):
        return {"plan": f"Not understood: {unknown}."}
    return written_replies(reading.placements, brief.problem)


def word_source(name: str, brief: Brief, seed: int) -> WordSource:
    """Return a source by name. Raises UnknownName, BadFile."""
    if name == "grammar":
        replies = _spelt_out(brief.words, brief)
        return WordSource("grammar, not a model", lambda _: replies)
    if name.startswith(SHEET):
        left = load_toml(Path(name.removeprefix(SHEET)), _Left)
        return WordSource(f"the sheet, by {left.source}", lambda _: left.replies)
    if name != "recorded":
        raise UnknownName("source of words", name, SOURCES)
    recorded = load_toml(recorded_file(brief.problem.name), Recorded)
    luck = random.Random(f"{brief.problem.name}/{seed}").random()
    chosen = recorded.samples[0]
    for sample in recorded.samples:
        if luck < sample.share:
            chosen = sample
            break
        luck -= sample.share
    return WordSource(
        "recorded, not a model",
        lambda failed: (recorded.samples[0] if failed else chosen).replies_about(brief),
    )


def recorded_file(task: str) -> Path:
    """Return where a task's replies are. Raises UnknownName for a task without."""
    folder = resource_path("resources", "wishes", "recorded")
    if not (file := folder / f"{task}.toml").is_file():
        raise UnknownName("recorded wish", task, (path.stem for path in folder.glob("*.toml")))
    return file
