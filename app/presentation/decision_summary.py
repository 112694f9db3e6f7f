"""Compute the sections of the decision bar: the next action, its reason, and doubts. Pure."""

from __future__ import annotations

from app.presentation.because import because_section
from app.presentation.decision_section import (
    DecisionSection,
    DecisionSummary,
    suspicious,
    to_judge,
)
from app.presentation.formatting import (
    SLOW,
    StatusText,
    age,
    duration,
    help_head,
    lacks_answers,
    not_understood,
    pending_cards,
    rows_ahead,
    silent_seconds,
    verdict_change,
    verdict_text,
    waits_for_person,
    worth_text,
)
from app.presentation.suggestions import change_face, plan_effect, waiting_suggestion
from core.arm.arm_capabilities import PreflightCheck
from core.belief import Atom, Contradiction, Verdict
from core.episode_state import EpisodeState, Phase, PlanRowState, QuestionCard
from core.events import EpisodeResult
from core.operator import PlanChange
from core.policy import same_plan
from core.state.causes import capitalised, is_confirmed, unbelieved
from core.supervision import SupervisionLevel
from core.text.plural import plural
from core.text.vocabulary import Vocabulary


def decision_summary(
    state: EpisodeState,
    vocabulary: Vocabulary,
    breakpoints: frozenset[str] = frozenset(),
    wrong: tuple[PreflightCheck, ...] = (),
    focused_question: QuestionCard | None = None,
) -> DecisionSummary:
    """Return the sections. `wrong` are an arm's failed preflight checks, shown while a stop is in force;
    `focused_question` is the card that a person's keys answer."""
    return DecisionSummary(
        _next_section(state, vocabulary, breakpoints, focused_question),
        because_section(state, vocabulary, focused_question),
        _doubt_section(state, vocabulary, wrong),
    )


def status_text(state: EpisodeState, vocabulary: Vocabulary) -> StatusText:
    """Return in one line what the strip says first, for where the strip is covered."""
    shown, mine = _next_section(state, vocabulary, frozenset(), None), waits_for_person(state)
    icon, level = "person" if mine else shown.icon, shown.level
    if any(card.error for card in pending_cards(state)):
        icon = level = "fault"
    elif state.phase is Phase.HELP_NEEDED:
        icon, level = "diamond", "doubt"
    elif state.phase is Phase.ENDED:
        icon, level = _ending_look(state)
    words = f"{capitalised(shown.word.lower())}: {shown.head}"
    words = ", ".join((words, *shown.lines[:1])) if shown.level else words
    return StatusText(words if words.endswith("?") else f"{words}.", icon, level, mine)


def _ending_look(state: EpisodeState) -> tuple[str, str]:
    ended = state.ended
    if ended is None or ended.result is EpisodeResult.CRASHED:
        return "fault", "fault"
    confirmed = is_confirmed(state.belief, state.started.goal if state.started else ())
    doubtful = ended.believed_goal and not (confirmed if ended.true_goal is None else ended.true_goal)
    return ("diamond", "doubt") if doubtful else ("flag", "")


# --- NEXT ---------------------------------------------------------------------------------------------


