"""COWP's plan monitor: a conversation about a situation, which the acquirer continues (Algorithm 1).

`inquire` is a generator: it yields prompts and suggestions, and takes replies and decisions. It has no state
besides, so a policy can hold the same conversation again from what was recorded of it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence

from core.belief import Atom, Verdict
from core.knowledge.changes import AddFact, AddPrecondition, Evidence, LearntChange
from core.knowledge.suggestion import SituationReport, Suggestion
from core.methods.cowp.acquirer import Acquirer
from core.methods.cowp.conversation import (
    Conclusion,
    Conversation,
    ConversationSetup,
    PersonQuestion,
    Request,
    Response,
    TurnContext,
    YesNoAnswers,
)
from core.methods.cowp.replies import predicate_in
from core.open_world.prompts import LanguagePrompt, PromptKind, prompt
from core.planning_model import Problem, Step
from core.policy import DomainChangeDecided


def converse(
    setup: ConversationSetup, turn: TurnContext, situations: Sequence[SituationReport]
) -> Conversation:
    """Ask about one situation after the other, until there is no solution or a change was admitted."""
    for situation in situations:
        ended = yield from inquire(setup, turn, situation)
        if ended.no_solution or ended.changed:
            return ended
    return Conclusion()


def inquire(setup: ConversationSetup, turn: TurnContext, situation: SituationReport) -> Conversation:
    """Ask about each remaining action; where one is unsuitable, suggest that with another way."""
    sentence, answers = situation.sentence, YesNoAnswers(situation, setup.lists)
    harmless = set(_guarded(turn, sentence))
    while True:
        found = yield from _first_unsuitable(setup, turn, sentence, answers, harmless)
        if found is None:
            return Conclusion()
        step, said = found
        name, named = yield from _predicate(turn, sentence)
        forbid = _forbidding(turn.problem, step, name, situation.objects, said, named)
        if forbid[0].change in turn.knowledge.refused:
            harmless.add(step.name)
            continue
        decided = yield from Acquirer(setup, turn, situation, answers, forbid, name).find_alternative()
        if isinstance(decided, str):
            return Conclusion(decided)
        if decided.accepted:
            return Conclusion(changed=True)
        harmless.add(step.name)  # refused as a whole: the situation is none for this action


def _guarded(turn: TurnContext, sentence: str) -> Iterator[str]:
    """Yield the actions that a precondition learnt from this situation keeps to where they are suitable.

    One that was learnt in an earlier episode keeps nothing before the situation is a fact of this one.
    """
    facts = {atom.predicate for atom in turn.problem.state}
    for learnt in turn.knowledge.changes:
        so = any(said.situation == sentence for said in learnt.evidence)
        if so and isinstance(learnt.change, AddPrecondition) and learnt.change.predicate in facts:
            yield learnt.change.action


def _first_unsuitable(
    setup: ConversationSetup, turn: TurnContext, sentence: str, answers: YesNoAnswers, harmless: set[str]
) -> Generator[Request, Response, tuple[Step, Evidence] | None]:
    asked = {
        step: prompt(
            PromptKind.MONITOR,
            (step.name, *step.args),
            action=setup.domain_spec.describe_step(step),
            situation=sentence,
        )
        for step in turn.steps
        if step.name not in setup.skips | harmless
    }
    yield from answers.prepare(asked.values())
    for step, question in asked.items():
        verdict, said = yield from answers.answer(question)
        if verdict is not Verdict.YES:
            return step, said
    return None


def _predicate(turn: TurnContext, sentence: str) -> Generator[Request, Response, tuple[str, Evidence]]:
    """Return a legal name for the situation, the sentence's own words if the model gives none."""
    learnt = {
        p.predicate: one for one in turn.knowledge.changes if isinstance(p := one.change, AddPrecondition)
    }
    for name, one in learnt.items():
        if any(said.situation == sentence for said in one.evidence):
            return name, Evidence(sentence, interpretation=f"{name}, as before")
    taken = {p.name for p in turn.problem.domain.predicates} - learnt.keys()
    asked = prompt(PromptKind.PREDICATE, situation=sentence)
    for attempt in (asked, asked.once_more()):
        reply = str((yield attempt))
        name = predicate_in(reply)
        if name and name not in taken:
            return name, Evidence(sentence, attempt.text, reply, name)
    own = predicate_in(sentence.replace(" ", "_")) or "is_unusual"
    return own, Evidence(sentence, attempt.text, reply, f"no name; {own} instead")


def _forbidding(
    problem: Problem, step: Step, name: str, objects: tuple[str, ...], said: Evidence, named: Evidence
) -> tuple[LearntChange, ...]:
    """Return the new precondition, and the fact, about the situation's object if the action takes it."""
    domain, action = problem.domain, problem.domain.action(step.name)
    types = {o.name: o.type for o in problem.all_objects}
    about = next((o for o in objects if o in step.args), "")
    if not about:
        fits = (o for o in objects if any(domain.is_a(types[o], p.type) for p in action.parameters))
        about = next(fits, "")
    forbid = AddPrecondition(step.name, name, (types[about],) if about else ())
    fact = AddFact(Atom(name, (about,) if about else ()))
    return LearntChange(forbid, (said, named)), LearntChange(fact, (named,))


def resume(
    setup: ConversationSetup,
    turn: TurnContext,
    situations: Sequence[SituationReport],
    replies: Mapping[str, str],
    refusals: Sequence[DomainChangeDecided],
    verdicts: Mapping[str, Verdict] | None,
) -> Request | Conclusion:
    """Return the next request after these replies (by prompt) and refusals, or the conclusion.

    `verdicts` are a person's, by question; None if there is no person to ask.
    """
    refused = {d.suggestion.changes: d for d in refusals if d.suggestion is not None}
    conversation = converse(setup, turn, situations)
    try:
        pending = next(conversation)
        while True:
            response: Response | None
            match pending:
                case LanguagePrompt(_, text):
                    response = replies.get(text)
                case PersonQuestion(text):
                    response = Verdict.UNKNOWN if verdicts is None else verdicts.get(text)
                case Suggestion(_, changes):
                    response = refused.get(changes)
            if response is None:
                return pending
            pending = conversation.send(response)
    except StopIteration as ended:
        conclusion: Conclusion = ended.value
        return conclusion
