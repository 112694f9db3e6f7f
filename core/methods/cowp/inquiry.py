"""COWP's plan monitor and knowledge acquirer as one conversation about a situation (the paper's Algorithm 1).

`inquire` is a generator: it yields prompts and suggestions, and takes replies and decisions. It has no state
besides, so a policy can hold the same conversation again from what was recorded of it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace

from core.belief import Atom, Verdict
from core.domains import DomainSpec
from core.knowledge.apply import apply_changes
from core.knowledge.changes import (
    AddFact,
    AddObject,
    AddPrecondition,
    AddRepair,
    AllowSubstitute,
    Change,
    Evidence,
    Knowledge,
    LearntChange,
    quality,
    spoken,
)
from core.knowledge.faults import change_faults
from core.knowledge.suggestion import SituationReport, Suggestion
from core.methods.cowp.replies import named_thing, predicate_in, yes_or_no
from core.open_world.prompts import Prompt, Purpose, prompt
from core.planning_model import Problem, Step
from core.policy import DomainChangeDecided
from core.ports import StockItem

PlanOf = Callable[[Problem], tuple[Step, ...] | None]  # None: there is none


@dataclass(frozen=True)
class Concluded:
    """How a conversation ended: `no_solution` says in a sentence why there is no plan; without, it stands.

    `changed`: a change was admitted, so that there is a new plan to ask about.
    """

    no_solution: str = ""
    changed: bool = False


@dataclass(frozen=True)
class Household:
    """What a conversation is held with: words, things at hand, and a planner."""

    folder: DomainSpec
    stock: tuple[StockItem, ...]
    plan: PlanOf
    purpose: str  # of the task, in words
    skips: frozenset[str]  # actions that the monitor does not ask about
    repair_skill: str = ""


@dataclass(frozen=True)
class Moment:
    """The problem from now on, the remaining plan, and what was learnt and refused so far."""

    problem: Problem
    steps: tuple[Step, ...]
    knowledge: Knowledge


Wanted = Prompt | Suggestion
Heard = str | DomainChangeDecided
Conversation = Generator[Wanted, Heard, Concluded]


def converse(house: Household, now: Moment, situations: Sequence[SituationReport]) -> Conversation:
    """Ask about one situation after the other, until there is no solution or a change was admitted."""
    for situation in situations:
        ended = yield from inquire(house, now, situation)
        if ended.no_solution or ended.changed:
            return ended
    return Concluded()


def inquire(house: Household, now: Moment, situation: SituationReport) -> Conversation:
    """Ask about each remaining action; where one is unsuitable, suggest that with another way."""
    sentence, heard = situation.sentence, dict[str, tuple[Verdict, Evidence]]()
    harmless = set(_guarded(now.knowledge, sentence))
    while True:
        found = yield from _first_unsuitable(house, now, sentence, heard, harmless)
        if found is None:
            return Concluded()
        step, said = found
        name, named = yield from _predicate(now, sentence)
        forbid = _forbidding(now.problem, step, name, situation.objects, said, named)
        if forbid[0].change in now.knowledge.refused:
            harmless.add(step.name)
            continue
        decided = yield from _another_way(house, now, situation, forbid, name)
        if isinstance(decided, str):
            return Concluded(decided)
        if decided.accepted:
            return Concluded(changed=True)
        harmless.add(step.name)  # refused as a whole: the situation is none for this action


def _guarded(knowledge: Knowledge, sentence: str) -> Iterator[str]:
    """Yield the actions that a precondition learnt from this situation keeps to where they are suitable."""
    for learnt in knowledge.changes:
        so = any(said.situation == sentence for said in learnt.evidence)
        if so and isinstance(learnt.change, AddPrecondition):
            yield learnt.change.action


def _first_unsuitable(
    house: Household,
    now: Moment,
    sentence: str,
    heard: dict[str, tuple[Verdict, Evidence]],
    harmless: set[str],
) -> Generator[Wanted, Heard, tuple[Step, Evidence] | None]:
    for step in now.steps:
        words = house.folder.describe_step(step)
        if step.name in house.skips or step.name in harmless:
            continue
        if words not in heard:
            asked = prompt(Purpose.MONITOR, action=words, situation=sentence)
            heard[words] = yield from _yes_or_no(asked, sentence)
        verdict, said = heard[words]
        if verdict is not Verdict.YES:
            return step, said
    return None


def _yes_or_no(asked: Prompt, sentence: str) -> Generator[Wanted, Heard, tuple[Verdict, Evidence]]:
    """Return a yes or no with its evidence; what cannot be read is asked once more, and then is no yes."""
    reply = yield asked
    verdict = yes_or_no(str(reply))
    if verdict is Verdict.UNKNOWN:
        asked = asked.once_more()
        reply = yield asked
        verdict = yes_or_no(str(reply))
    return verdict, Evidence(sentence, asked.text, str(reply), verdict.value)


def _predicate(now: Moment, sentence: str) -> Generator[Wanted, Heard, tuple[str, Evidence]]:
    """Return a legal name for the situation, the sentence's own words if the model gives none."""
    learnt = {
        p.predicate: one for one in now.knowledge.changes if isinstance(p := one.change, AddPrecondition)
    }
    for name, one in learnt.items():
        if any(said.situation == sentence for said in one.evidence):
            return name, Evidence(sentence, interpretation=f"{name}, as before")
    taken = {p.name for p in now.problem.domain.predicates} - learnt.keys()
    asked = prompt(Purpose.PREDICATE, situation=sentence)
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