def _next_section(
    state: EpisodeState,
    vocabulary: Vocabulary,
    breakpoints: frozenset[str],
    focused_question: QuestionCard | None,
) -> DecisionSection:
    waited = f"WAITING {age(state.now - state.since).upper()}"
    plan = f"plan {state.plan_count}" if state.plan_count else ""
    match state.phase:
        case Phase.WAITING if suggestion := waiting_suggestion(state):
            changes = suggestion.changes
            lasting = [change_face(c, vocabulary).text for c in changes if c.change.lasting]
            head = f"{plural(len(changes), 'change')} to the domain"
            brief = len(changes) - len(lasting)
            listed = "; ".join((*lasting, *((f"{brief} for this episode only",) if brief else ())))
            return DecisionSection(f"CHANGE THE DOMAIN?  ·  {waited}", head, (listed,), icon="page")
        case Phase.WAITING if state.proposal and state.proposal.step:
            where = _where(state, PlanRowState.NEXT)
            then = _then(state, vocabulary, breakpoints, skip=1)
            word = f"NEXT, IF YOU APPROVE  ·  {waited}"
            if state.proposal.failing:
                word = f"NEEDS YOU  ·  {waited}"
                then = "approve it to try once more"
            if state.paused:
                word = f"PAUSED  ·  {waited}"
            return DecisionSection(word, vocabulary.describe_in_full(state.proposal.step), (then, where))
        case Phase.ACTING if state.acting:
            word = f"NOW  ·  {duration(state.now - state.acting_since).upper()}"
            lines = (_then(state, vocabulary, breakpoints), _where(state, PlanRowState.RUNNING))
            return DecisionSection(word, vocabulary.describe_in_full(state.acting), lines, icon="play")
        case Phase.REVIEWING if cards := pending_cards(state):
            card = focused_question or cards[0]
            if not card.pending:
                return _correct_section(cards, card, f"CORRECT  ·  {waited}")
            return _review_section(state, cards, card, f"REVIEW  ·  {waited}")
        case Phase.OFFERED if state.offered_change:
            offer = state.offered_change
            new = offer.new_plan.steps
            first = f"starts with “{vocabulary.describe_in_full(new[0])}”" if new else ""
            head = f"Plan {state.plan_count + 1} is on offer"  # no question that yes or no could answer
            said = (_offer_size(offer), first, _kept_step(state, vocabulary))
            return DecisionSection(f"REVIEW  ·  {waited}", head, said, icon="replan")
        case Phase.HELP_NEEDED:
            undo = "Undo your correction or correct" if state.undo_count else "Correct"
            lines = (f"{undo} the belief,", "choose a step, or end the episode")
            if lacks_answers(state):
                lines = ("Re-plan to ask it once more, correct", "the belief yourself, or end the episode")
            elif not_understood(state):
                lines = ("Tell it in other words (D),", "or re-plan to go on without it")
            return DecisionSection(f"NEEDS YOU  ·  {waited}", help_head(state), lines, icon="pause")
        case Phase.STOPPED:
            lines = ("Hold to resume: what the step affects is asked again", "or end the episode")
            return DecisionSection("NOW", "stopped", lines, icon="pause")
        case Phase.ENDED:
            c = state.counts
            counted = ((c.steps, "step"), (c.questions, "question"), (c.replans, "re-plan"))
            figures = ", ".join(plural(n, thing) for n, thing in counted)
            stops = plural(c.stops, "stop") if c.stops else ""
            mine = f"{plural(c.overrides, 'override')} by you" if c.overrides else ""
            yours = ", ".join(filter(None, (mine, stops, f"{age(state.now)} in all")))
            return DecisionSection("ENDED", _ended_head(state), (figures, yours), icon="flag")
    busy = {
        Phase.LOOKING: ("looking", "camera") if state.turn else ("making the first plan", "list"),
        Phase.ASKING: ("asking the model", "eye"),
        Phase.REVIEWING: ("reading the answers", "eye"),
        Phase.PLANNING: ("planning", "list"),
    }
    head, icon = busy.get(state.phase, (state.phase.value, "play"))
    questions = sum(c.model is None for c in state.cards)
    about = f"{plural(questions, 'question')} on one picture" if state.phase is Phase.ASKING else ""
    if state.phase is Phase.PLANNING and state.known_length:
        about = f"a plan of {plural(state.known_length, 'step')}; looking for a better one"
    if (silent := silent_seconds(state)) > SLOW:
        head, lines = "waiting for the model", (f"no answer for {age(silent)}", "Esc stops waiting")
        return DecisionSection("NOW", head, lines, "doubt", icon)
    return DecisionSection("NOW", head, (about or _then(state, vocabulary, breakpoints), plan), icon=icon)


def _ended_head(state: EpisodeState) -> str:
    """Return whether the goal is reached: as the simulator knows, or else as far as is believed."""
    ended = state.ended
    if ended is None or not ended.believed_goal:
        return "ended" if ended and ended.true_goal else "goal not reached"
    if ended.true_goal is not None:
        return "goal reached" if ended.true_goal else "goal not reached"
    seen = state.started is not None and is_confirmed(state.belief, state.started.goal)
    return "goal believed" if seen else "goal not confirmed"


