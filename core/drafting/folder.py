"""Write a draft as a domain folder that plans and runs, and as one HTML page with its versions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from core.data_file import make_folder, write_text, write_toml
from core.drafting.rounds import Version
from core.drafting.world import Game
from core.errors import BadValue
from core.planning.pddl.writer import write_domain, write_problem
from core.ports import Frame
from core.text.html_page import Section, markup, page, table

COMMENT = "Drafted from rules and a picture. `ew` scores it against its world, `check` finds what it lacks."


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
    write_toml(folder / "domain.toml", tables, COMMENT)
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
    return page("drafting/draft_page.html", title, sections=sections, picture=_picture(frame))


def _picture(frame: Frame) -> Markup:
    from base64 import b64encode

    if not frame.png:
        return Markup("")
    data = b64encode(frame.png).decode()
    return markup('<img alt="what it was drafted from" width="320" src="data:image/png;base64,{}">', data)
