from collections import Counter
from dataclasses import dataclass, replace

import pytest

from core.belief import Atom, Query, QueryTopic, Verdict
from core.errors import Cancelled
from core.planning_model import Step
from core.ports import Frame
from core.stop_token import StopToken
from core.vqa.answerers.profiles import Profile, Rates, load_profile
from core.vqa.answerers.simulated import SimulatedAnswerer, keyed_uniform

PROFILE = Profile("p", "", "", 0.1, 0.5, 0.6, Rates(0.8, 0.3, "ours"))


@dataclass
class World:
    """A truth of atoms `(p 0)`, `(p 1)`, ...: all hold, or none; all show, or none."""

    holds: bool = True
    shows: bool = True
    situation: str = ""

    def truth(self) -> frozenset[Atom]:
        return ALL if self.holds else frozenset()

    def is_observable(self, atom: Atom) -> bool:
        return self.shows


ATOMS = [Atom("p", (str(number),)) for number in range(4000)]
ALL = frozenset(ATOMS)


def ask(
    answerer: SimulatedAnswerer, atoms: list[Atom], view: str = "here", opposite: bool = False
) -> list[Verdict]:
    queries = [Query(atom, f"{atom}?", opposite) for atom in atoms]
    return [a.verdict for a in answerer.answer(Frame("id", viewpoint=view), queries, 1, StopToken()).answers]


def shares(world: World, profile: Profile = PROFILE) -> tuple[float, float]:
    """The shares of skips among all answers, and of yes among the rest."""
    counts = Counter(ask(SimulatedAnswerer(profile, world), ATOMS))
    answered = counts[Verdict.YES] + counts[Verdict.NO]
    return counts[Verdict.UNKNOWN] / len(ATOMS), counts[Verdict.YES] / answered


@pytest.mark.parametrize(
    ("holds", "shows", "skip", "yes"),
    [(True, True, 0.1, 0.8), (False, True, 0.1, 0.3), (True, False, 0.5, 0.3), (False, False, 0.5, 0.3)],
)
def test_that_answers_come_at_the_profiles_rates(holds: bool, shows: bool, skip: float, yes: float) -> None:
    measured = shares(World(holds, shows))
    assert measured == pytest.approx((skip, yes), abs=0.04)  # over 4 standard errors of 2,000 answers


def test_that_errors_persist_while_viewpoint_and_truth_stay() -> None:
    answerer = SimulatedAnswerer(replace(PROFILE, skip=0), World())
    first, second = ask(answerer, ATOMS), ask(answerer, ATOMS)
    again = [b is Verdict.NO for a, b in zip(first, second, strict=True) if a is Verdict.NO]
    after_right = [b is Verdict.NO for a, b in zip(first, second, strict=True) if a is Verdict.YES]
    assert sum(again) / len(again) == pytest.approx(0.6 + 0.4 * 0.2, abs=0.07)
    assert sum(after_right) / len(after_right) == pytest.approx(0.4 * 0.2, abs=0.03)


def test_that_another_viewpoint_is_a_fresh_draw() -> None:
    answerer = SimulatedAnswerer(replace(PROFILE, skip=0), World())
    first, second = ask(answerer, ATOMS, "here"), ask(answerer, ATOMS, "there")
    again = [b is Verdict.NO for a, b in zip(first, second, strict=True) if a is Verdict.NO]
    assert sum(again) / len(again) == pytest.approx(0.2, abs=0.07)


def test_that_luck_does_not_depend_on_what_else_was_asked() -> None:
    alone = SimulatedAnswerer(PROFILE, World())
    busy = SimulatedAnswerer(PROFILE, World())
    ask(busy, ATOMS[300:600])
    backwards = ask(busy, ATOMS[:300][::-1])[::-1]
    assert ask(alone, ATOMS[:300]) == backwards


def test_that_the_seed_changes_the_luck_and_the_same_seed_repeats_it() -> None:
    one, same, other = (ask(SimulatedAnswerer(PROFILE, World(), seed), ATOMS[:300]) for seed in (1, 1, 2))
    assert one == same
    assert one != other


