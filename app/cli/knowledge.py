"""`knowledge`: what was learnt about a domain, and forgetting it."""

from __future__ import annotations

from enum import Enum

from typer import Argument, Option

from app.cli.help_text import CommandLine
from app.cli.options import Database, log_path
from app.cli.output.printing import print_text
from app.presentation.suggestions import KnownChange
from core.errors import BadValue
from core.log.knowledge_store import KnowledgeStore, switched
from core.planning.domain_library import load_domain_spec
from core.text.untrusted_text import one_line

cli = CommandLine()


class What(Enum):
    LIST, FORGET, KEEP, REMOVE = "list", "forget", "keep", "remove"


@cli.command()
def knowledge(
    domain: str = Argument(..., help="A shipped domain's name, or a folder."),
    what: What = Argument(What.LIST, help="With it."),
    numbers: list[int] = Argument(None, help="In the list; without, all that was counted."),
    every: bool = Option(False, "--all", help="With remove: all that was counted."),
    database: Database = None,
) -> None:
    """List what was learnt about a domain; forget it, keep it again, or remove it.

    Later episodes begin without what is forgotten, and do not count it on. What is removed is counted anew.
    """
    store, name = KnowledgeStore(log_path(database).parent / "knowledge"), load_domain_spec(domain).name
    found = store.load(name)
    if wrong := [number for number in numbers or () if not 0 < number <= len(found)]:
        raise BadValue(f"The list has no {wrong[0]}: `knowledge {domain}` shows it.")
    if what is What.REMOVE and not numbers and not every:
        raise BadValue(
            "What is removed is gone: give numbers of the list, or --all for all that was counted."
        )
    some = [found[n - 1] for n in numbers] if numbers else [one for one in found if one.learnt.robot]
    chosen = [one.learnt.change for one in some]
    if what is What.REMOVE:
        store.update(name, lambda old: tuple(one for one in old if one.learnt.change not in chosen))
    elif what is not What.LIST:
        store.update(name, lambda old: switched(old, chosen, what is What.KEEP))
    for number, one in enumerate(found := store.load(name), 1):
        said, off = one_line(one.learnt.change.describe(), 300), "" if one.kept else "forgotten: "
        print_text(f"{number:3}  {off}{said} ({KnownChange(one, True, False).origin})")
    if not found:
        print_text("Nothing was learnt about this domain yet.")
