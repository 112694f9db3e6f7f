"""Write a draft as a domain folder that plans and runs, and as one HTML page with its versions.

What a person says about walks of a domain is kept in its folder too, and replayed by `check` for ever.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup
from pydantic.dataclasses import dataclass

from core.data_file import FILE, load_toml, make_folder, write_text, write_toml
from core.domains import DomainSpec
from core.drafting.steps import DraftSteps, Walk
from core.drafting.world import Game, said
from core.errors import BadValue
from core.planning.pddl.writer import write_domain, write_problem
from core.ports import Frame
from core.text.html_page import Section, markup, page, table

if TYPE_CHECKING:  # `check` reads walks without all that drafts
    from core.drafting.rounds import Version

WALKS, BETWEEN = "walks.toml", ", "
DRAFTED = "Drafted from rules and a picture. `ew` scores it against its world, `check` finds what it lacks."
SAID = "What people say can be done from a task's first state, and what cannot: `check` replays it."


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


def read_walk(text: str) -> Walk:
    """Return the words of "move left, move up". Raises BadValue if there are none."""
    words = tuple(filter(None, (" ".join(word.split()) for word in text.split(","))))
    if not words:
        raise BadValue(f"There is no step in {text!r}: write them with commas between, 'move left, move up'.")
    return words


def judged_walks(folder: Path) -> dict[str, JudgedWalk]:
    """Return what is said in a domain folder, by the words of each walk. Raises BadFile."""
    file = folder / WALKS
    return load_toml(file, _File).walks if file.exists() else {}


def judge(folder: Path, walk: Walk, judged: JudgedWalk) -> None:
    """Keep what a person says of a walk, in place of what was said of it before. Raises BadFile."""
    walks = {**judged_walks(folder), BETWEEN.join(walk): judged}
    write_toml(folder / WALKS, {"walks": {words: _table(one) for words, one in walks.items()}}, SAID)


def _table(one: JudgedWalk) -> dict[str, object]:
    return {name: value for name, value in asdict(one).items() if value is not None}


def contradictions(folder: DomainSpec) -> Iterator[tuple[str, str]]:
    """Yield each walk that the domain does not do as a person says, with what is wrong. Raises BadFile."""
    for words, judged in judged_walks(folder.path).items() if folder.path else ():
        if judged.task not in folder.tasks:
            yield words, f"is of the task {judged.task}, which is not there"
            continue
        walk = read_walk(words)
        draft = DraftSteps(folder.tasks[judged.task].problem, partial(said, folder.verbs))
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


def write_folder(folder: Path, game: Game, version: Version, description: str, robot: str = "grids") -> str:
    """Write the domain, its problem as a task, and the words of its steps; return the task's name.

    Raises BadValue, BadFile.
    """
    problem = version.problem
    if problem is None:
        raise BadValue("No version of this draft can be read, so there is no domain to keep.")
    make_folder(folder)
    write_text(folder / "domain.pddl", write_domain(problem.domain))
    write_text(folder / "problem.pddl", write_problem(problem))
    task = folder.resolve().name
    unseen = {
        p.name: {"perception": "none", "statement": _statement(p.name, len(p.parameters))}
        for p in problem.domain.predicates
    }
    skills = {action.name: {"situations": list[str]()} for action in problem.domain.actions}
    tables = {
        "description": description,
        "robot": robot,
        "names": {thing.name: thing.name.replace("-", " ") for thing in problem.all_objects},
        "verbs": {name: verb for name, verb in game.verbs.items() if name in skills},
        "predicates": unseen,
        "skills": skills,
        "world": {"rules": []},
        "tasks": {task: {"file": "problem.pddl"}},
    }
    write_toml(folder / "domain.toml", tables, DRAFTED)
    return task


def _statement(predicate: str, count: int) -> str:
    words = " and ".join(f"the {{{n}}}" for n in range(count)) or "it"
    return f"{words} is {predicate.replace('-', ' ').replace('_', ' ')}"


def draft_page(title: str, frame: Frame, versions: Sequence[Version]) -> str:
    """Return one HTML page: the picture, and each version with its score, its faults and its files."""
    rows = [
        (
            version.number,
            f"{version.score.ew:.3f}" if version.score else "-",
            version.score.tried if version.score else "-",
            "valid" if version.valid else "no plan" if version.plan is None else "goes wrong",
            "; ".join(version.repairs) or version.feedback or "nothing",
        )
        for version in versions
    ]
    heads = ("version", "EW", "tried", "plan", "what is wrong, or was repaired")
    sections = [Section("Versions", table(heads, rows))]
    for version in versions:
        body = markup("<pre>{}</pre><pre>{}</pre>", version.domain_text, version.problem_text)
        plan = f"The plan: {', '.join(version.plan)}." if version.plan else ""
        note = " ".join((plan, version.compared)).strip()
        sections.append(Section(f"Version {version.number}", body, note))
    png = Markup(b64encode(frame.png).decode())
    return page("drafting/draft_page.html", title, sections=sections, png=png)
