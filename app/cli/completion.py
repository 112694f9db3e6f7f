"""What the shell completes after an option or a command; nothing where it cannot be found out."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from core.errors import ConsoleError
from core.registry import Registries

Completer = Callable[[], list[tuple[str, str]]]  # each word with a description
RECENT = 20  # episodes

_tables: Callable[[], Registries] = dict


def use_tables(tables: Callable[[], Registries]) -> None:
    """Complete names of components from these registries."""
    global _tables
    _tables = tables


def component(kind: str) -> Completer:
    """Return what completes the names of one kind of component, such as "robots"."""
    return _quietly(lambda: ((entry.name, entry.summary) for entry in _tables().get(kind, ())))


def _quietly(find: Callable[[], Iterable[tuple[str, str]]]) -> Completer:
    def complete() -> list[tuple[str, str]]:
        try:
            return list(find())
        except (ConsoleError, OSError):
            return []

    return complete


def _tasks() -> Iterable[tuple[str, str]]:
    from core.planning.domain_library import all_tasks

    return ((task.name, task.description) for task in all_tasks())


def _domains() -> Iterable[tuple[str, str]]:
    from core.planning.domain_library import domain_names

    return ((name, "") for name in domain_names())


def _episodes() -> Iterable[tuple[str, str]]:
    from core.log.database import default_path
    from core.log.store import LATEST, Store

    path = default_path()
    if not path.exists():
        return ()
    with Store.open(path, read_only=True) as store:
        page = store.episodes(limit=RECENT)
    return ((LATEST, "the latest"), *((s.episode, s.task) for s in page))


tasks, domains, episodes = _quietly(_tasks), _quietly(_domains), _quietly(_episodes)
