"""Load domain folders: the shipped ones, a person's own, and any other folder or pair of PDDL files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from core.data_file import read_text
from core.domains import DomainSpec, Perception, PredicateSpec, Task
from core.errors import BadFile, BadValue, ConsoleError, UnknownName
from core.install_paths import data_folder, resource_path
from core.planning.domain_toml import TaskEntry, extended, in_variant, problem_files, read_body, read_header
from core.planning.pddl.reader import read_domain, read_problem
from core.planning_model import Domain, Problem

DOMAINS_FOLDER = resource_path("domains")


def own_domains_folder() -> Path:
    """Return the place of a person's own domain folders, which need not exist."""
    return data_folder() / "domains"


def domain_folders() -> Mapping[str, Path]:
    """Return all named domain folders, sorted by name: a shipped one wins over a person's own."""
    found = {
        path.name: path
        for shelf in (own_domains_folder(), DOMAINS_FOLDER)
        if shelf.is_dir()
        for path in shelf.iterdir()
        if (path / "domain.toml").exists() or (path / "domain.pddl").exists()
    }
    return dict(sorted(found.items()))


def domain_names() -> tuple[str, ...]:
    """Return the names of all domain folders that have one, sorted."""
    return tuple(domain_folders())


def domain_path(name: str | Path) -> Path:
    """Return the folder of this name, or the bench; else the name as a path, which need not exist."""
    bench = resource_path("resources") / "benches" / str(name)
    return domain_folders().get(str(name), bench if bench.is_dir() else Path(name))


def load_domain_spec(name: str | Path, variant: str | None = None) -> DomainSpec:
    """Load a named folder, or any folder by its path.

    Raises UnknownName (folder or variant), BadFile, BadDomain.
    """
    path = domain_path(name)
    if not path.is_dir():
        raise UnknownName("domain", str(name), domain_names())
    return (
        _load_with_toml(path, variant) if (path / "domain.toml").exists() else _load_pddl_only(path, variant)
    )


def load_pddl_pair(domain_file: str | Path, problem_file: str | Path) -> DomainSpec:
    """Load a domain and a problem file as a folder with one task. Raises BadFile, BadDomain."""
    domain = read_domain(Path(domain_file))
    problem = read_problem(Path(problem_file), domain)
    task = Task(problem.name, domain.name, _default_description(problem), problem)
    return _default_spec(domain.name, None, domain, (task,))


@dataclass(frozen=True)
class DomainOutline:
    """What a folder's TOML file says about it, available quickly because no PDDL is read."""

    description: str = ""
    default_robot: str = ""
    tasks: tuple[str, ...] = ()


def domain_outline(name: str) -> DomainOutline:
    """Return the outline of a named folder. Raises UnknownName, BadFile."""
    path = domain_folders().get(name)
    if path is None:
        raise UnknownName("domain", name, domain_names())
    head = read_header(path)
    robot = head.robot if (path / "domain.toml").exists() else ""
    return DomainOutline(head.description, robot, tuple(head.tasks))


def domain_of_task(task: str) -> str:
    """Return the name of the folder that has this task, "" for none."""
    path = _folders_by_task().get(task)
    return path.name if path else ""


def default_task_for_robot(robot: str) -> Task:
    """Return the first task of the first shipped folder with this default robot. Raises UnknownName."""
    shipped = [name for name, path in domain_folders().items() if path.parent == DOMAINS_FOLDER]
    homes = {load_domain_spec(name).default_robot: name for name in reversed(shipped)}
    if robot not in homes:
        raise UnknownName("robot", robot, homes)
    return next(iter(load_domain_spec(homes[robot]).tasks.values()))


def all_tasks(refused: Callable[[ConsoleError], object] = lambda error: None) -> tuple[Task, ...]:
    """Return the tasks of all named folders, in their default variants.

    A folder that cannot be read is left out and `refused` is called with the reason.
    """
    found: list[Task] = []
    for path in domain_folders().values():
        try:
            found += load_domain_spec(path).tasks.values()
        except ConsoleError as error:
            refused(error)
    return tuple(found)


