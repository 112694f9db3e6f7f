"""What a person does in the drafting room, for scripts/drive_console.py.

They start at a picture, or at a draft with a planted slip; a minute is allowed, and twelve keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.shared.window import until
from core.drafting.desk import Next
from core.drafting.edits import LiteralEdit
from core.drafting.source import DraftSource
from core.planning.pddl.writer import write_domain, write_problem

if TYPE_CHECKING:
    from scripts.drive_console import Person

LETTER, READING = 0.2, 5.0  # seconds a letter that is typed, and to read where a draft differs


def enters_the_room(person: Person) -> None:
    """Open the drafting room at the picture of FrozenLake that the program comes with."""
    person.sees()
    person.pause()
    person.tap("Control", "d")
    assert person.computed(), "the room does not open"


def drafts(person: Person) -> bool:
    enters_the_room(person)
    while person.room.runner.next is not Next.DONE and person.keys < 12:
        person.pause()
        person.tap("Return")
        person.computed()
    person.pause()
    person.tap("Return")
    return until(lambda: person.state.is_running, 15)


def finds_a_slip(person: Person) -> None:
    """See a draft that is right but for one precondition, which a person left out."""
    enters_the_room(person)
    run, world = person.room.runner, person.room.runner.desk
    problem = world.world.problem(world.game.reference)
    slip = LiteralEdit("move-up", False, world.game.reference.action("move-up").precondition[-1], None)
    wrong = slip.apply(problem)
    person.room.domain.field.setPlainText(write_domain(wrong.domain))
    person.room.problem.field.setPlainText(write_problem(wrong))
    run.write()
    assert person.computed() and run.found.difference is not None, "the slip is not found"
    person.sees()


def mends(person: Person) -> bool:
    finds_a_slip(person)
    person.pause()
    person.tap("Return")
    return person.computed() and person.room.runner.found.agrees


def mends_by_hand(person: Person) -> bool:
    finds_a_slip(person)
    person.pause(READING)
    editor, line = person.room.domain.field, "(up_direction ?from ?to)"
    cursor = editor.document().find(line)
    cursor.setPosition(cursor.selectionEnd())
    editor.setTextCursor(cursor)
    at = editor.viewport().mapToGlobal(editor.cursorRect(cursor).center())
    person.click(at.x(), at.y())
    for letter in " (not (ice-hole ?to))":
        person.keys += 1
        person.hand.type(letter)
        person.pause(LETTER)
    run = person.room.runner
    return until(lambda: not run.working and run.found.agrees)


def drafts_large(person: Person) -> bool:
    """Draft an Overcooked of 8 x 8 cells, repair it to its end, and look at each walk that differs."""
    enters_the_room(person)
    run = person.room.runner
    person.room.open(DraftSource("overcooked-8-0"))
    person.computed()
    while run.next is not Next.DONE and person.keys < 12:
        person.pause()
        person.tap("Return")
        person.computed()
        person.tap("space")
        person.pause()
    return run.next is Next.DONE and len(run.desk.versions.all) > 1


ROOM = (
    ("picture to a running domain", "Watch", drafts),
    ("planted slip, by its repair", "Watch", mends),
    ("planted slip, by hand", "Watch", mends_by_hand),
    ("Overcooked of 8 x 8, to its end", "Watch", drafts_large),
)
LIMITS = {drafts: (12, 60), mends: (1, 60), mends_by_hand: (200, 60), drafts_large: (12, 600)}
