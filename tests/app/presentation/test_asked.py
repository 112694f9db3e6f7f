"""What Yes, No and Can't tell answer, in every phase in which they could answer something else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from app.presentation.asked import Asked, asked
from app.presentation.decision_summary import decision_summary
from app.presentation.what_if import other_answer
from app.widgets.questions import card_focus
from app.widgets.questions.question_panel import QuestionPanel
from core.belief import Answer, Atom, Belief, BeliefEntry, BeliefSource, Query, Verdict
from core.episode_state import EpisodeState, Phase, QuestionCard
from core.events import EpisodeStarted
from core.operator import PlanChange
from core.planning_model import Plan, PlanStatus, Step
from core.reason import Cause, Reason
from core.text.vocabulary import Vocabulary

YES, NO, UNKNOWN = Verdict.YES, Verdict.NO, Verdict.UNKNOWN
OPEN, VIEW, FULL = (Atom(name, ("fridge",)) for name in ("open", "inview", "full"))


def card(number: int, atom: Atom, counted: bool, said: Verdict = NO) -> QuestionCard:
    """A doubtful answer: yes was expected."""
    query = Query(atom, f"Is the fridge {atom.predicate}?", expected=YES)
    answer = Answer(atom, said, BeliefSource.MODEL, said.value, turn=3, by="gpt")
    return QuestionCard(number, 3, query, "f", answer, answer if counted else None)


OLD, NEW, ALSO = card(2, OPEN, True), card(3, VIEW, False), card(4, FULL, False)
STATE = EpisodeState(
    turn=3, started=EpisodeStarted("t", "d", (), (), ()), phase=Phase.REVIEWING, cards=(OLD, NEW, ALSO)
)
CAUSE = Reason(Cause.DISCREPANCY, answer=OLD.model, turn=3)
CHANGE = PlanChange(3, (), Plan(PlanStatus.FOUND, (Step("open", ("fridge",)),)), CAUSE)
OFFERED = replace(STATE, phase=Phase.OFFERED, cards=(OLD,), offered_change=CHANGE, plan_count=1)


def test_that_a_second_call_of_the_turn_is_asked_about_and_not_the_card_that_had_the_focus() -> None:
    assert asked(STATE, OLD).card == NEW
    assert asked(STATE, ALSO).card == ALSO, "of those that wait, the focused one"
    assert decision_summary(STATE, Vocabulary(), focused_question=NEW).next.head == NEW.query.text


def test_that_a_person_may_still_choose_to_correct_the_earlier_one_and_is_shown_that() -> None:
    now = asked(STATE, OLD, chosen=True)
    assert now.card == OLD
    shown = decision_summary(STATE, Vocabulary(), focused_question=now.card)
    assert shown.next.head == OLD.query.text and shown.next.word.startswith("CORRECT")
    assert "2 answers waiting" in shown.next.lines
    assert "can't tell" in now.refusal(UNKNOWN)


def test_that_while_a_plan_is_on_offer_only_the_answer_that_overrules_it_counts() -> None:
    now = asked(OFFERED, None)
    assert now.card == OLD and now.effective == (YES,)
    assert not now.refusal(YES)
    assert "the plan on offer rests on" in now.refusal(NO)
    head = decision_summary(OFFERED, Vocabulary(), focused_question=now.card).next.head
    assert head == "Plan 2 is on offer", "yes and no answer no question about the plan"


def test_that_an_offer_without_an_answer_behind_it_leaves_yes_and_no_nothing_to_answer() -> None:
    state = replace(OFFERED, offered_change=replace(CHANGE, reason=Reason(Cause.REQUESTED)))
    now = asked(state, OLD)
    assert now.card is None
    assert "O keeps the old one; to correct an answer, choose its card with J first" in now.refusal(YES)
    assert asked(state, OLD, chosen=True).card == OLD


@pytest.mark.parametrize(
    ("state", "focused", "reason"),
    [
        (EpisodeState(), OLD, "no episode runs"),
        (replace(STATE, phase=Phase.ACTING, cards=()), None, "nothing has been asked yet"),
        (replace(STATE, phase=Phase.ASKING), replace(NEW, model=None), "has not answered"),
        (replace(STATE, phase=Phase.ACTING, turn=5), OLD, "no longer counts"),
    ],
)
def test_that_what_cannot_be_answered_says_why(
    state: EpisodeState, focused: QuestionCard | None, reason: str
) -> None:
    assert reason in asked(state, focused).refusal(YES)


def test_that_to_say_what_counts_already_is_refused_unless_it_makes_it_more_likely() -> None:
    def believed(probability: float | None, source: BeliefSource = BeliefSource.MODEL) -> EpisodeState:
        entry = BeliefEntry(OPEN, NO, source, 3, probability=probability)
        return replace(STATE, phase=Phase.ACTING, cards=(OLD,), belief=Belief().with_entries((entry,)))

    certain = asked(believed(None), OLD)
    assert certain.refusal(NO) == "“no” to “Is the fridge open?” counts already" and not certain.refusal(YES)
    assert not asked(believed(0.2), OLD).refusal(NO)
    assert asked(believed(0.01, BeliefSource.OPERATOR), OLD).refusal(NO)


def test_that_the_same_question_is_one_that_still_waits() -> None:
    assert Asked(NEW).same_question(Asked(replace(NEW, seconds=2.0)))
    assert not Asked(NEW).same_question(Asked(replace(NEW, final=NEW.model)))
    assert not Asked(NEW).same_question(Asked()) and Asked().same_question(Asked())


def test_that_the_other_answer_is_other_than_what_counts_and_not_than_what_the_model_said() -> None:
    set_by_me = BeliefEntry(OPEN, YES, BeliefSource.OPERATOR, 3)
    believed = Belief().with_entries((set_by_me,))
    state = replace(STATE, phase=Phase.ACTING, belief=believed)
    mine = replace(OLD, final=replace(OLD.model, verdict=YES))  # type: ignore[type-var]
    either = other_answer(mine, state, (), "me", lambda _: "then “open” cannot be done")
    assert either == "N: it plans again either way"
    now = {YES: "holds", NO: "then “open” cannot be done"}
    assert other_answer(mine, state, (), "me", lambda a: now[a[-1].verdict]) == f"N: {now[NO]}"
    drafted = Answer(VIEW, YES, BeliefSource.OPERATOR, turn=3)
    assert other_answer(NEW, STATE, (drafted,), "me", lambda _: "differs") == "N: differs"
    assert other_answer(NEW, STATE, (), "me", lambda _: "differs") == "Y: differs"


def test_that_the_mark_stays_where_a_person_put_it_until_the_program_waits_for_them(qtbot: QtBot) -> None:
    panel = QuestionPanel()
    qtbot.addWidget(panel)
    seen = (BeliefEntry(c.query.atom, NO, BeliefSource.MODEL, 3, c.model) for c in (OLD, ALSO))
    mine = replace(ALSO, final=ALSO.model)
    state = replace(STATE, phase=Phase.ACTING, cards=(OLD, mine), belief=Belief().with_entries(tuple(seen)))
    panel.display(state)
    panel.show()
    panel.select_relative(1)
    assert panel.focused_card == mine
    newer = replace(card(9, VIEW, True), turn=4)
    later = replace(state, turn=4, cards=(newer,), earlier_cards=(OLD, mine))
    panel.display(later)
    assert panel.asked.card == mine, "it was not moved away from what the person looks at"
    waiting = replace(card(10, VIEW, False), turn=5)
    panel.display(replace(later, turn=5, cards=(waiting,), phase=Phase.REVIEWING, review_count=1))
    assert panel.asked.card == waiting
    assert "just come up" in panel.judge(YES, panel.asked), "the key was meant for the other one"


def test_that_a_doubt_of_this_turn_takes_the_mark_from_one_of_an_earlier_turn(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = QuestionPanel()
    qtbot.addWidget(panel)
    believed = Belief().with_entries((BeliefEntry(OPEN, NO, BeliefSource.MODEL, 3, OLD.model),))
    state = replace(STATE, phase=Phase.ACTING, cards=(OLD,), belief=believed)
    panel.display(state)
    monkeypatch.setattr(card_focus, "HOLD", 0.0)
    sure, doubt = replace(card(9, FULL, True, YES), turn=4), replace(card(10, VIEW, True), turn=5)
    panel.display(replace(state, turn=4, cards=(sure,), earlier_cards=(OLD,)))
    assert panel.focused_card == OLD, "it still counts, and nobody has looked at it yet"
    panel.display(replace(state, turn=5, cards=(doubt,), earlier_cards=(sure, OLD)))
    assert panel.focused_card == doubt


def test_that_an_answer_that_has_only_just_come_is_not_overruled(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(card_focus, "READ", 0.1)
    panel = QuestionPanel()
    qtbot.addWidget(panel)
    panel.display(replace(STATE, phase=Phase.ASKING, cards=(replace(OLD, model=None, final=None),)))
    qtbot.wait(150)
    panel.display(replace(STATE, phase=Phase.ACTING, cards=(OLD,)))
    assert "just come up" in panel.judge(YES, panel.asked)
    qtbot.wait(150)
    assert not panel.judge(YES, panel.asked)
