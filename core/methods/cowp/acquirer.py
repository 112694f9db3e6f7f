"""COWP's knowledge acquirer: suggests ways around a situation, each with the precondition that it needs."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from core.belief import Verdict
from core.domains import DomainSpec
from core.knowledge.apply import apply_changes, change_faults
from core.knowledge.changes import AddObject, AddRepair, AllowSubstitute, Change, Evidence, LearntChange
from core.knowledge.suggestion import SituationReport, Suggestion
from core.knowledge.words import quality, spoken
from core.methods.cowp.conversation import ConversationSetup, Request, Response, TurnContext, YesNoAnswers
from core.methods.cowp.replies import named_thing
from core.open_world.prompts import PURPOSE_ASKED, PromptKind, prompt
from core.planning_model import Step
from core.policy import DomainChangeDecided
from core.stock import StockItem

SuitableItem = tuple[StockItem, tuple[Evidence, ...]]  # with the answers that speak for it
# Suggests one sort of solution after the other; None if none was admitted.
SuggestionRound = Generator[Request, Response, DomainChangeDecided | None]


@dataclass(frozen=True)
class Acquirer:
    """One search for a way around. `forbid` holds what the situation forbids, as predicate `name`."""

    setup: ConversationSetup
    turn: TurnContext
    situation: SituationReport
    answers: YesNoAnswers
    forbid: tuple[LearntChange, ...]
    name: str

    @property
    def about(self) -> str:
        """Return the object that the situation is about, "" for none."""
        return self.situation.objects[0] if self.situation.objects else ""

    @cached_property
    def type(self) -> str:
        return next((o.type for o in self.turn.problem.all_objects if o.name == self.about), "")

    def find_alternative(self) -> Generator[Request, Response, DomainChangeDecided | str]:
        """Suggest ways around, the cheapest to find first.

        Return the decision that was not a refusal of one way only, or why there is no further way.
        """
        if faults := change_faults(self.turn.problem, _changes(self.forbid)):
            return f"What was learnt from {self.situation.sentence!r} cannot be used. {faults[0]}"
        decided = yield from self._suggest(self.forbid)
        if decided is not None:
            return decided
        passed: tuple[SuitableItem, ...] = ()
        doubtful: list[tuple[SuitableItem, ...]] = []
        if self.type and (same := (yield from self._suggest_same_kind())) is not None:
            return same
        if self.type and not self._is_wanted_itself():
            passed = yield from self._substitutes()
            good, *doubtful = yield from self._for_the_goal(passed)
            if (instead := (yield from self._suggest_substitutes(good))) is not None:
                return instead
        if self.type and (mended := (yield from self._suggest_repairs())) is not None:
            return mended
        for some in doubtful:  # better than nothing, but the goal is not claimed with one
            if (instead := (yield from self._suggest_substitutes(some))) is not None:
                return instead
        helped = f", and {len(passed)} of the things at hand did not help" if passed else ""
        said = self.forbid[0].evidence[0]
        doubt = "; the model's reply to the first question was no answer, which is no yes"
        unread = doubt if said.interpretation == Verdict.UNKNOWN.value else ""
        return f"There is no way to {self.setup.purpose} if {self.situation.sentence}{helped}{unread}."

    def _is_wanted_itself(self) -> bool:
        """Return True if a goal that is still to be reached names the failed thing."""
        left = (g for g in self.turn.problem.goal if (g.atom in self.turn.problem.state) != g.positive)
        return any(self.about in goal.args for goal in left)

    def _suggest(self, learnt: tuple[LearntChange, ...]) -> SuggestionRound:
        """Suggest these changes and return the decision; None, nothing being suggested, without a plan."""
        changes = _changes(learnt)
        if change_faults(self.turn.problem, changes):
            return None
        plan = self.setup.plan(apply_changes(self.turn.problem, changes))
        if plan is None:
            return None
        decided = yield Suggestion(self.situation, learnt, plan)
        assert isinstance(decided, DomainChangeDecided), "a suggestion is answered by a decision"
        return decided

    def _suggest_same_kind(self) -> SuggestionRound:
        """Suggest each thing at hand that counts as the failed one's type already."""
        at_hand = Evidence(self.situation.sentence, interpretation="at hand")
        for item in (i for i in self.setup.stock if self.turn.problem.domain.is_a(i.kind, self.type)):
            decided = yield from self._suggest((*self.forbid, LearntChange(_add_object(item), (at_hand,))))
            if decided is not None and decided.accepted:
                return decided
        return None

    def _suggest_substitutes(self, passed: tuple[SuitableItem, ...]) -> SuggestionRound:
        """Suggest one after the other of these things, the most suitable first."""
        while passed:
            best, evidence = yield from self._choose(passed)
            if best is None:
                break
            passed = tuple(p for p in passed if p[0] is not best)
            instead = LearntChange(AllowSubstitute(best.kind, self.type), evidence)
            decided = yield from self._suggest((*self.forbid, instead, LearntChange(_add_object(best))))
            if decided is not None and decided.accepted:
                return decided
        return None

    def _substitutes(self) -> Generator[Request, Response, tuple[SuitableItem, ...]]:
        """Return the things of which every remaining action with the failed thing is suitable."""
        found: list[SuitableItem] = [(item, ()) for item in self._candidates()]
        uses = self._remaining_uses()
        for step in uses:
            asked = [
                prompt(
                    PromptKind.SUBSTITUTE,
                    (step.name, *(item.name if arg == self.about else arg for arg in step.args)),
                    action=_describe_with_substitute(self.setup.domain_spec, step, self.about, item.kind),
                )
                for item, _ in found
            ]
            yield from self.answers.prepare(asked)
            left: list[SuitableItem] = []
            for (item, said), question in zip(found, asked, strict=True):
                verdict, evidence = yield from self.answers.answer(question)
                if verdict is Verdict.YES:
                    left.append((item, (*said, evidence)))
            found = left
        return tuple(found) if uses else ()

    def _for_the_goal(
        self, passed: tuple[SuitableItem, ...]
    ) -> Generator[Request, Response, tuple[tuple[SuitableItem, ...], ...]]:
        """Return these by how often the model says that they do for what the goal is for, most often first:
        each step may be suitable, and what comes of it useless.
        """
        asked = {
            item: [
                prompt(
                    PromptKind.PURPOSE,
                    (item.name, self.about),
                    goal=self.setup.purpose,
                    situation=self.situation.sentence,
                    asked=how,
                    thing=spoken(item.kind),
                    failed=self.setup.domain_spec.display_name(self.about),
                )
                for how in PURPOSE_ASKED
            ]
            for item, _ in passed
        }
        yield from self.answers.prepare(question for some in asked.values() for question in some)
        by_yes: list[list[SuitableItem]] = [[] for _ in range(len(PURPOSE_ASKED) + 1)]
        for item, said in passed:
            yes = 0
            for question in asked[item]:
                verdict, evidence = yield from self.answers.answer(question)
                yes += verdict is Verdict.YES
                said = (*said, evidence)
            by_yes[yes].append((item, said))
        return tuple(map(tuple, reversed(by_yes)))

    def _candidates(self) -> Iterator[StockItem]:
        """Yield the things of the failed one's sort that do not count as it yet, and were not refused."""
        domain, refused = self.turn.problem.domain, self.turn.knowledge.refused
        for item in self.setup.stock:
            known = domain.is_a(item.kind, self.type) or not domain.is_a(self.type, item.sort)
            if not known and AllowSubstitute(item.kind, self.type) not in refused:
                yield item

    def _remaining_uses(self) -> tuple[Step, ...]:
        """Return the remaining steps with the failed thing, one for each wording."""
        skipped = {*self.setup.skips, "find"}
        steps = (s for s in self.turn.steps if self.about in s.args and s.name not in skipped)
        return tuple({self.setup.domain_spec.describe_step(step): step for step in steps}.values())

    def _choose(
        self, passed: tuple[SuitableItem, ...]
    ) -> Generator[Request, Response, tuple[StockItem | None, tuple[Evidence, ...]]]:
        """Return the most suitable of these things; None if the model names none of them, asked twice."""
        if len(passed) == 1:
            return passed[0]
        by_name = {spoken(item.kind): (item, said) for item, said in passed}
        asked = prompt(
            PromptKind.CHOICE,
            things=", ".join(by_name),
            goal=self.setup.purpose,
            situation=self.situation.sentence,
        )
        for attempt in (asked, asked.once_more()):
            reply = str((yield attempt))
            if (best := named_thing(reply, by_name)) is not None:
                item, said = by_name[best]
                return item, (*said, Evidence(self.situation.sentence, attempt.text, reply, best))
        return None, ()

    def _suggest_repairs(self) -> SuggestionRound:
        """Suggest each device that the model says ends the situation, as a new effect of the repair skill."""
        asked = {
            item: prompt(
                PromptKind.REPAIR,
                (self.setup.repair_skill, item.name, self.about),
                device=spoken(item.kind),
                thing=self.setup.domain_spec.display_name(self.about),
                opposite=repaired_quality(self.name),
                situation=self.situation.sentence,
            )
            for item in self._devices()
        }
        yield from self.answers.prepare(asked.values())
        for item, question in asked.items():
            verdict, said = yield from self.answers.answer(question)
            if verdict is not Verdict.YES:
                continue
            changes = (
                *self.forbid,
                LearntChange(self._repair(item), (said,)),
                LearntChange(_add_object(item)),
            )
            if not self.turn.problem.domain.is_a(item.kind, item.sort):
                changes = (LearntChange(AllowSubstitute(item.kind, item.sort)), *changes)
            decided = yield from self._suggest(changes)
            if decided is not None and decided.accepted:
                return decided
        return None

    def _devices(self) -> Iterator[StockItem]:
        """Yield what the repair skill takes beside the failed thing, and was not refused."""
        domain = self.turn.problem.domain
        skill = next((a for a in domain.actions if a.name == self.setup.repair_skill), None)
        if skill is None or not any(domain.is_a(self.type, p.type) for p in skill.parameters):
            return
        sorts = [p.type for p in skill.parameters if not domain.is_a(self.type, p.type)]
        for item in self.setup.stock:
            if item.sort in sorts and self._repair(item) not in self.turn.knowledge.refused:
                yield item

    def _repair(self, item: StockItem) -> AddRepair:
        return AddRepair(self.setup.repair_skill, item.kind, self.name, self.type)


_OPPOSITES = {
    "dirty": "clean", "dusty": "clean", "greasy": "clean", "sticky": "clean", "stained": "clean",
    "full": "empty", "occupied": "empty", "wet": "dry", "cold": "warm", "frozen": "thawed", "hot": "cool",
}  # fmt: skip


def repaired_quality(predicate: str) -> str:
    """Return what a repair brings about: "clean" for `is_dirty`, "not bent" for `is_bent`."""
    words = quality(predicate)
    return _OPPOSITES.get(words) or _OPPOSITES.get(words.split()[0] if words else "") or f"not {words}"


def _describe_with_substitute(domain_spec: DomainSpec, step: Step, about: str, kind: str) -> str:
    """Return the step in words, with another kind of thing in the place of one."""
    names = {**domain_spec.display_names, about: spoken(kind)}
    return replace(domain_spec, display_names=names).describe_step(step)


def _add_object(item: StockItem) -> AddObject:
    return AddObject(item.name, item.kind, item.facts)


def _changes(learnt: Sequence[LearntChange]) -> tuple[Change, ...]:
    return tuple(one.change for one in learnt)
