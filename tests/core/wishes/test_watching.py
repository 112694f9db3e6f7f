"""A wish while it is done: its steps, and the two witnesses of each place."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from core.belief import Answer, Atom, BeliefSource, Query, QueryTopic, Verdict
from core.motion.frames import scene_bodies
from core.operator import Addressee
from core.planning_model import Plan, PlanStatus, Step
from core.policy import GotAnswers, GotPlan, GotScene, StepDone
from core.policy.observations import Observation
from core.ports import StepResult, StepStatus
from core.reason import FIRST_PLAN
from core.scene import Bodies, Scene, SceneThing
from core.wish import Wish
from core.wishes.hand_written import left_of
from core.wishes.watching import Progress, first_of, follow, question, rest_of, share_of_likely, still_so

PICK, PLACE, LATER = Step("pick", ("pea",)), Step("place_ontop", ("pea", "table")), Step("pick", ("nut",))
WISH = Wish(
    "",
    (PICK, PLACE, LATER),
    (),
    {1: (partial(left_of, "pea", "nut"),)},
    (),
    ("", "it is left of the nut", ""),
)
ABOUT = Query(Atom("worked", ("place_ontop",)), "Did it work?", topic=QueryTopic.STEP_SUCCEEDED)
DONE = StepResult(StepStatus.DONE)


def near_by(thing: str, other: str, bodies: Bodies) -> bool:
    return abs(bodies[thing].pose[0] - bodies[other].pose[0]) < 0.1


def seen(y: float) -> GotScene:
    half = (0.01, 0.01, 0.01)
    things = (SceneThing("pea", (0, y, 0, 0, 0, 0), half, "ball"), SceneThing("nut", (0,) * 6, half, "ball"))
    return GotScene(Scene(things, ""))


def said(verdict: Verdict, by: Addressee = Addressee.MODEL) -> GotAnswers:
    return GotAnswers((ABOUT,), (Answer(ABOUT.atom, verdict, BeliefSource.MODEL),), by)


def after(*observations: Observation) -> Progress:
    planned = GotPlan(Plan(PlanStatus.FOUND, WISH.steps), reason=FIRST_PLAN)
    return follow(WISH, (planned, StepDone(PICK, DONE), StepDone(PLACE, DONE), *observations))


def test_that_two_witnesses_are_heard_of_each_place() -> None:
    once = after(seen(0.1))
    assert once.open == 1 and once.tested is True and once.done == 2
    asked = question(WISH, once, ABOUT)
    assert asked is not None and asked[0].text == "Is this so: it is left of the nut?"
    assert asked[1] is Addressee.MODEL
    for verdict in (Verdict.YES, Verdict.UNKNOWN):
        fine = after(seen(0.1), said(verdict))
        assert fine.open is None and fine.undone is None and first_of(WISH, fine) == 2


def test_that_what_is_not_so_is_undone_and_planned_again_from_its_grasp() -> None:
    for verdict in (Verdict.NO, Verdict.UNKNOWN):  # UNKNOWN does not speak for it either
        wrong = after(seen(-0.1), said(verdict))
        assert wrong.undone == 1 and first_of(WISH, wrong) == 0
    assert after(said(Verdict.NO)).undone == 1  # a robot that tells no scene
    assert rest_of(WISH, after(seen(0.1), said(Verdict.YES))).steps == (LATER,)


def test_that_only_what_the_end_is_missing_is_done_again() -> None:
    nut = Step("place_ontop", ("nut", "table"))
    for test, first in (
        (partial(left_of, "pea", "nut"), 2),  # what was placed last of the two
        (partial(left_of, "pea", "pea"), 0),
        (partial(left_of, "nut", "pea"), 0),  # which is so
    ):
        wish = replace(WISH, steps=(PICK, PLACE, LATER, nut), tests={}, goal_tests=(test,), descriptions=())
        planned = GotPlan(Plan(PlanStatus.FOUND, wish.steps), reason=FIRST_PLAN)
        done = [StepDone(step, DONE) for step in wish.steps]
        ended = follow(wish, (planned, *done, seen(-0.1)))
        assert rest_of(wish, ended).done and first_of(wish, ended) == first
        assert wish.redone_from(scene_bodies(seen(-0.1).scene)) == first
        again = follow(wish, (planned, *done, seen(-0.1), planned, *done[first:]))
        assert again.done == 4


def test_that_what_is_still_where_it_was_put_is_not_done_again() -> None:
    """A fork fell out of a mug, the knife is still in it: it is carried along."""
    lines = "pick fork, place_inside fork mug, pick knife, place_inside knife mug, pick mug"
    lines += ", place_ontop mug table"
    steps = tuple(Step(name, tuple(args)) for name, *args in (line.split() for line in lines.split(", ")))
    near = {n: (partial(near_by, *steps[n].args),) for n in (1, 3, 5)}
    wish, planned = Wish("", steps, (), near), GotPlan(Plan(PlanStatus.FOUND, steps), reason=FIRST_PLAN)
    done = [StepDone(step, DONE) for step in steps]

    def scene(fork: float, knife: str, mug: float = 0) -> GotScene:
        places = (
            ("fork", fork, "" if fork else "mug"),
            ("knife", 0.0, knife),
            ("mug", mug, ""),
            ("table", 0.0, ""),
        )
        half = (0.01, 0.01, 0.01)
        things = (SceneThing(n, (x, 0, 0, 0, 0, 0), half, "box", on=on) for n, x, on in places)
        return GotScene(Scene(tuple(things), ""))

    fallen = (planned, *done[:4], scene(0, "mug"), *done[4:], scene(0.3, "mug"))
    now = follow(wish, fallen)
    assert now.undone == 1 and rest_of(wish, now).steps == steps[:2]
    assert follow(wish, (*fallen, planned, *done[:2])).done == 6
    both = (*fallen[:-1], scene(0.3, "mug", 0.09), planned)
    moved = replace(wish, tests={**near, 5: (partial(near_by, "mug", "fork"),)})
    assert rest_of(moved, follow(moved, both[:-1])).steps == (*steps[:2], *steps[4:])
    again = follow(moved, (*both, *done[:2], scene(0, "mug"), *done[4:]))
    assert again.done == 6 and again.kept == {2, 3}
    assert still_so(wish, 0, 6, scene(0, "").scene) == {4, 5}  # it lies beside
    other = replace(wish, steps=(*steps[:4], Step("pour", ("mug", "table")), steps[5]))
    assert still_so(other, 0, 6, scene(0, "mug").scene) == set()  # both would be poured out
    assert still_so(replace(wish, tests={}), 0, 6, scene(0, "mug").scene) == set()  # nothing tells


def test_that_a_person_is_shown_both_where_picture_and_test_disagree() -> None:
    for y, verdict in ((0.1, Verdict.NO), (-0.1, Verdict.YES)):
        torn = after(seen(y), said(verdict))
        asked = question(WISH, torn, ABOUT)
        assert (
            asked is not None and asked[1] is Addressee.OPERATOR and "the model says it is" in asked[0].text
        )
        for answer, undone in ((Verdict.YES, None), (Verdict.NO, 1), (Verdict.UNKNOWN, 1)):
            assert after(seen(y), said(verdict), said(answer, Addressee.OPERATOR)).undone == undone


def test_that_a_failed_step_is_not_counted_as_done() -> None:
    failed = StepDone(PICK, StepResult(StepStatus.FAILED, "it slipped"))
    planned = GotPlan(Plan(PlanStatus.FOUND, WISH.steps), reason=FIRST_PLAN)
    now = follow(WISH, (planned, failed))
    assert now.done == 0 and rest_of(WISH, now) == WISH


def test_that_a_thing_that_somebody_moved_is_noticed_and_what_was_done_with_it_is_undone() -> None:
    put = (seen(0.1), StepDone(PICK, DONE), StepDone(PLACE, DONE), seen(0.1), said(Verdict.YES))
    assert not follow(WISH, put).moved
    held = follow(WISH, (*put, StepDone(LATER, DONE), seen(0.2)))
    assert (
        held.moved == "pea" and held.undone == 1 and held.holds
    )  # there is no other plan before it is put down
    other = StepDone(Step("place_ontop", ("nut", "table")), DONE)
    free = follow(WISH, (*put, StepDone(LATER, DONE), seen(0.2), other, seen(0.2)))
    assert free.moved == "pea" and not free.holds and first_of(WISH, free) == 0


def test_that_what_was_poured_has_to_land_and_what_is_lost_is_said() -> None:
    wish = Wish(
        "", (Step("pick", ("can",)), Step("pour", ("can", "bowl")), Step("place_ontop", ("can", "table"))), ()
    )
    steps = [StepDone(step, DONE) for step in wish.steps]
    planned = GotPlan(Plan(PlanStatus.FOUND, wish.steps), reason=FIRST_PLAN)

    def soup(*places: str) -> GotScene:
        half = (0.05, 0.05, 0.02)
        things = [
            SceneThing("can", (0.3, 0, 0, 0, 0, 0), half, "cup"),
            SceneThing("bowl", (0.5, 0, 0, 0, 0, 0), half, "cup"),
        ]
        at = {"can": 0.3, "bowl": 0.5, "": 0.7}
        things += [
            SceneThing(f"grain_{n}", (at[on], 0, 0, 0, 0, 0), (0.006,) * 3, "ball", on=on)
            for n, on in enumerate(places)
        ]
        return GotScene(Scene(tuple(things), ""))

    first = soup("can", "can", "can", "can")
    for after_pour, undone, lost in (
        (soup("bowl", "bowl", "bowl", ""), None, ""),
        (soup("bowl", "can", "can", ""), 1, ""),
        (
            soup("bowl", "", "", ""),
            1,
            "Of what was in the can, 1 of 4 landed in the bowl, and nothing is left in it.",
        ),
    ):
        now = follow(wish, (first, planned, *steps[:2], after_pour, steps[2], after_pour))
        assert (now.undone, now.lost) == (undone, lost)
        assert rest_of(wish, now).done == (undone is None)
        again = follow(wish, (first, planned, *steps[:2], after_pour, steps[2], after_pour, planned))
        assert again.lost == lost  # as no plan can bring it back
    late = follow(
        wish,
        (first, planned, *steps[:2], soup("bowl", "bowl", "bowl", "bowl"), steps[2], soup("", "", "", "")),
    )
    assert late.undone == 1 and late.lost


def test_that_only_an_answer_speaks_for_a_pour_that_nobody_saw() -> None:
    wish = Wish("", (Step("pick", ("can",)), Step("pour", ("can", "bowl"))), ())
    things = [SceneThing(n, (0,) * 6, (0.02,) * 3, "cup") for n in ("can", "bowl")]
    grain = SceneThing("grain", (0,) * 6, (0.006,) * 3, "ball", on="can", source="hidden")
    scene = GotScene(Scene((*things, grain), ""))
    planned = GotPlan(Plan(PlanStatus.FOUND, wish.steps), reason=FIRST_PLAN)
    poured = (scene, planned, *(StepDone(step, DONE) for step in wish.steps), scene)
    now = follow(wish, poured)
    assert now.tested is None and now.open == 1 and now.undone is None
    assert question(wish, now, ABOUT) == (ABOUT, Addressee.MODEL)
    for verdict in Verdict:
        heard = follow(wish, (*poured, said(verdict)))
        assert heard.open is None and heard.undone == (None if verdict is Verdict.YES else 1)


def test_that_how_sure_a_place_is_makes_a_claim_likely() -> None:
    left = partial(left_of, "pea", "nut")
    things = {thing.name: replace(thing, spread=0.01) for thing in seen(0.012).scene.things}
    near_the_edge = share_of_likely(Scene(tuple(things.values()), ""), (left,))
    assert 0.3 < near_the_edge < 0.9
    assert share_of_likely(seen(0.012).scene, (left,)) == 1.0
