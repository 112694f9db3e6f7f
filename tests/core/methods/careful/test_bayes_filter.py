"""How beliefs about whole states follow from steps, reports, answers, sensors and people."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.belief import Answer, Atom, BeliefSource, Verdict
from core.methods.careful.answered import still_told
from core.methods.careful.bayes_filter import MENDED
from core.methods.careful.error_model import Asked
from core.methods.careful.hypotheses import Part, marginals, shares_of, summed
from core.methods.careful.policy import Careful
from core.methods.careful.untold import Count, Kind
from core.methods.careful.world_model import NOT_POSSIBLE, NOTHING_HAPPENS
from core.ports import StepResult, StepStatus
from tests.core import tiny
from tests.core.methods.careful.conftest import Stated, feeling
from tests.core.tiny import CLOSED, EMPTY, HOLDING, INSIDE, OPEN, TAKE

STAYS_CLOSED = 0.25 + 0.75 * NOTHING_HAPPENS


def said(atom: Atom, yes: bool | None) -> Answer:
    verdict = Verdict.UNKNOWN if yes is None else Verdict.from_bool(yes)
    return Answer(atom, verdict, BeliefSource.MODEL)


def closed(method: Careful, joint) -> float:
    return marginals(method.world, summed(joint)).get(CLOSED, 0.0)


def after_opening(method: Careful, result: StepResult | None = None):
    start = {method.world.number(tiny.PROBLEM.state): Part(method.errors.prior)}
    return method.filter.done(start, OPEN, result)


def test_that_a_step_may_fail_as_often_as_the_folder_says(careful) -> None:
    method = careful()
    assert closed(method, after_opening(method)) == pytest.approx(STAYS_CLOSED)


def test_that_a_folder_without_situations_still_lets_steps_fail(careful) -> None:
    method = careful(replace(tiny.folder(), skills={}))
    assert closed(method, after_opening(method)) == pytest.approx(0.15 + 0.85 * NOTHING_HAPPENS)


def test_that_an_answer_counts_by_its_error_rates(careful) -> None:
    method = careful()
    found = method.filter.answered(after_opening(method), [(said(CLOSED, True), Asked("front", {}))])
    yes, no = STAYS_CLOSED * 0.8, (1 - STAYS_CLOSED) * 0.3
    assert closed(method, found) == pytest.approx(yes / (yes + no))


def test_that_unknown_says_nothing(careful) -> None:
    method = careful()
    before = after_opening(method)
    assert method.filter.answered(before, [(said(CLOSED, None), Asked("front", {}))]) == before


def test_that_the_same_answer_again_counts_less_from_the_same_viewpoint(careful) -> None:
    method = careful()
    before, earlier = after_opening(method), {"front": True}
    same = closed(method, method.filter.answered(before, [(said(CLOSED, True), Asked("front", earlier))]))
    other = closed(method, method.filter.answered(before, [(said(CLOSED, True), Asked("side", earlier))]))
    assert STAYS_CLOSED < same < other


def test_that_errors_shared_by_all_viewpoints_make_another_view_worth_less(careful) -> None:
    alone, shared = careful(), careful(shared_errors=0.6)
    found = [
        closed(m, m.filter.answered(after_opening(m), [(said(CLOSED, True), Asked("side", {"front": True}))]))
        for m in (alone, shared)
    ]
    assert STAYS_CLOSED < found[1] < found[0]


def test_that_sensors_and_people_are_exact(careful) -> None:
    method = careful()
    told = Answer(CLOSED, Verdict.YES, BeliefSource.OPERATOR)
    assert closed(method, method.filter.updated_with(after_opening(method), [told])) == 1


def test_that_hypotheses_which_an_exact_answer_rules_out_are_mended(careful) -> None:
    method = careful()
    readings = [said(HOLDING, True), said(EMPTY, False)]
    found = method.filter.updated_with(after_opening(method), readings)
    assert sum(p for _, p in summed(found)) == pytest.approx(1)
    probable = marginals(method.world, summed(found))
    assert probable[HOLDING] == pytest.approx(1) and EMPTY not in probable


@pytest.mark.parametrize(("status", "likelier"), [(StepStatus.FAILED, True), (StepStatus.DONE, False)])
def test_that_a_report_counts_where_the_robot_feels_the_failure(careful, status, likelier) -> None:
    method = careful(feeling(tiny.folder(0.25)))
    found = closed(method, after_opening(method, StepResult(status)))
    assert (found > 0.9) if likelier else (found < 0.05)


def test_that_a_step_which_was_not_possible_is_mostly_reported_the_same_way_again(careful) -> None:
    method = careful()
    number = method.world.number
    half = Part((0.5,))
    doubt = {number(tiny.PROBLEM.state): half, number(tiny.PROBLEM.state - {CLOSED}): half}
    failed = StepResult(StepStatus.FAILED)
    first, again = (
        closed(method, method.filter.done(doubt, TAKE, failed, b)) for b in (None, StepStatus.FAILED)
    )
    assert 0.5 < first < again


def test_that_a_robot_which_feels_whatever_goes_wrong_reports_an_impossible_step_as_failed(careful) -> None:
    folder = tiny.folder(0.25, 0.1)
    taking = replace(folder.skills["take"], detects=("slips",))
    methods = careful(), careful(replace(folder, skills={**folder.skills, "take": taking}))
    feels_nothing, feels_all = (m.filter.alarm(TAKE, NOT_POSSIBLE, None) for m in methods)
    assert feels_nothing == 0.5 and feels_all > 0.8


def test_that_reports_can_be_ignored(careful) -> None:
    method = careful(feeling(tiny.folder(0.25)), reports=False)
    found = closed(method, after_opening(method, StepResult(StepStatus.FAILED)))
    assert found == pytest.approx(STAYS_CLOSED)


def test_that_a_step_which_a_hypothesis_forbids_changes_nothing_in_it(careful) -> None:
    method = careful()
    shut = ((method.world.number(tiny.PROBLEM.state), 1.0),)
    assert method.filter.predict(shut, TAKE) == shut


def test_that_an_answerer_that_states_no_rates_is_assumed_to_be_middling(careful) -> None:
    method = careful(answerer=object())
    found = method.filter.answered(after_opening(method), [(said(INSIDE, False), Asked("front", {}))])
    assert 0 < closed(method, found) < 1
    assert method.errors.rates("closed").informativeness < Stated(0.9, 0.1).if_true - 0.1


def asked_from_all_sides(method: Careful, answers: str):
    """Return the belief after answers about the door, each from another viewpoint."""
    joint, earlier = after_opening(method), {}
    for view, yes in enumerate(answers):
        joint = method.filter.answered(joint, [(said(CLOSED, yes == "y"), Asked(str(view), earlier))])
        earlier = {**earlier, str(view): yes == "y"}
    return joint


def test_that_doubt_about_the_rates_keeps_a_row_of_answers_from_being_certainty(careful) -> None:
    methods = careful(), careful(rate_doubt=0.3)
    sure, doubting = (closed(m, asked_from_all_sides(m, "nnnnnn")) for m in methods)
    assert 0 < sure < doubting / 3


def test_that_answers_which_contradict_each_other_speak_for_higher_rates(careful) -> None:
    method = careful(rate_doubt=0.3, answerer=Stated(0.9, 0.1))
    told, half, twice, same, *_ = shares_of(asked_from_all_sides(method, "ynynyn"))
    before = method.errors.prior
    assert twice > before[2] and (told, half, same) < (before[0], before[1], before[3])
    assert half < before[1] and same < before[3]


def test_that_an_exact_answer_judges_the_answers_before_it(careful) -> None:
    method = careful(rate_doubt=0.3, answerer=Stated(0.9, 0.1))
    joint = asked_from_all_sides(method, "nn")
    truth = [Answer(CLOSED, v, BeliefSource.OPERATOR) for v in (Verdict.YES, Verdict.NO)]
    wrong, right = (shares_of(method.filter.updated_with(joint, [t])) for t in truth)
    assert wrong[0] < right[0] and wrong[2] > right[2]


def test_that_a_person_may_bring_back_what_was_given_up_as_too_unlikely(careful) -> None:
    method = careful()
    number, prior = method.world.number, method.errors.prior
    opened, lost, shut = (frozenset(s) for s in ({EMPTY, INSIDE}, {EMPTY, CLOSED}, {EMPTY, INSIDE, CLOSED}))
    joint = {number(opened): Part(prior).times(0.95), number(lost): Part(prior).times(0.05)}
    closes = [said(CLOSED, True)]
    assert dict(summed(method.filter.updated_with(joint, closes))) == {number(lost): 1}
    found = dict(summed(method.filter.updated_with(joint, closes, MENDED)))
    assert found[number(shut)] == pytest.approx(0.95 * MENDED / (0.95 * MENDED + 0.05))


def test_that_an_answer_repeats_none_that_a_side_effect_may_have_outdated(careful) -> None:
    method, kind = careful(), Kind("open", "closed")
    world, prior = method.world, method.errors.prior
    shut, ajar = (world.number(state) for state in (tiny.PROBLEM.state, tiny.PROBLEM.state - {CLOSED}))
    earlier = {CLOSED: {"front": True}}

    def told(closed: float, lost: float) -> bool:
        parts = {
            shut: Part(prior).times(closed),
            ajar: Part(prior, {kind: Count(lost, 1.0)}).times(1 - closed),
        }
        return CLOSED in still_told(earlier, world, parts)

    assert told(0.7, 0.0)  # if it is open, the answer was wrong
    assert not told(0.7, 1.0)  # or it has come open since
    assert told(1.0, 1.0)  # nothing speaks against it