def _offer_size(offer: PlanChange) -> str:
    """Return how the plans differ in length, in words where they do not."""
    new = plural(len(offer.new_plan.steps), "step")
    if same_plan(offer.old_steps, offer.new_plan):
        return f"the same {new}, planned again"
    return offer.size if offer.old_steps else f"{new}; no step of the old plan is left"


def _kept_step(state: EpisodeState, vocabulary: Vocabulary) -> str:
    """Return what to expect of the old plan: whether its next step can be done, as far as is believed."""
    ahead = rows_ahead(state)
    if not ahead:
        return ""
    step = ahead[0].step
    missing = unbelieved(state.belief, vocabulary.preconditions(step))
    can = f"needs that {vocabulary.describe_literal(missing[0])}" if missing else "can still be done"
    return f"plan {state.plan_count}: “{vocabulary.describe_step(step)}” {can}"


def _where(state: EpisodeState, row: PlanRowState) -> str:
    """Return the number of the step in this state, and of the plan."""
    number = next((ln.number for ln in state.plan_rows if ln.state is row), 0)
    plan = f"plan {state.plan_count}" if state.plan_count else ""
    return " · ".join(filter(None, (f"step {number}" if number else "", plan)))


def _review_section(
    state: EpisodeState, cards: tuple[QuestionCard, ...], card: QuestionCard, word: str
) -> DecisionSection:
    """Return the question that the keys answer, what the model said to it, and what becomes of the others."""
    said = "Your answer counts, nobody else's"
    if state.supervision.ask is not SupervisionLevel.MANUAL and card.model and not card.model.is_unasked:
        expected = card.query.text_verdict(card.query.expected)
        differs = suspicious(card) and expected is not Verdict.UNKNOWN
        said = f"Model says {verdict_text(card.query.text_verdict(card.model.verdict))}"
        said = "No answer from the model" if card.error else said
        said += f", expected {expected.value}" if differs else ""
    left = len(to_judge(cards)) - 1 if card in to_judge(cards) else len(to_judge(cards))
    others = len(cards) - len(to_judge(cards))
    rest = f"{plural(left, 'more question')} to answer" if left else "not applied until you answer"
    if others and not left:
        rest = f"the other {others} answers stay as they are"
        rest = "the other answer stays as it is" if others == 1 else rest
    if card.query.decides:
        rest = "; ".join(filter(None, (worth_text(card.query.worth), card.query.decides)))
    if card.error:
        rest = "answer yourself, or end the episode and set up another answerer"
    return DecisionSection(word, card.query.text, (said, rest), icon="eye")


def _correct_section(cards: tuple[QuestionCard, ...], card: QuestionCard, word: str) -> DecisionSection:
    """Return the earlier question that a person chose, while other answers wait."""
    counts = card.query.text_verdict(card.final.verdict) if card.final else Verdict.UNKNOWN
    lines = (f"turn {card.turn}, counts: {verdict_text(counts)}", f"{plural(len(cards), 'answer')} waiting")
    return DecisionSection(word, card.query.text, lines, icon="eye")


def _then(state: EpisodeState, vocabulary: Vocabulary, breakpoints: frozenset[str], skip: int = 0) -> str:
    """Return the next few steps, up to a breakpoint."""
    words = []
    for line in rows_ahead(state)[skip : skip + 3]:
        held = line.step.name in breakpoints or str(line.step) in breakpoints
        words.append(vocabulary.describe_step(line.step) + (" (stops there: breakpoint)" if held else ""))
        if held:
            break
    return f"then {', '.join(words)}" if words else "then the goal is checked"


# --- DOUBT --------------------------------------------------------------------------------------------

STOPPED = PreflightCheck("stop", False, "it was stopped", "the episode begins stopped; hold Resume then")