def load_task(name: str, variant: str | None = None) -> tuple[DomainSpec, Task]:
    """Load a task by its name, with its folder. Raises UnknownName, BadFile, BadDomain."""
    known = _folders_by_task()
    if name not in known:
        raise UnknownName("task", name, known)
    found = load_domain_spec(known[name], variant)
    return found, task_in(found, name)


def task_in(spec: DomainSpec, name: str) -> Task:
    """Return a folder's task. Raises UnknownName; BadFile for one whose problem file is not listed."""
    if name in spec.tasks:
        return spec.tasks[name]
    for file in unlisted_problems(spec.path or Path()):
        if file.stem == name:
            there = file.relative_to(spec.path or "").as_posix()
            toml, remedy = (spec.path or Path()) / "domain.toml", f'Add [tasks.{name}] with file = "{there}"'
            raise BadFile(toml, f"lists its tasks, but not {there}", remedy=remedy)
    listed = spec.path is not None and name in read_header(spec.path).tasks
    raise UnknownName(f"task of the variant {spec.variant}" if listed else "task", name, spec.tasks)


def unlisted_problems(path: Path) -> tuple[Path, ...]:
    """Return the problem files that are no tasks, as `domain.toml` lists only others. Raises BadFile."""
    tasks = read_header(path).tasks.values()
    listed = {path / file for task in tasks for file in (task.file, task.world)}
    return tuple(file for file in problem_files(path) if file not in listed)


def find_task(
    task: str, domain: str = "", domain_file: str = "", problem_file: str = "", variant: str = ""
) -> tuple[DomainSpec, Task]:
    """Return a named task, one of a domain folder, or that of a pair of PDDL files. Raises ConsoleError.

    With a folder, `task` "" is its first task.
    """
    if domain_file or problem_file:
        if not (domain_file and problem_file):
            raise BadValue("A problem needs its domain: give both --domain-file and --problem-file.")
        domain_spec = load_pddl_pair(domain_file, problem_file)
        return domain_spec, next(iter(domain_spec.tasks.values()))
    if not domain:
        return load_task(task, variant or None)
    domain_spec = load_domain_spec(domain, variant or None)
    if not domain_spec.tasks:
        raise BadFile(
            domain_spec.path, "the domain has no task", remedy="Put a problem into its folder tasks/"
        )
    return domain_spec, task_in(domain_spec, task or next(iter(domain_spec.tasks)))


def _folders_by_task() -> Mapping[str, Path]:
    """Return the folder of each task, without reading PDDL; a shipped one wins over a person's own."""
    found: dict[str, Path] = {}
    for path in sorted(domain_folders().values(), key=lambda path: path.parent == DOMAINS_FOLDER):
        try:
            found |= dict.fromkeys(read_header(path).tasks, path)
        except ConsoleError:  # `tasks` and `check` say what is wrong with it
            continue
    return found


def pddl_files(spec: DomainSpec, task: str) -> tuple[Path, Path]:
    """Return the files of the folder's chosen variant and of one of its tasks. Raises BadFile."""
    path = spec.path or Path()
    head = read_header(path)
    return path / head.variants[spec.variant], path / head.tasks[task].file


# --- folders with TOML ------------------------------------------------------------------------------


def _load_with_toml(path: Path, variant: str | None) -> DomainSpec:
    head = read_header(path)
    chosen = variant or head.default
    if chosen not in head.variants:
        raise UnknownName("variant", chosen, head.variants)
    named = {file for t in head.tasks.values() for file in (t.file, t.world, t.world_domain)}
    files = sorted(named - {""} | {*head.variants.values(), "domain.toml"})
    return _read_folder(path, chosen, tuple(_text(path / file) for file in files))


def _text(file: Path) -> str:
    try:
        return read_text(file)
    except BadFile:
        return ""  # the reader of that file says what is wrong


