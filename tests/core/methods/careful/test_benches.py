"""What the method does on benches unlike the kitchen, and where their folders or the answers mislead."""

from __future__ import annotations

from dataclasses import replace
from math import exp, log

import pytest

from app.episode.kept_knowledge import KeptKnowledge
from core.belief import Answer, Atom, Belief, BeliefEntry, BeliefSource, Purpose, Verdict
from core.config import Settings
from core.events import EpisodeResult
from core.knowledge.changes import A_FALL, NO_KNOWLEDGE, AddPrecondition, Knowledge, LearntChange, SideEffect
from core.log.knowledge_store import AdmittedChange, KnowledgeStore
from core.methods.careful.choice import ChoiceContext
from core.methods.careful.claim_line import unseen_note
from core.methods.careful.error_model import Asked
from core.methods.careful.heard import Heard, heard
from core.methods.careful.hypotheses import Joint, Part, Weights, marginals, summed, untold_of
from core.methods.careful.information import Picture
from core.methods.careful.options import CarefulOptions
from core.methods.careful.policy import Careful
from core.methods.careful.rate_doubt import SEES, TOLD, Habit
from core.methods.careful.untold import NO_COUNTS, Kind, kept_in, rate, to_propose
from core.planning.domain_library import load_domain_spec
from core.planning.planner import make_planner
from core.planning_model import Step
from core.policy import Context
from core.ports import StepResult, StepStatus
from main import make_components
from tests.core.methods.careful.conftest import Stated
from tests.episodes import Outcome, episode


def careful_of(bench: str, task: str, answerer: object = None) -> Careful:
    spec = load_domain_spec(bench)
    return Careful(spec, spec.tasks[task].problem, make_planner(), answerer, CarefulOptions())


def played(
    bench: str, task: str, answerer: str, seed: int, truth: str = "", *, price: str = "1000", steps: int = 50
) -> Outcome:
    return episode(
        Settings(
            task=task,
            domain=bench,
            robot="symbolic",
            method="careful",
            answerer=answerer,
            seed=seed,
            pictures=False,
            max_steps=steps,
            options={"method.false_claim_cost": price, **({"robot.truth": truth} if truth else {})},
        )
    )


def test_that_a_step_which_changes_more_than_the_view_is_no_look() -> None:
    rack, lids = careful_of("rack", "two").world, careful_of("lids", "pack").world
    start = rack.number(rack.problem.state)
    assert not list(rack.looking_steps(start))  # the camera is at the wrist: to look is to take
    start = lids.number(lids.problem.state)
    assert {str(s) for s in lids.looking_steps(start)} == {
        f"(look_at hand {box} bowl)" for box in ("red", "blue")
    }


def test_that_a_look_goes_where_the_doubt_would_show_if_it_were_right() -> None:
    method = careful_of("lids", "pack")
    number, reached = method.world.number, frozenset(g.atom for g in method.world.problem.goal)
    packed = reached | {Atom("free", ("hand",)), Atom("inview", ("red",))}
    thrown = packed - {Atom("inside", ("screw", "red"))} | {Atom("inside", ("screw", "bowl"))}
    weights = (number(packed), 0.995), (number(thrown), 0.005)
    looks = method.chooser._looking_steps(weights, ChoiceContext())
    assert [str(s) for s in looks] == ["(look_at hand bowl red)"]  # not into the boxes, which are shut


def test_that_only_what_a_failure_comes_from_is_seen_to_tell_of_it() -> None:
    costs = careful_of("rack", "two").costs
    number, place, held = costs.world.number, Atom("at", ("t1", "stand")), Atom("holding", ("wrist", "t2"))
    capped, full = Atom("capped", ("t1",)), [Atom("filled", (tube,)) for tube in ("t1", "t2")]
    empty, racked = number(frozenset({place, held, capped, full[0]})), frozenset({place, held, capped})
    regret = costs.wrong_plan(empty, number(racked | {full[1]}))  # that t2 is full tells nothing of t1
    assert regret.to_see and regret.unseen == 1
    uncapped = costs.wrong_plan(empty, number(racked - {capped} | {full[0]}))
    assert uncapped.unseen < 1  # a cap that is missing shows


