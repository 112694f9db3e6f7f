"""The shelf of domain folders: those that are shipped, and any other folder or pair of PDDL files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from core.domains import Folder, Perception, Task, Wording
from core.errors import BadFile, UnknownName
from core.place import shipped
from core.planning.read import read_domain, read_problem
from core.planning.toml import Entry, read_body, read_head
from core.problem import Domain, Problem

SHELF = shipped("domains")


def names() -> tuple[str, ...]:
    """The names of all shipped domain folders, sorted."""
    return tuple(
        sorted(
            p.name for p in SHELF.iterdir() if (p / "domain.toml").exists() or (p / "domain.pddl").exists()
        )
    )


def folder(name: str | Path, variant: str | None = None) -> Folder:
    """A shipped folder by its name, or any folder by its path.

    Raises UnknownName (folder or variant), BadFile, BadDomain.
    """
    path = SHELF / name if str(name) in names() else Path(name)
    if not path.is_dir():
        raise UnknownName("domain", str(name), names())
    return _worded(path, variant) if (path / "domain.toml").exists() else _plain(path, variant)


def pair(domain_file: str | Path, problem_file: str | Path) -> Folder:
    """A domain file and a problem file as a folder with one task. Raises BadFile, BadDomain."""
    domain = read_domain(Path(domain_file))
    problem = read_problem(Path(problem_file), domain)
    task = Task(problem.name, domain.name, _told(problem), problem)
    return _bare(domain.name, None, domain, (task,))


@dataclass(frozen=True)
class Outline:
    """What a folder says of itself without its PDDL, so at once."""

    description: str = ""
    robot: str = ""  # where it is at home
    tasks: tuple[str, ...] = ()


def outline(name: str) -> Outline:
    """Of a shipped folder. Raises UnknownName, BadFile."""
    if name not in names():
        raise UnknownName("domain", name, names())
    path = SHELF / name
    if not (path / "domain.toml").exists():
        return Outline(tasks=tuple(_entries(path)))
    head = read_head(path / "domain.toml")
    return Outline(head.description, head.robot, tuple(entry.name for entry in head.tasks))


def home_of(task: str) -> str:
    """The shipped folder that has this task, "" for none."""
    return next((name for name in reversed(names()) if task in _entries(SHELF / name)), "")


def at_home(robot: str) -> Task:
    """The first task of the first shipped folder that is at home on this robot. Raises UnknownName."""
    homes = {folder(name).robot: name for name in reversed(names())}
    if robot not in homes:
        raise UnknownName("robot", robot, homes)
    return next(iter(folder(homes[robot]).tasks.values()))


def tasks() -> tuple[Task, ...]:
    """The tasks of all shipped folders, in their default variants."""
    return tuple(task for name in names() for task in folder(name).tasks.values())


def task(name: str, variant: str | None = None) -> tuple[Folder, Task]:
    """A shipped task by its name, with its folder. Raises UnknownName, BadFile, BadDomain."""
    known = {entry: where for where in names() for entry in _entries(SHELF / where)}
    if name not in known:
        raise UnknownName("task", name, known)
    found = folder(known[name], variant)
    return found, found.tasks[name]


# --- folders with words -----------------------------------------------------------------------------


def _entries(path: Path) -> Iterator[str]:
    """The names of a folder's tasks, without reading PDDL."""
    if (path / "domain.toml").exists():
        yield from (entry.name for entry in read_head(path / "domain.toml").tasks)
    else:
        yield from (file.stem for file in _problems(path))