@lru_cache(maxsize=32)
def _read_folder(path: Path, chosen: str, contents: tuple[str, ...]) -> DomainSpec:
    """Read all files of a folder. `contents` are theirs, so that none that has changed is remembered."""
    head = read_header(path)
    domain = read_domain(path / head.variants[chosen])
    shared = extended(domain, _readable(path / file for file in head.variants.values()))
    objects: set[str] = set()
    tasks: dict[str, Task] = {}
    for name, entry in head.tasks.items():
        whole, problem = _problem(path / entry.file, domain, shared)
        objects.update(thing.name for thing in whole.all_objects)
        if problem is not None:
            world = _world(path, name, entry, shared, problem) if entry.world else None
            about = entry.description or _default_description(problem)
            tasks[name] = Task(name, path.name, about, problem, entry.plan_length, world)
    listed, variants = MappingProxyType(tasks), tuple(head.variants)
    spec = DomainSpec(
        path.name, path, head.description, domain, chosen, variants, listed, default_robot=head.robot
    )
    worlds = (task.simulated_problem.domain for task in tasks.values())
    return read_body(spec, path / "domain.toml", head, shared, extended(domain, worlds), objects)


def _readable(files: Iterable[Path]) -> Iterator[Domain]:
    for file in files:
        with suppress(ConsoleError):  # `check` says what is wrong with another variant
            yield read_domain(file)


def _problem(file: Path, domain: Domain, shared: Domain) -> tuple[Problem, Problem | None]:
    """Read a problem: as it is, and in this variant. `shared` has what only other variants have, too."""
    try:
        whole = read_problem(file, domain)
    except ConsoleError:
        with suppress(ConsoleError):
            whole = read_problem(file, shared)
            found = in_variant(whole, domain)
            if found is None or (found.objects, found.state) != (whole.objects, whole.state):
                return whole, found
        raise
    return whole, whole


def _world(path: Path, name: str, entry: TaskEntry, shared: Domain, problem: Problem) -> Problem:
    """Read a task's world and check that it contains everything the task mentions; it may contain more."""
    own = read_domain(path / entry.world_domain) if entry.world_domain else problem.domain
    world = _problem(path / entry.world, own, own if entry.world_domain else shared)[1]
    if world is None:
        raise BadFile(path / entry.world, f"has a goal that is not in the variant of the task {name}")
    known = {o.name for o in world.all_objects}
    for thing in problem.all_objects:
        if thing.name not in known:
            raise BadFile(path / entry.world, f"has no object {thing.name}, which the task {name} has")
    predicates = {p.name for p in world.domain.predicates}
    for goal in problem.goal:
        if goal.predicate not in predicates:
            lack = f"has no predicate {goal.predicate}, so {goal} can never come true in it"
            raise BadFile(path / entry.world, lack)
    return world


# --- folders with PDDL only -------------------------------------------------------------------------


def _load_pddl_only(path: Path, variant: str | None) -> DomainSpec:
    if not (path / "domain.pddl").exists():
        raise BadFile(path, "is no domain folder", remedy="It needs a domain.toml or a domain.pddl")
    if variant not in (None, "domain"):
        raise UnknownName("variant", str(variant), ["domain"])
    domain = read_domain(path / "domain.pddl")
    found = {name: read_problem(path / entry.file, domain) for name, entry in read_header(path).tasks.items()}
    tasks = (Task(name, path.name, _default_description(p), p) for name, p in found.items())
    return _default_spec(path.name, path, domain, tuple(tasks))


def _default_spec(name: str, path: Path | None, domain: Domain, found: Sequence[Task]) -> DomainSpec:
    """Return a folder with default wording: every predicate is visible and asked about by its name."""
    wording = {p.name: _default_predicate_spec(p.name, len(p.parameters)) for p in domain.predicates}
    return DomainSpec(
        name,
        path,
        f"The domain {domain.name}.",
        domain,
        "domain",
        ("domain",),
        MappingProxyType({task.name: task for task in found}),
        MappingProxyType(wording),
    )


def _default_predicate_spec(predicate: str, count: int) -> PredicateSpec:
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
    return PredicateSpec(f"Is this so: {fact}?", perception=Perception.VISION)


def _default_description(problem: Problem) -> str:
    return f"Reach {' and '.join(map(str, problem.goal)) or 'nothing'}."