def full_or_not(method: Careful, place: Atom, doubt: float) -> tuple[int, Weights]:
    """The state in which a capped tube, there, is full, and the belief that it is not so by this doubt."""
    tube = frozenset({place, Atom("capped", ("t1",))})
    full, empty = (method.world.number(s) for s in (tube | {Atom("filled", ("t1",))}, tube))
    return full, ((full, 1 - doubt), (empty, doubt))


def test_that_a_step_which_hides_a_doubt_is_dear_until_it_was_looked_at() -> None:
    method = careful_of("rack", "one", Stated(0.9, 0.1))
    costs, held, lying = method.costs, Atom("holding", ("wrist", "t1")), Atom("at", ("t1", "table"))
    full, weights = full_or_not(method, held, 0.05)
    costs.begin(full)
    assert costs.looking_later(full, weights) > 2  # the rack hides how full it is
    assert costs.at_once(weights) == pytest.approx(
        costs.expected(weights) + costs.looking_later(full, weights)
    )
    questions, _ = method.chooser.questions(weights, Picture())
    assert questions[0].atom == Atom("filled", ("t1",))
    taken, weights = full_or_not(method, lying, 0.05)  # to take it hides nothing
    costs.begin(taken)
    assert costs.looking_later(taken, weights) == 0


def test_that_a_look_leaves_the_doubt_of_answers_that_mislead() -> None:
    method = careful_of("rack", "one", Stated(0.9, 0.1))
    full, weights = full_or_not(method, Atom("holding", ("wrist", "t1")), 0.05)
    put_in = Step("put_in", ("wrist", "t1", "stand"))
    take_off = Step("uncap", ("wrist", "t1"))
    (_, sure), (_, left) = method.costs.looked_at(weights, full)
    assert left / sure == pytest.approx(0.05 / 0.95 * exp(-1.5 * 0.8 * log(9)), rel=0.01)
    assert method.costs.looked_at(weights, full, put_in) == method.costs.looked_at(weights, full)
    assert dict(method.costs.looked_at(weights, full, take_off)) == pytest.approx(dict(weights))  # hides none
    exact = careful_of("rack", "one", Stated(1.0, 0.0))
    full, weights = full_or_not(exact, Atom("holding", ("wrist", "t1")), 0.05)
    (_, sure), (_, left) = exact.costs.looked_at(weights, full)
    misleading = 0.2 * (0.05 + 0.1 + 0.05 + 0.1) / 1.1  # the doubt, and of it what no look mends
    assert left / sure == pytest.approx(0.05 / 0.95 * misleading, rel=0.01)


def test_that_what_fell_is_looked_at_before_the_rack_hides_it() -> None:
    assert played("rack", "two", "symmetric-10", 880022, "spills", price="2000").true


def test_that_what_is_surely_made_is_not_made_again() -> None:
    run = played("moulds", "cast", "perfect", 880017, price="2000")
    assert run.true and run.steps <= 20  # it threw both casts away, at 99 %, and ran out of moulds


def test_that_what_falls_has_to_be_taken_again_whatever_the_hand_is_called() -> None:
    world = careful_of("rack", "one").world  # there it is `holding`, and no `inhand`
    held, put_in = (
        world.number(frozenset({Atom("holding", ("wrist", "t1"))})),
        Step("put_in", ("wrist", "t1", "stand")),
    )
    taken = world.attempts(Step("take", ("wrist", "t1", "table"))) * (1 + 0.1)
    assert world.step_cost(held, put_in) == pytest.approx(world.attempts(put_in) * (1 + 0.15 * (1 + taken)))


def test_that_a_person_is_asked_about_what_a_wrist_camera_shows() -> None:
    assert "at" in careful_of("rack", "two").world.askable


def test_that_a_reached_goal_is_not_undone_to_look() -> None:
    run = played("rack", "two", "perfect", 5000)
    assert run.true and run.steps <= 16  # 50 where the tube in the rack was taken out to look at it


def test_that_a_look_which_brought_nothing_is_not_taken_again_and_again() -> None:
    run = played("lids", "pack", "symmetric-10", 6757, "throws", price="2000")
    assert run.true and run.steps < 50  # it looked from the box to the bowl and back until the steps ran out


def test_that_answers_which_only_agree_are_found_out_and_said() -> None:
    run = played("rack", "two", "agrees-with-the-plan", 5014)
    assert run.true and "The answers tell nothing: they seem to say whatever is expected" in run.ended.reason