def test_that_an_opposite_question_is_answered_about_its_text_and_turned() -> None:
    query = Query(ATOMS[0], "Is it open?", negated=True)
    perfect = SimulatedAnswerer(load_profile("perfect"), World(holds=True))
    call = perfect.answer(Frame("id", viewpoint="v"), [query, replace(query, negated=False)], 3, StopToken())
    assert [a.verdict for a in call.answers] == [Verdict.YES, Verdict.YES]
    assert call.raw_reply == "no;yes"
    assert (call.answers[0].raw_reply, call.answers[0].turn, call.answers[0].frame) == ("no", 3, "id")
    some = ATOMS[:300]
    turned = ask(SimulatedAnswerer(PROFILE, World()), some, opposite=True)
    assert turned == ask(SimulatedAnswerer(PROFILE, World()), some)


@pytest.mark.parametrize("holds", [True, False])
@pytest.mark.parametrize("shows", [True, False])
def test_that_a_perfect_answerer_is_always_right(holds: bool, shows: bool) -> None:
    answerer = SimulatedAnswerer(load_profile("perfect"), World(holds, shows))
    for _ in range(2):
        assert set(ask(answerer, ATOMS[:300])) == {Verdict.from_bool(holds)}


def test_that_the_one_who_skips_says_nothing() -> None:
    assert set(ask(SimulatedAnswerer(load_profile("skips"), World()), ATOMS[:300])) == {Verdict.UNKNOWN}


@dataclass
class Judging(World):
    """Judges steps besides: the last one worked, and only `(a)` is possible."""

    def step_succeeded(self) -> bool | None:
        return True

    def step_possible(self, step: Step) -> bool:
        return step == Step("a")


WORKED = Query(Atom("worked", ("b", "x")), "Was it successful?", topic=QueryTopic.STEP_SUCCEEDED)
POSSIBLE = [
    Query(Atom("possible", (n,)), "Is it possible?", topic=QueryTopic.STEP_POSSIBLE) for n in ("a", "b")
]


def test_that_questions_about_steps_are_answered_by_the_truth_about_steps() -> None:
    perfect = SimulatedAnswerer(load_profile("perfect"), Judging(holds=False))
    call = perfect.answer(Frame("id", viewpoint="v"), [WORKED, *POSSIBLE], 1, StopToken())
    assert [a.verdict for a in call.answers] == [Verdict.YES, Verdict.YES, Verdict.NO]
    assert call.raw_reply == "yes;yes;no"


def test_that_a_simulator_that_cannot_judge_steps_leaves_them_unknown() -> None:
    perfect = SimulatedAnswerer(load_profile("perfect"), World())
    call = perfect.answer(Frame("id", viewpoint="v"), [WORKED, *POSSIBLE], 1, StopToken())
    assert {a.verdict for a in call.answers} == {Verdict.UNKNOWN}


@pytest.mark.parametrize("shows", [True, False])
def test_that_questions_about_steps_have_rates_of_their_own(shows: bool) -> None:
    """Also where the picture shows none of the facts: they are about the whole picture."""
    profile = replace(PROFILE, skip=0, predicates={"worked": Rates(0.9, 0.2, "ours")})
    said = [
        SimulatedAnswerer(profile, Judging(shows=shows), seed).answer(Frame("id"), [WORKED], 1, StopToken())
        for seed in range(2000)
    ]
    yes = sum(call.answers[0].verdict is Verdict.YES for call in said) / len(said)
    assert yes == pytest.approx(0.9, abs=0.03)


def test_that_a_cancelled_call_does_not_answer() -> None:
    cancel = StopToken()
    cancel.end("closed")
    with pytest.raises(Cancelled):
        SimulatedAnswerer(PROFILE, World()).answer(Frame("id"), [Query(ATOMS[0], "?")], 1, cancel)


def test_that_chance_is_the_same_on_every_machine_and_evenly_spread() -> None:
    assert keyed_uniform(1, "a") == 0.266892743498775
    draws = [keyed_uniform(n) for n in range(10_000)]
    assert sum(draws) / len(draws) == pytest.approx(0.5, abs=0.012)
    assert all(0 <= draw < 1 for draw in draws)
