"""That each shipped adversary errs as it is described, and states the rates of symmetric-34 all the same."""

import pytest

from core.belief import Atom, Query, Verdict
from core.planning_model import Literal
from core.ports import Frame
from core.stop_token import StopToken
from core.vqa.answerers.profiles import load_profile
from core.vqa.answerers.simulated import SimulatedAnswerer

GOAL = [Literal("full", ("a",)), Literal("shut", ("b",))]
FULL, SHUT = [[Atom(p, (x, str(n))) for n in range(200)] for p, x in (("full", "a"), ("shut", "b"))]


class World:
    situation = ""

    def truth(self) -> frozenset[Atom]:
        return frozenset(FULL)

    def is_observable(self, atom: Atom) -> bool:
        return True


def right(name: str, atoms: list[Atom], turn: int = 1, expected: Verdict = Verdict.UNKNOWN) -> float:
    """The share of right answers; of the goal, seed 0 names the thing `a` and the predicate `full`."""
    answerer = SimulatedAnswerer(load_profile(name), World(), 0, GOAL)
    queries = [Query(atom, "?", expected=expected) for atom in atoms]
    answers = answerer.answer(Frame("id"), queries, turn, StopToken()).answers
    truth = World().truth()
    return sum(a.verdict is Verdict.from_bool(a.atom in truth) for a in answers) / len(answers)


@pytest.mark.parametrize(
    ("name", "atoms", "turn", "expected", "share"),
    [
        ("agrees-with-the-plan", SHUT, 1, Verdict.YES, 0.0),
        ("agrees-with-the-plan", SHUT, 1, Verdict.NO, 1.0),
        ("errs-about-one-thing", FULL, 1, Verdict.YES, 0.1),
        ("errs-about-one-thing", SHUT, 1, Verdict.YES, 0.95),
        ("errs-about-one-predicate", FULL, 1, Verdict.YES, 1.0),
        ("errs-about-one-predicate", SHUT, 1, Verdict.YES, 0.95),
        ("drifts", FULL, 0, Verdict.YES, 0.95),
        ("drifts", FULL, 50, Verdict.YES, 0.25),
        ("silent", FULL, 1, Verdict.YES, 0.0),
    ],
)
def test_that_an_adversary_errs_as_described(
    name: str, atoms: list[Atom], turn: int, expected: Verdict, share: float
) -> None:
    assert right(name, atoms, turn, expected) == pytest.approx(share, abs=0.08)
    assert load_profile(name).error_rates("full") == (0.66, 0.34)


def test_that_the_first_answer_stays_from_every_side_and_whatever_becomes_so() -> None:
    answerer = SimulatedAnswerer(load_profile("first-answer"), World(), 0, GOAL)
    sides = [
        answerer.answer(Frame("id", viewpoint=v), [Query(FULL[0], "?")], 1, StopToken()).answers[0].verdict
        for v in map(str, range(20))
    ]
    assert len(set(sides)) == 1
