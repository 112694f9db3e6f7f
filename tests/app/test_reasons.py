"""What the strip says about an arm, before an episode and while a stop is in force."""

from __future__ import annotations

from app.naming import Naming
from app.reasons import strip
from core.deciding import Need, Proposal
from core.events import Started
from core.facts import Belief
from core.planning import shelf
from core.story import Phase, Story

FOLDER, TASK = shelf.task("boil_water")
NAMING = Naming.of(FOLDER, TASK.problem)


def test_that_a_stop_says_what_happened_and_below_it_what_to_do() -> None:
    why = "No picture for 5 s from the overhead camera. The camera 0 sends none: check its cable."
    proposal = Proposal(2, 1, Need.RELEASE, None, why, Belief(), 1)
    started = Started("boil_water", "omnigibson", (), TASK.problem.goal, ())
    shown = strip(Story(phase=Phase.STOPPED, started=started, proposal=proposal), NAMING)
    assert shown.because.head == "No picture for 5 s from the overhead camera"
    assert shown.because.lines[0] == "The camera 0 sends none: check its cable"