def _another_way(
    house: Household,
    now: Moment,
    situation: SituationReport,
    forbid: tuple[LearntChange, ...],
    name: str,
) -> Generator[Wanted, Heard, DomainChangeDecided | str]:
    """Suggest the precondition with a way around it, the cheapest to find first.

    Return the decision that was not a refusal of one way only, or why there is no further way.
    """
    if faults := change_faults(now.problem, _changes(forbid)):
        return f"What was learnt from {situation.sentence!r} cannot be used. {faults[0]}"
    decided = yield from _offered(house, now, situation, forbid)
    if decided is not None:
        return decided
    about = situation.objects[0] if situation.objects else ""
    type = next((o.type for o in now.problem.all_objects if o.name == about), "")
    asked = 0
    if type and not any(about in g.args for g in now.problem.goal):
        at_hand = Evidence(situation.sentence, interpretation="at hand")
        for item in (i for i in house.stock if now.problem.domain.is_a(i.kind, type)):
            changes = (*forbid, LearntChange(_seen(item), (at_hand,)))
            decided = yield from _offered(house, now, situation, changes)
            if decided is not None and decided.accepted:
                return decided
        passed = yield from _substitutes(house, now, situation.sentence, about, type)
        asked = len(passed)
        while passed:
            best, evidence = yield from _chosen(house, situation.sentence, passed)
            if best is None:
                break
            passed = tuple(p for p in passed if p[0] is not best)
            instead = LearntChange(AllowSubstitute(best.kind, type), evidence)
            changes = (*forbid, instead, LearntChange(_seen(best)))
            decided = yield from _offered(house, now, situation, changes)
            if decided is not None and decided.accepted:
                return decided
    if type:
        for_repair = _repairs(house, now, situation, forbid, about, type, name)
        if (mended := (yield from for_repair)) is not None:
            return mended
    more_words = f", and {asked} of the things at hand did not help" if asked else ""
    return f"There is no way to {house.purpose} if {situation.sentence}{more_words}."


def _offered(
    house: Household, now: Moment, situation: SituationReport, learnt: tuple[LearntChange, ...]
) -> Generator[Wanted, Heard, DomainChangeDecided | None]:
    """Suggest these changes and return the decision; None, and nothing suggested, if they help nothing."""
    changes = _changes(learnt)
    if change_faults(now.problem, changes):
        return None
    plan = house.plan(apply_changes(now.problem, changes))
    if plan is None:
        return None
    decided = yield Suggestion(situation, learnt, plan)
    assert isinstance(decided, DomainChangeDecided), "a suggestion is answered by a decision"
    return decided


