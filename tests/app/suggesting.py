"""A method that takes situations: told of the mug, it suggests to forbid it, with a bowl in its place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import main
from core.belief import Atom, Belief, BeliefEntry, BeliefSource, Verdict
from core.config import EpisodeComponents, Settings, ignore
from core.knowledge.apply import apply_changes, new_facts
from core.knowledge.changes import (
    AddFact,
    AddObject,
    AddPrecondition,
    AllowSubstitute,
    Evidence,
    LearntChange,
)
from core.knowledge.suggestion import SituationReport, Suggestion
from core.methods.dkprompt import DKPrompt
from core.planning.pddl.writer import write_domain
from core.planning.planner import make_planner
from core.policy import Action, ChangeDomain, Context, DomainChangeDecided, GotSituation, Observation
from core.reason import Cause, Reason
from core.stock import StockItem
from core.stop_token import StopToken
from core.supervision import WATCH, SupervisionLevels
from robots.symbolic.robot import SymbolicRobot

DIRTY, USELESS = "the mug is dirty", "the moon is full"
PLACE = (Atom("inroom", ("bowl_1", "kitchen_1")), Atom("ontop", ("bowl_1", "floor-n-01_1")))
JAR = (Atom("inroom", ("jar_1", "kitchen_1")), Atom("ontop", ("jar_1", "floor-n-01_1")))
STOCK = (
    StockItem("bowl_1", "bowl", facts=PLACE),
    StockItem("jar_1", "jar", facts=JAR),
)
FORBID = AddPrecondition("fill", "is_dirty", ("movable",))
FACT = AddFact(Atom("is_dirty", ("mug-n-04_1",)))
BOWL, A_BOWL = AllowSubstitute("bowl", "mug"), AddObject("bowl_1", "bowl", PLACE)
ASKED = Evidence(
    DIRTY,
    "Is it suitable for a robot to fill the mug with water, if the mug is dirty?",
    "No, it is not suitable for a robot to fill the mug if the mug is dirty.\nIt should be washed first.",
    "no",
    "a model",
)
CHOSEN = Evidence(
    DIRTY,
    "Which is the most suitable to boil water in, if the mug is dirty: the bowl, the jar or the sponge?",
    "The bowl.",
    "bowl",
    "a model",
)
LEARNT = tuple(
    LearntChange(change, (evidence,) if evidence else ())
    for change, evidence in ((FORBID, ASKED), (FACT, None), (BOWL, CHOSEN), (A_BOWL, CHOSEN))
)


class Suggesting(DKPrompt):
    name = "suggesting"

    def act(self, context: Context) -> Action:
        told = [seen for seen in context.history if isinstance(seen, GotSituation | DomainChangeDecided)]
        if not told or not isinstance(told[-1], GotSituation) or context.knowledge.refused:
            return super().act(context)
        changes = tuple(learnt.change for learnt in LEARNT)
        problem = apply_changes(context.problem, changes)
        facts = new_facts(context.problem, problem)
        believed = problem.with_state(context.belief.state | set(facts))
        plan = make_planner().plan(believed, StopToken())
        difference = "; ".join(change.describe() for change in changes)
        suggestion = Suggestion(told[-1].situation, LEARNT, plan.steps)
        pddl = write_domain(problem.domain)
        return ChangeDomain(problem, difference, pddl, Reason(Cause.OTHER), suggestion)

    def update(self, context: Context, observation: Observation) -> Belief:
        if not isinstance(observation, DomainChangeDecided):
            return super().update(context, observation)
        facts = new_facts(context.problem, observation.problem)
        entries = [BeliefEntry(a, Verdict.YES, BeliefSource.OPERATOR, since=context.turn) for a in facts]
        return context.belief.with_entries(entries)

    def read_situation(self, context: Context, sentence: str, by: str) -> SituationReport:
        if "mug" not in sentence:
            fault = f"“{sentence}” names nothing that the robot knows: name a thing of this episode."
            return SituationReport(sentence, by=by, fault=fault)
        return SituationReport(sentence, ("mug-n-04_1",), by)


class WithStock(SymbolicRobot):
    def stock(self) -> tuple[StockItem, ...]:
        return STOCK


def make(
    settings: Settings, notify: Callable[[str], None] = ignore, supervision: SupervisionLevels = WATCH
) -> EpisodeComponents:
    parts = main.make_components(settings, notify)
    if isinstance(parts.robot, SymbolicRobot):
        parts.robot.__class__ = WithStock
    return replace(parts, method=Suggesting(parts.domain_spec, parts.task.problem))
