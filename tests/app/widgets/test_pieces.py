"""The pure pieces: words, reasons, rows, choices; and the panels that show them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QAbstractSlider, QApplication, QLabel
from pytestqt.qtbot import QtBot

from app.controls.button import Button
from app.controls.rows import NOTE, RowsTable
from app.presentation import formatting
from app.presentation.belief_rows import belief_rows
from app.presentation.candidates import (
    atom_candidates,
    blocked_steps,
    executable_steps,
    goal_candidates,
)
from app.presentation.decision_summary import decision_summary, status_text
from app.presentation.what_if import effect_preview
from app.theme import paint
from app.theme import tokens as t
from app.widgets.belief.belief_panel import BeliefPanel
from app.widgets.plan.plan_list import PlanListItem as StepRow
from app.widgets.plan.plan_list import PlanListView
from app.widgets.plan.plan_panel import KEPT, PlanPanel, recent
from app.widgets.questions.question_panel import QuestionPanel
from core.belief import Answer, Atom, Belief, BeliefEntry, BeliefSource, Contradiction, Verdict
from core.episode_state import EpisodeState, Phase, PlanRow, PlanRowState
from core.events import EpisodeEnded, EpisodeResult, EpisodeStarted, StepFinished
from core.methods.dkprompt import DKPrompt
from core.operator import PlanChange
from core.planning import domain_library
from core.planning.planner import make_planner
from core.planning_model import Literal, Plan, PlanStatus, Step
from core.ports import StepResult, StepStatus
from core.reason import Cause, Reason
from core.stop_token import StopToken
from core.text.vocabulary import Vocabulary

FOLDER, TASK = domain_library.load_task("boil_water")
NAMING = Vocabulary.of(FOLDER, TASK.problem)
AGENT, MUG, CABINET = "agent-n-01_1", "mug-n-04_1", "cabinet-n-01_1"
CLOSED = Atom("closed", (CABINET,))


@pytest.mark.parametrize(
    ("seconds", "said"), [(0, "0 s"), (9.7, "9 s"), (64, "1:04"), (3725, "1:02:05"), (-3, "0 s")]
)
def test_that_ages_are_short(seconds: float, said: str) -> None:
    assert formatting.age(seconds) == said


@pytest.mark.parametrize(("seconds", "level"), [(0.1, ""), (0.2, "doubt"), (0.49, "doubt"), (0.5, "fault")])
def test_that_a_late_picture_is_amber_and_a_stale_one_red(seconds: float, level: str) -> None:
    assert formatting.staleness_level(seconds) == level


@pytest.mark.parametrize("phase", Phase)
def test_that_the_status_line_always_says_something(phase: Phase) -> None:
    assert status_text(EpisodeState(phase=phase), NAMING).text.endswith(".")


@pytest.mark.parametrize(("true", "level"), [(True, ""), (False, "doubt"), (None, "doubt")])
def test_that_a_goal_that_nobody_saw_is_amber_unless_the_simulator_confirms_it(
    true: bool | None, level: str
) -> None:
    ended = EpisodeEnded(EpisodeResult.SUCCEEDED, "done", believed_goal=True, true_goal=true)
    assert status_text(EpisodeState(phase=Phase.ENDED, ended=ended), NAMING).level == level


def test_that_the_strip_tells_of_a_plan_that_is_being_improved() -> None:
    shown = decision_summary(EpisodeState(phase=Phase.PLANNING, known_length=78), NAMING)
    assert shown.next.lines[0] == "a plan of 78 steps; looking for a better one"


@pytest.mark.parametrize("phase", Phase)
def test_that_the_strip_has_a_head_in_every_phase(phase: Phase) -> None:
    from core import events as ev

    started = ev.EpisodeStarted("boil_water", "omnigibson", (), TASK.problem.goal, ())
    shown = decision_summary(EpisodeState(phase=phase, started=started), NAMING)
    assert shown.next.head and shown.because.head and shown.doubt.head


def test_that_the_only_agent_is_not_named_in_every_atom() -> None:
    assert NAMING.args(Atom("inview", (AGENT, MUG))) == "mug"
    assert NAMING.args(Atom("handempty", (AGENT,))) == "robot"


def test_that_contradictions_stand_on_top_and_old_facts_below() -> None:
    inside = Atom("inside", (MUG, CABINET))
    belief = Belief.from_init(TASK.problem.state).with_entries(
        [BeliefEntry(inside, Verdict.NO, BeliefSource.MODEL, 3)]
    )
    state = EpisodeState(belief=belief, contradictions=(Contradiction((CLOSED,), "predicted no, now yes"),))
    shown = belief_rows(state, NAMING, frozenset({inside}))
    assert (
        shown[0].atom == CLOSED and shown[0].level == "doubt" and shown[0].note == "expected no, answered yes"
    )
    assert shown[1].atom == inside and shown[1].needed


def test_that_a_value_kept_over_an_unknown_says_so() -> None:
    belief = Belief().with_entries(
        [BeliefEntry(CLOSED, Verdict.YES, BeliefSource.PREDICTED, 2, last_unknown_turn=3)]
    )
    row = belief_rows(EpisodeState(belief=belief), NAMING, frozenset())[0]
    assert row.note == "unknown: old value kept"


def test_that_what_can_be_done_is_listed_and_the_rest_says_what_it_needs() -> None:
    can = executable_steps(TASK.problem, NAMING)
    assert can and not any(c.reasons for c in can)
    cannot = blocked_steps(TASK.problem, NAMING, "grasp mug cabinet", 10)
    assert cannot and all(c.reasons for c in cannot)
    assert any("cabinet" in reason for reason in cannot[0].reasons)
    assert {c.step for c in can}.isdisjoint({c.step for c in cannot})


def test_that_every_well_typed_atom_can_be_found_and_known_ones_come_first() -> None:
    belief = Belief.from_init(TASK.problem.state)
    found = atom_candidates(TASK.problem, belief, "", NAMING, 1000)
    known = [a in TASK.problem.state for a in found]
    assert known[: sum(known)] == [True] * sum(known) and not all(known)
    assert Atom("ontop", (MUG, CABINET)) not in found or "ontop" in str(found)
    assert atom_candidates(TASK.problem, belief, "inside mug", NAMING, 10)


def test_that_a_goal_is_offered_no_fact_about_a_thing_and_itself() -> None:
    found = goal_candidates(TASK.problem, NAMING, "inside", 1000)
    assert Literal("inside", (MUG, CABINET)) in found
    assert all(len(set(fact.args)) == len(fact.args) for fact in found)
    likely, never = (found.index(Literal("inside", args)) for args in ((MUG, CABINET), (CABINET, MUG)))
    assert likely < never, "no step puts a cabinet into a mug"


def test_that_what_was_done_long_ago_leaves_the_plan_panel() -> None:
    step = Step("openit", (AGENT, CABINET))
    past = tuple(PlanRow(step, PlanRowState.DONE, 1, i) for i in range(3 * KEPT))
    ahead = tuple(PlanRow(step, PlanRowState.TODO, 1, 3 * KEPT + i) for i in range(5))
    shown = recent(past + ahead)
    assert len(shown) == KEPT + 5 and shown[-5:] == ahead
    assert recent(past[:10] + ahead) == past[:10] + ahead


# --- the belief's rows -------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [300, 328, 440, 900])
def test_that_every_row_of_the_belief_is_as_high_as_its_words(qtbot: QtBot, width: int) -> None:
    panel = BeliefPanel()
    qtbot.addWidget(panel)
    panel.vocabulary = NAMING
    long = "step 3 predicted no, and the model now says yes, which cannot both be so"
    state = EpisodeState(
        belief=Belief.from_init(TASK.problem.state),
        started=EpisodeStarted("boil_water", "omnigibson", (), TASK.problem.goal, ()),
        contradictions=(Contradiction((CLOSED,), long),),
    )
    panel.resize(width, 300)
    panel.show()
    panel.display(state)
    for high in (300, 900, 250):
        panel.resize(width, high)
        QApplication.processEvents()
        assert all_is_seen(panel.table)
    noted = next(panel.table.model().index(i, 0).data(NOTE) for i in range(3))
    assert noted.note.endswith("cannot both be so") and noted.ground


def all_is_seen(table: RowsTable) -> bool:
    """Return True if no row is lower than what Qt says that its words need."""
    return all(table.rowHeight(i) >= table.sizeHintForRow(i) for i in range(table.model().rowCount()))


# --- a narrow window -----------------------------------------------------------------------------------


@pytest.mark.parametrize("wide", [160, 240, 420])
def test_that_neither_words_nor_note_of_a_step_are_cut_short(qtbot: QtBot, wide: int) -> None:
    steps = PlanListView()
    qtbot.addWidget(steps)
    steps.resize(wide, 300)
    steps.show()
    line = PlanRow(
        Step("graspin", ()), PlanRowState.FAILED, 1, note="it is not cut, and the knife drops nearby"
    )
    steps.show_steps((StepRow(line, "grasp", "the mug out of the cabinet"),), True)
    QApplication.processEvents()
    assert all_is_seen(steps) and steps.rowHeight(0) > t.H_ROW


def test_that_the_next_step_stays_in_view_when_the_panel_shrinks(qtbot: QtBot) -> None:
    panel = PlanPanel()
    qtbot.addWidget(panel)
    panel.resize(300, 600)
    panel.show()
    state = planned(*make_planner().plan(TASK.problem, StopToken()).steps)
    rows = list(state.plan_rows)
    rows[9] = replace(rows[9], state=PlanRowState.NEXT)
    started = EpisodeStarted("boil_water", "kitchen", (), TASK.problem.goal, ())
    panel.display(replace(state, started=started, plan_rows=tuple(rows)))
    panel.resize(220, 260)
    QApplication.processEvents()
    view, index = panel.list, panel.list.model().index(9, 2)
    assert view.viewport().rect().contains(view.visualRect(index))
    view.verticalScrollBar().triggerAction(QAbstractSlider.SliderAction.SliderToMinimum)
    panel.resize(220, 240)
    QApplication.processEvents()
    assert view.verticalScrollBar().value() == 0  # a person has scrolled


def test_that_the_plan_panel_tells_what_a_plan_costs(qtbot: QtBot) -> None:
    panel = PlanPanel()
    qtbot.addWidget(panel)
    steps = make_planner().plan(TASK.problem, StopToken()).steps
    change = PlanChange(1, steps, Plan(PlanStatus.FOUND, steps, cost=12.5), Reason(Cause.FIRST_PLAN))
    started = EpisodeStarted("boil_water", "kitchen", (), TASK.problem.goal, ())
    panel.display(replace(planned(*steps), started=started, plan_change=change))
    assert panel.header.note.text() == "plan 1 · cost 12.5"


@pytest.mark.parametrize(("wide", "glyph", "key"), [(160, True, True), (96, True, False), (70, False, False)])
def test_that_a_button_gives_up_its_key_and_its_glyph_before_its_words(
    qtbot: QtBot, wide: int, glyph: bool, key: bool
) -> None:
    button = Button("Unknown", "dashring", "U")
    qtbot.addWidget(button)
    button.resize(wide, 36)
    button.show()
    assert button.icon().isNull() is not glyph
    caps = [part.text() for part in button.findChildren(QLabel) if part.isVisible()]
    assert caps == ["U"] * key
    assert paint.width("Unknown", "label") <= wide


# --- what an answer would do ---------------------------------------------------------------------------


def planned(*steps: Step) -> EpisodeState:
    lines = tuple(PlanRow(step, PlanRowState.TODO, 1, i) for i, step in enumerate(steps))
    return EpisodeState(belief=Belief.from_init(TASK.problem.state), plan_rows=lines, plan_count=1)


def preview(state: EpisodeState, atom: Atom, verdict: Verdict) -> str:
    method = DKPrompt(FOLDER, TASK.problem)
    return effect_preview(
        method, TASK.problem, state, (Answer(atom, verdict, BeliefSource.OPERATOR),), NAMING
    )


def test_that_it_is_foreseen_which_step_of_the_plan_an_answer_breaks() -> None:
    plan = make_planner().plan(TASK.problem, StopToken())
    state = planned(*plan.steps)
    assert preview(state, CLOSED, Verdict.YES) == "then the plan still holds"
    water = next(a for a in TASK.problem.state if a.predicate == "insource")
    fill = next(s for s in plan.steps if water in {lit.atom for lit in NAMING.preconditions(s)})
    assert preview(state, water, Verdict.NO) == f"then “{NAMING.describe_step(fill)}” cannot be done later"
    elsewhere = Atom("inroom", (CABINET, "kitchen_1"))
    assert elsewhere in TASK.problem.state
    first = NAMING.describe_step(plan.steps[0])
    assert preview(state, elsewhere, Verdict.NO) == f"then “{first}” cannot be done"


def test_that_the_effects_of_a_step_that_is_being_done_are_counted_on() -> None:
    first, second, *rest = make_planner().plan(TASK.problem, StopToken()).steps
    state = replace(planned(second, *rest), phase=Phase.ACTING, acting=first)
    elsewhere = next(iter(TASK.problem.state))
    assert preview(state, elsewhere, Verdict.YES) == "then the plan still holds"
    assert "cannot be done" in preview(replace(state, acting=None), elsewhere, Verdict.YES)


def test_that_it_is_foreseen_that_a_plan_no_longer_leads_to_the_goal_or_holds_again() -> None:
    plan = make_planner().plan(TASK.problem, StopToken())
    short = planned(*plan.steps[:-1])
    assert preview(short, CLOSED, Verdict.YES) == "then the plan no longer reaches the goal"
    whole = replace(planned(*plan.steps), phase=Phase.OFFERED)
    assert preview(whole, CLOSED, Verdict.YES) == "then plan 1 holds again"
    assert preview(EpisodeState(belief=short.belief), CLOSED, Verdict.YES) == "then it plans again"


# --- words ----------------------------------------------------------------------------------------------


def test_that_a_turn_without_questions_says_so_and_the_time_before_the_first_something_else(
    qtbot: QtBot,
) -> None:
    panel = QuestionPanel()
    qtbot.addWidget(panel)
    started = EpisodeStarted("boil_water", "omnigibson", (), TASK.problem.goal, ())
    panel.display(EpisodeState(started=started, turn=1, phase=Phase.ASKING))
    assert "Nothing was asked yet" in panel.empty_state.accessibleName()
    panel.display(EpisodeState(started=started, turn=1, phase=Phase.WAITING))
    assert "No questions in this turn" in panel.empty_state.accessibleName()


def test_that_a_missing_effect_that_was_sensed_is_laid_to_the_last_step() -> None:
    """The mug is not in the hand: that is no reason why the sink could not be found."""
    grasp, find = Step("grasp", (AGENT, MUG)), Step("find", (AGENT, "sink-n-01_1", "kitchen_1"))
    inhand = Answer(Atom("inhand", (AGENT, MUG)), Verdict.NO, BeliefSource.SENSOR)
    reason = Reason(Cause.DISCREPANCY, (Literal("inhand", (AGENT, MUG)),), inhand)
    revision = PlanChange(1, (find,), Plan(PlanStatus.FOUND, (grasp, find)), reason)
    state = EpisodeState(
        phase=Phase.OFFERED,
        started=EpisodeStarted("boil_water", "omnigibson", (), TASK.problem.goal, ()),
        last_step=StepFinished(1, grasp, StepResult(StepStatus.FAILED)),
        offered_change=revision,
    )
    because = decision_summary(state, NAMING).because
    assert because.head == "The mug is not in the hand"
    assert because.lines[1] == f"so “{NAMING.describe_step(grasp)}” did not have its effect"
    unmet = replace(reason, literals=(Literal("inroom", ("sink-n-01_1", "kitchen_1")),))
    needed = replace(revision, reason=unmet)
    assert (
        decision_summary(replace(state, offered_change=needed), NAMING)
        .because.lines[1]
        .endswith("cannot be done")
    )
