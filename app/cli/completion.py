"""Complete options and commands in the shell; nothing where the values cannot be found out."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import typer

from core.errors import ConsoleError

Words = Iterable[tuple[str, str]]  # each word with a description
Completer = Callable[[typer.Context], list[tuple[str, str]]]
RECENT = 20  # episodes


def _quietly(find: Callable[[typer.Context], Words]) -> Completer:
    def complete(context: typer.Context) -> list[tuple[str, str]]:
        try:
            return list(find(context))
        except (ConsoleError, OSError):
            return []

    return complete


def component(kind: str) -> Completer:
    """Return what completes the names of one kind of component, such as "robots"."""
    return _quietly(lambda context: ((e.name, e.summary) for e in context.obj.tables()[kind]))


@_quietly
def tasks(_: typer.Context) -> Words:
    from core.planning.domain_library import all_tasks

    return ((task.name, task.description) for task in all_tasks())


@_quietly
def domains(_: typer.Context) -> Words:
    from core.planning.domain_library import domain_names

    return ((name, "") for name in domain_names())


@_quietly
def episodes(_: typer.Context) -> Words:
    from core.log.database import default_path
    from core.log.store import LATEST, Store

    path = default_path()
    if not path.exists():
        return ()
    with Store.open(path, read_only=True) as store:
        page = store.episodes(limit=RECENT)
    return ((LATEST, "the latest"), *((s.episode, s.task) for s in page))