def test_that_a_goal_which_its_price_keeps_from_being_claimed_is_said_to_be() -> None:
    run = played("rack", "one", "symmetric-10", 5002, price="100000", steps=6)
    assert run.ended.result is EpisodeResult.STEP_LIMIT
    assert (
        "As a false claim costs 100,000 and giving up 100, it is claimed from 99.9 % on" in run.ended.reason
    )


def test_that_what_is_sure_is_asked_as_if_it_were_not_until_an_answerer_is_known_to_agree() -> None:
    method = careful_of("rack", "one", Stated(0.98, 0.02))
    problem, prior = method.world.problem, method.errors.prior
    context = Context(problem, method.begin(problem))
    start, full = frozenset({Atom("holding", ("wrist", "t1"))}), Atom("filled", ("t1",))
    weights = tuple((method.world.number(s), p) for s, p in ((start | {full}, 0.8), (start, 0.2)))
    found, unit = method.chooser.questions(weights, Picture(shares=prior))
    asked = method.asker._of_model(context, weights, found, unit)
    expected = {q.atom: (q.expected, q.purpose) for q in asked.queries}
    assert expected[Atom("at", ("t1", "stand"))] == (Verdict.YES, Purpose.CHECK)  # which is surely not so
    assert expected[full][1] is Purpose.UNCERTAIN
    agreeing = tuple(float(way.habit is Habit.AGREES) for way in method.errors.ways)
    assert method.information.of_sure(weights, Picture(shares=prior), ())
    assert not method.information.of_sure(weights, Picture(shares=agreeing), ())


def test_that_what_is_never_answered_is_asked_no_more() -> None:
    run = played("rack", "one", "silent", 5003)
    assert run.steps <= 10 and len(run.asked) <= 8  # 50 steps and 70 questions otherwise
    assert "none was answered" in run.ended.reason


def test_that_a_claim_says_what_of_the_goal_nothing_shows() -> None:
    cast, rack = careful_of("moulds", "cast").world, careful_of("rack", "two").world
    good = Answer(Atom("good", ("s1",)), Verdict.YES, BeliefSource.OPERATOR)
    told = Belief.from_init(cast.problem.state).with_entries(
        [BeliefEntry(good.atom, good.verdict, good.source, 3, good)]
    )
    note = ". Nothing shows that the right slot is served with a good cast: it follows from the steps as the"
    assert unseen_note(cast, told) == f"{note} folder has them"
    assert unseen_note(rack, told) == ""


def test_that_one_spill_makes_the_next_likelier() -> None:
    method = careful_of("rack", "two")
    world, spilt, full = method.world, Kind(A_FALL, "filled"), Atom("filled", ("t1",))
    held = frozenset({Atom("holding", ("wrist", "t1")), Atom("at", ("t2", "table")), full})
    put_in, before = Step("put_in", ("wrist", "t1", "stand")), world.number(held)

    def likely() -> float:
        ways = world.transitions(before, put_in)
        assert sum(way.probability for way in ways) == pytest.approx(1)
        return sum(w.probability for w in ways if w.situation and full not in world.states[w.state])

    falls = next(s.rate for s in method.domain_spec.situations_of("put_in") if s.name == "the tube falls")
    assert likely() == pytest.approx(falls * rate(spilt, {}), abs=0.01)
    after = method.filter.done({before: Part(method.errors.prior)}, put_in)
    empty = Answer(full, Verdict.NO, BeliefSource.OPERATOR)
    fallen = Answer(Atom("at", ("t1", "table")), Verdict.YES, BeliefSource.OPERATOR)
    seen = untold_of(method.filter.updated_with(after, [fallen, empty]))
    world.learn(seen)
    assert likely() > 0.6 * falls

    (proposed,) = to_propose(seen, NO_KNOWLEDGE)  # once the episode ends; a person may let it count
    assert proposed.change.describe().startswith("in 1 of 1 falls the thing is not filled afterwards")
    kept = Knowledge((proposed,))
    world.counted_before = kept_in(kept)
    world.learn(NO_COUNTS)
    assert likely() > 0.6 * falls and not to_propose(seen, kept)
    assert not to_propose(seen, Knowledge(refused=(replace(proposed.change, times=3),)))