def _worded(path: Path, variant: str | None) -> Folder:
    head = read_head(path / "domain.toml")
    chosen = variant or head.default
    if chosen not in head.variants:
        raise UnknownName("variant", chosen, head.variants)
    domain = read_domain(path / head.variants[chosen])
    found = tuple(_task(path, entry, domain) for entry in head.tasks)
    objects = {o.name for task in found for o in task.problem.everything}
    body = read_body(head, domain, objects, _wider(domain, found))
    return Folder(
        path.name,
        path,
        head.description,
        domain,
        chosen,
        tuple(head.variants),
        MappingProxyType({task.name: task for task in found}),
        MappingProxyType(dict(body.wording)),
        MappingProxyType(dict(body.names)),
        MappingProxyType(dict(body.verbs)),
        body.rules,
        body.exclusives,
        MappingProxyType(dict(body.skills)),
        head.robot,
        body.laws,
        body.sight,
        body.default_situations,
    )


def _task(path: Path, entry: Entry, domain: Domain) -> Task:
    problem = read_problem(path / entry.file, domain)
    world = _world(path, entry, domain, problem) if entry.world else None
    return Task(entry.name, path.name, entry.description or _told(problem), problem, entry.plan_length, world)


def _world(path: Path, entry: Entry, domain: Domain, problem: Problem) -> Problem:
    """The world that a task names: it has all that the task speaks of, and may have more."""
    world = read_problem(
        path / entry.world, read_domain(path / entry.world_domain) if entry.world_domain else domain
    )
    known = {o.name for o in world.everything}
    for thing in problem.everything:
        if thing.name not in known:
            raise BadFile(path / entry.world, f"has no object {thing.name}, which the task {entry.name} has")
    predicates = {p.name for p in world.domain.predicates}
    for goal in problem.goal:
        if goal.predicate not in predicates:
            raise BadFile(
                path / entry.world, f"has no predicate {goal.predicate}, so {goal} can never come true in it"
            )
    return world


def _wider(domain: Domain, tasks: Sequence[Task]) -> Domain:
    """The domain with the types and predicates of the tasks' worlds besides its own."""
    worlds = [task.world.domain for task in tasks if task.world]
    types = {t.name: t for each in (*worlds, domain) for t in each.types}
    predicates = {p.name: p for each in (*worlds, domain) for p in each.predicates}
    return replace(domain, types=tuple(types.values()), predicates=tuple(predicates.values()))


# --- folders with PDDL only -------------------------------------------------------------------------


def _problems(path: Path) -> Sequence[Path]:
    return sorted(path.glob("problem*.pddl")) + sorted(path.glob("tasks/*.pddl"))


def _plain(path: Path, variant: str | None) -> Folder:
    if not (path / "domain.pddl").exists():
        raise BadFile(path, "is no domain folder", way_out="It needs a domain.toml or a domain.pddl")
    if variant not in (None, "domain"):
        raise UnknownName("variant", str(variant), ["domain"])
    domain = read_domain(path / "domain.pddl")
    found = [(file.stem, read_problem(file, domain)) for file in _problems(path)]
    return _bare(path.name, path, domain, tuple(Task(n, path.name, _told(p), p) for n, p in found))


def _bare(name: str, path: Path | None, domain: Domain, found: Sequence[Task]) -> Folder:
    """A folder that gives no words: every predicate can be seen and is asked about in plain words."""
    wording = {p.name: _plain_question(p.name, len(p.parameters)) for p in domain.predicates}
    return Folder(
        name,
        path,
        f"The domain {domain.name}.",
        domain,
        "domain",
        ("domain",),
        MappingProxyType({task.name: task for task in found}),
        MappingProxyType(wording),
    )


def _plain_question(predicate: str, count: int) -> Wording:
    words = predicate.replace("-", " ").replace("_", " ")
    holes = [f"{{{number}}}" for number in range(count)]
    match holes:
        case []:
            fact = words
        case [one]:
            fact = f"{one} is {words}"
        case [one, other]:
            fact = f"{one} {words} {other}"
        case _:
            fact = f"{words} of {', '.join(holes)}"
    return Wording(f"Is this so: {fact}?", perception=Perception.VISION)


def _told(problem: Problem) -> str:
    return f"Reach {' and '.join(map(str, problem.goal)) or 'nothing'}."