def describe_failed_checks(wrong: tuple[PreflightCheck, ...], word: str, *more: str) -> DecisionSection:
    """Return the number of failed checks of an arm, and the first one with its remedy."""
    head = "A stop is in force" if wrong[0] is STOPPED else f"{plural(len(wrong), 'check')} not ready"
    return DecisionSection(word, head, (wrong[0].sentence, *more), "doubt")


def _doubt_section(
    state: EpisodeState, vocabulary: Vocabulary, wrong: tuple[PreflightCheck, ...]
) -> DecisionSection:
    word = "DOUBT"
    if wrong and state.phase is Phase.STOPPED:
        again = len(state.belief.uncertain_atoms)  # they are named in the belief
        return describe_failed_checks(
            wrong, word, f"{plural(again, 'fact')} asked again first" if again else ""
        )
    if waiting_suggestion(state):
        effect = plan_effect(state, vocabulary, named=2)
        head, _, rest = effect.partition(": ")
        return DecisionSection("IF YOU ACCEPT", head, (capitalised(rest),))
    ended = state.ended
    if ended:
        if ended.true_goal is None:
            return DecisionSection(word, "Not verified", ("this robot has no ground truth to compare with",))
        if ended.true_goal:
            return DecisionSection(word, "Confirmed by the simulator")
        missing = ", ".join(vocabulary.describe_literal(a) for a in ended.missing)
        head = "The simulator disagrees" if ended.believed_goal else "Goal not reached"
        return DecisionSection(word, head, (f"missing: {missing}",), "doubt" if ended.believed_goal else "")
    if state.phase is Phase.HELP_NEEDED and state.corrections:
        last = state.corrections[-1][-1]
        said = f"you say: {vocabulary.describe_answer(last)}"
        return DecisionSection(word, "Is the belief right?", (said,))
    if state.contradictions:
        first = state.contradictions[0]
        more = len(state.contradictions) - 1
        rest = f"and {plural(more, 'more contradiction')}" if more else _skipped(state, vocabulary)
        head, line = _contradiction_text(state, vocabulary, first)
        return DecisionSection(word, head, (line, rest), "doubt")
    suspects = [c for c in pending_cards(state) if suspicious(c)]
    if suspects:
        lines = tuple(f"“{card.query.text}”" for card in suspects[:2])
        return DecisionSection(word, f"{plural(len(suspects), 'answer')} in doubt", lines, "doubt")
    doubtful = state.belief.uncertain_atoms
    if doubtful:
        n = plural(len(doubtful), "atom")
        about = f"asked again first: {_facts(vocabulary, state, doubtful)}"
        return DecisionSection(word, f"Halted step: {n} uncertain", (about,), "doubt")
    skipped = _skipped(state, vocabulary)
    return DecisionSection(word, "No doubts about this step", (skipped,) if skipped else ())


def _contradiction_text(
    state: EpisodeState, vocabulary: Vocabulary, contradiction: Contradiction
) -> tuple[str, str]:
    """Return the expected and the given answer, or the atoms that exclude each other and why."""
    change = verdict_change(contradiction.reason)
    if change is None or len(contradiction.atoms) != 1:
        head = _facts(vocabulary, state, contradiction.atoms)
        return f"{capitalised(head)}?", capitalised(contradiction.reason)
    atom, (held, now) = contradiction.atoms[0], change
    expected, answered = (vocabulary.describe_literal(atom, verdict == "yes") for verdict in (held, now))
    return f"Expected: {expected}", f"answered: {answered}"


def _skipped(state: EpisodeState, vocabulary: Vocabulary) -> str:
    skipped = [c.query.atom for c in state.cards if c.final and c.final.verdict is Verdict.UNKNOWN]
    return f"unknown, old value kept: {_facts(vocabulary, state, tuple(skipped))}" if skipped else ""


def _facts(vocabulary: Vocabulary, state: EpisodeState, atoms: tuple[Atom, ...]) -> str:
    """Return these atoms as they are believed now, as text."""
    said = [vocabulary.describe_literal(a, state.belief.verdict(a) is not Verdict.NO) for a in atoms[:3]]
    return ", ".join(said) + (f" and {len(atoms) - 3} more" if len(atoms) > 3 else "")
