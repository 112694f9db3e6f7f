"""What a person says about walks of a domain, kept in its folder and replayed by `check` for ever."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path

from pydantic.dataclasses import dataclass

from core.data_file import FILE, load_toml, write_toml
from core.domains import DomainSpec
from core.drafting.steps import DraftSteps, Walk, WordOf
from core.drafting.world import said
from core.errors import BadValue

NAME, BETWEEN = "walks.toml", ", "
COMMENT = "What people say can be done from a task's first state, and what cannot: `check` replays it."


@dataclass(frozen=True, config=FILE)
class JudgedWalk:
    """`possible`: all words can be done in order. False: all but the last can.

    `goal`: whether the goal is reached after them; None: nobody said.
    """

    task: str
    possible: bool
    by: str = ""
    goal: bool | None = None


@dataclass(frozen=True, config=FILE)
class _File:
    walks: dict[str, JudgedWalk]


def words_of(folder: DomainSpec) -> WordOf:
    """Return how the steps of a folder are said: by its verbs, with the PDDL's names."""
    return partial(said, folder.verbs)


def read_walk(text: str) -> Walk:
    """Return the words of "move left, move up". Raises BadValue if there are none."""
    words = tuple(filter(None, (" ".join(word.split()) for word in text.split(","))))
    if not words:
        raise BadValue(f"There is no step in {text!r}: write them with commas between, 'move left, move up'.")
    return words


def judged_walks(folder: Path) -> dict[str, JudgedWalk]:
    """Return what is said in a domain folder, by the words of each walk. Raises BadFile."""
    file = folder / NAME
    return load_toml(file, _File).walks if file.exists() else {}


def judge(folder: Path, walk: Walk, judged: JudgedWalk) -> None:
    """Keep what a person says of a walk, in place of what was said of it before. Raises BadFile."""
    walks = {**judged_walks(folder), BETWEEN.join(walk): judged}
    write_toml(folder / NAME, {"walks": {words: _table(one) for words, one in walks.items()}}, COMMENT)


def _table(one: JudgedWalk) -> dict[str, object]:
    return {name: value for name, value in asdict(one).items() if value is not None}


def contradictions(folder: DomainSpec) -> Iterator[tuple[str, str]]:
    """Yield each walk that the domain does not do as a person says, with what is wrong. Raises BadFile."""
    for words, judged in judged_walks(folder.path).items() if folder.path else ():
        if judged.task not in folder.tasks:
            yield words, f"is of the task {judged.task}, which is not there"
            continue
        walk = read_walk(words)
        draft = DraftSteps(folder.tasks[judged.task].problem, words_of(folder))
        done, states = draft.run(walk)
        who = judged.by or "somebody"
        if judged.possible and done < len(walk):
            yield words, f"{who} says that it can be done, and {walk[done]!r} cannot"
        elif not judged.possible and done != len(walk) - 1:
            how = "can" if done == len(walk) else f"fails before, at {walk[done]!r}"
            yield words, f"{who} says that its last step cannot be done, and it {how}"
        elif judged.goal not in (None, reached := draft.is_goal(states)):
            ends = "the goal is reached", "the goal is not reached"
            yield words, f"{who} says that {ends[reached]} after it, and {ends[not reached]}"