def _substitutes(
    house: Household, now: Moment, sentence: str, about: str, type: str
) -> Generator[Wanted, Heard, tuple[tuple[StockItem, tuple[Evidence, ...]], ...]]:
    """Return the things of which every remaining action with the failed thing is suitable."""
    domain, refused = now.problem.domain, now.knowledge.refused
    uses = [s for s in now.steps if about in s.args and s.name not in house.skips and s.name != "find"]
    found = []
    for item in house.stock:
        known = domain.is_a(item.kind, type) or not domain.is_a(type, item.sort)
        if known or AllowSubstitute(item.kind, type) in refused:
            continue
        said = []
        for words in dict.fromkeys(_with_instead(house.folder, step, about, item.kind) for step in uses):
            verdict, evidence = yield from _yes_or_no(prompt(Purpose.SUBSTITUTE, action=words), sentence)
            said.append(evidence)
            if verdict is not Verdict.YES:
                break
        else:
            if said:
                found.append((item, tuple(said)))
    return tuple(found)


def _chosen(
    house: Household, sentence: str, passed: tuple[tuple[StockItem, tuple[Evidence, ...]], ...]
) -> Generator[Wanted, Heard, tuple[StockItem | None, tuple[Evidence, ...]]]:
    """Return the most suitable of these things; None if the model names none of them, asked twice."""
    if len(passed) == 1:
        return passed[0]
    by_name = {spoken(item.kind): (item, said) for item, said in passed}
    asked = prompt(Purpose.CHOICE, things=", ".join(by_name), goal=house.purpose, situation=sentence)
    for attempt in (asked, asked.once_more()):
        reply = str((yield attempt))
        if (best := named_thing(reply, by_name)) is not None:
            item, said = by_name[best]
            return item, (*said, Evidence(sentence, attempt.text, reply, best))
    return None, ()


def _repairs(
    house: Household,
    now: Moment,
    situation: SituationReport,
    forbid: tuple[LearntChange, ...],
    about: str,
    type: str,
    name: str,
) -> Generator[Wanted, Heard, DomainChangeDecided | None]:
    """Suggest each device that the model says ends the situation, as a new effect of the repair skill."""
    domain = now.problem.domain
    skill = next((a for a in domain.actions if a.name == house.repair_skill), None)
    takes = skill is not None and any(domain.is_a(type, p.type) for p in skill.parameters)
    sorts = [p.type for p in skill.parameters if not domain.is_a(type, p.type)] if skill and takes else []
    for item in (i for i in house.stock if skill and i.sort in sorts):
        repair = AddRepair(house.repair_skill, item.kind, name, type)
        if repair in now.knowledge.refused:
            continue
        words = {"device": spoken(item.kind), "thing": house.folder.display_name(about)}
        asked = prompt(Purpose.REPAIR, **words, opposite=opposite(name), situation=situation.sentence)
        verdict, said = yield from _yes_or_no(asked, situation.sentence)
        if verdict is not Verdict.YES:
            continue
        changes = (*forbid, LearntChange(repair, (said,)), LearntChange(_seen(item)))
        if not domain.is_a(item.kind, item.sort):
            changes = (LearntChange(AllowSubstitute(item.kind, item.sort)), *changes)
        decided = yield from _offered(house, now, situation, changes)
        if decided is not None and decided.accepted:
            return decided
    return None


_OPPOSITES = {
    "dirty": "clean", "dusty": "clean", "greasy": "clean", "sticky": "clean", "stained": "clean",
    "full": "empty", "occupied": "empty", "wet": "dry", "cold": "warm", "frozen": "thawed", "hot": "cool",
}  # fmt: skip


def opposite(predicate: str) -> str:
    """Return what a repair brings about: "clean" for `is_dirty`, "not bent" for `is_bent`."""
    words = quality(predicate)
    return _OPPOSITES.get(words) or _OPPOSITES.get(words.split()[0] if words else "") or f"not {words}"


def _with_instead(folder: DomainSpec, step: Step, about: str, kind: str) -> str:
    """Return the step in words, with another kind of thing in the place of one."""
    names = {**folder.display_names, about: spoken(kind)}
    return replace(folder, display_names=names).describe_step(step)


def _seen(item: StockItem) -> AddObject:
    return AddObject(item.name, item.kind, item.facts)


def _changes(learnt: Sequence[LearntChange]) -> tuple[Change, ...]:
    return tuple(one.change for one in learnt)