def test_that_the_next_episode_begins_with_what_a_person_let_count(tmp_path) -> None:
    spilt = SideEffect(A_FALL, "filled", True, 4, 5)
    store = KnowledgeStore(tmp_path)
    parts = make_components(Settings(task="two", domain="rack", robot="symbolic", method="careful", seed=1))
    others = AddPrecondition("fill", "is_dirty", ("tube",))
    store.update("rack", lambda _: tuple(AdmittedChange(LearntChange(c), "ada") for c in (spilt, others)))
    (known,) = KeptKnowledge(store, print).begin(parts).knowledge.changes
    parts.close()
    assert known.change == spilt and known.change.happened == 4


def test_that_the_reason_of_a_failure_is_heard() -> None:
    method = careful_of("rack", "two")
    spec, problem = method.domain_spec, method.world.problem
    cap, full, capped = Step("cap", ("wrist", "t1")), Atom("filled", ("t1",)), Atom("capped", ("t1",))
    for words, said in (
        ("the tube 1 is not full", Heard(facts={full: False})),
        ("(capped t1) holds, but must not", Heard(facts={capped: True})),
        ("Tube 1 has its cap already", Heard(facts={capped: True})),
        ("the cap does not catch", Heard("the cap does not catch")),
        ("the tube 2 is not full", Heard()),
        ("something is wrong", Heard()),
    ):
        assert heard(spec, problem, cap, words) == said
    start = world_after_filling(method)
    failed = StepResult(StepStatus.FAILED, "(filled t1) does not hold")
    joint = method.filter.done(start, cap, failed)
    assert marginals(method.world, summed(joint)).get(full, 0.0) < 0.1


def world_after_filling(method: Careful) -> Joint:
    world = method.world
    held = world.number(frozenset({Atom("holding", ("wrist", "t1"))}))
    return method.filter.done({held: Part(method.errors.prior)}, Step("fill", ("wrist", "t1")))


def test_that_a_side_effect_which_the_folder_leaves_out_is_noticed() -> None:
    run = played("rack", "two", "symmetric-10", 5001, "spills")
    assert run.true  # it claimed at 98 % what was not so


def test_that_a_plan_is_not_followed_that_may_lead_nowhere() -> None:
    run = played("lids", "pack", "symmetric-10", 880046, "throws", price="2000")
    assert run.true  # it took the screw while both lids were shut, and could not open one any more


def test_that_an_answerer_which_knows_what_is_hidden_is_believed() -> None:
    perfect = replace(Stated(1.0, 0.0), sees_all=True)
    knows, sees = (careful_of("rack", "one", answers).world for answers in (perfect, Stated(1.0, 0.0)))
    racked = frozenset({Atom("at", ("t1", "stand")), Atom("filled", ("t1",))})
    shown = [world.visible[Atom("filled", ("t1",))][world.number(racked)] for world in (knows, sees)]
    assert shown == [1.0, 0.0]
    told = played("rack", "two", "perfect", 5000).ended.reason
    assert "tell nothing" not in told


def test_that_right_answers_about_what_is_hidden_are_asked_for_once_they_are_known_to_be() -> None:
    method = careful_of("rack", "one", Stated(0.9, 0.1))
    full, weights = full_or_not(method, Atom("at", ("t1", "stand")), 0.3)
    sees = tuple(float(way.habit is Habit.SEES) for way in method.errors.ways)
    asked = [
        {worth.atom for worth in method.information.about_goal(weights, Picture(shares=shares))}
        for shares in (method.errors.prior, sees)
    ]
    assert [Atom("filled", ("t1",)) in atoms for atoms in asked] == [False, True]
    yes = method.errors.likelihoods(Atom("filled", ("t1",)), True, Asked())
    shown = method.errors.shown[Atom("filled", ("t1",))]
    by_way = dict(zip(method.errors.ways, yes[shown[full]], strict=True))
    assert by_way[SEES] == pytest.approx(0.9) and by_way[TOLD] == pytest.approx(0.1)


def test_that_silence_is_not_paid_for_with_steps() -> None:
    run = played("rack", "two", "silent", 5003, price="2000")
    assert len(run.asked) <= 5 and "none was answered" in run.ended.reason
    assert run.steps < 25
