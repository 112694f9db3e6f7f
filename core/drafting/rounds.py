"""Draft a domain in rounds: ask, screen, score, then repair or ask for corrections.

The paper's pipeline is the method `vlmfp`: five regenerations, four rounds, EW within 1e-6 and a valid plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from string import Template

from pydantic import RootModel

from core.data_file import load_toml
from core.drafting.repair import repair
from core.drafting.replies import BadReply, DomainParts, find_pddl, read_plan
from core.drafting.score import Score, Walks
from core.drafting.screening import Screened, screen
from core.drafting.simulator import Simulator
from core.drafting.steps import DraftSteps, Walk
from core.drafting.world import Game, World
from core.install_paths import resource_path
from core.planning.pddl.writer import write_domain, write_problem
from core.planning_model import Domain, Problem

REGENERATIONS, ROUNDS, REPAIR_LIMIT = 5, 4, 3_000
EXAMPLE = 999  # the seed of the map that is shown with its plan
WITHOUT_FEEDBACK = "The files do not agree with the scenario."
UNREAD = "The planner cannot read the files."  # all that is told without screening
Ask = Callable[[str, str], str]  # what for, and the prompt; raises ConsoleError
MakePlan = Callable[[Problem], "Walk | None"]  # in words; None: there is none


@dataclass(frozen=True)
class Method:
    """`repairs`: edits found by search take the place of a model's corrections, as far as they go.

    `plans`: a model is asked for a plan from the picture, and for no files.
    """

    name: str
    screening: bool = True
    rounds: int = ROUNDS
    feedback: bool = True
    repairs: bool = False
    plans: bool = False


METHODS: Mapping[str, Method] = {
    method.name: method
    for method in (
        Method("ours", repairs=True),
        Method("vlmfp"),
        Method("no-feedback", feedback=False),
        Method("no-prescreening", screening=False),
        Method("codepddl", rounds=0),
        Method("direct", plans=True),
        Method("cot", plans=True),
    )
}


@dataclass(frozen=True)
class Version:
    """One version of a draft. `problem` is None if it cannot be read; `plan` if there is none."""

    number: int
    domain_text: str
    problem_text: str
    faults: tuple[str, ...]
    problem: Problem | None = None
    score: Score | None = None
    plan: Walk | None = None
    valid: bool = False  # the plan reaches the goal, as the simulator says
    repairs: tuple[str, ...] = ()
    compared: str = ""  # with the world, state by state

    @property
    def converged(self) -> bool:
        return self.valid and (self.problem is None or (self.score is not None and self.score.exact))

    @property
    def rank(self) -> tuple[bool, float]:
        return self.valid, self.score.ew if self.score else -1.0

    @property
    def feedback(self) -> str:
        """Return what is wrong, in sentences."""
        found = [*self.faults]
        if self.score is not None and self.score.found:
            found.append(self.score.found[0].sentence)
        if (self.problem or self.plan) and not self.valid:
            plan = f"The plan {', '.join(self.plan)} does not reach the goal." if self.plan else ""
            found.append(plan or "There is no plan that reaches the goal.")
        return "\n".join(found)


class _Prompts(RootModel[dict[str, str]]):
    pass


def prompt(purpose: str, game: Game, **values: str) -> str:
    """Return a prompt with its values filled in. Raises KeyError."""
    texts = load_toml(resource_path("resources", "drafting", "prompts.toml"), _Prompts).root
    known = {"rules": game.rules, "template": write_domain(game.template), "domain": game.template.name}
    return Template(texts[purpose].strip()).substitute(known, **values)


def draft(
    game: Game, name: str, walks: Walks, ask: Ask, plan: MakePlan, method: Method, world: World | None = None
) -> Iterator[Version]:
    """Yield each version of a draft for one picture; the last one is the best. `name` is the map's.

    With a world, repairs are proven against it. Raises what `ask` raises.
    """
    if method.plans:
        yield _planned(game, walks.simulator, ask, plan, method)
        return
    scene, parts, text, best, number = walks.simulator.scene, DomainParts(), "", None, 0
    last: Version | None = None
    repaired: list[Problem] = []  # the same again would come of them

    def judged(screened: Screened, repairs: tuple[str, ...] = (), compared: str = "") -> Version:
        faults = screened.faults if method.screening else (UNREAD,) if screened.problem is None else ()
        version = Version(number, parts.text(game.template), text, faults, screened.problem)
        if screened.problem is None:
            return version
        steps = DraftSteps(screened.problem, game.word_of)
        words = plan(screened.problem)
        run = walks.simulator.run(words) if words else None
        valid = run is not None and words is not None and run.done == len(words) and run.goal
        return replace(
            version, score=walks.score(steps), plan=words, valid=valid, repairs=repairs, compared=compared
        )

    for _round in range(method.rounds + 1):
        before = text, parts
        for _ in range(1 + REGENERATIONS * method.screening):
            try:
                if last is None:
                    reply = ask("problem", prompt("problem", game, scene=scene, map=name))
                    text = find_pddl(reply, "problem") or ""
                    reply = ask("domain", prompt("domain", game, problem=text))
                    parts = DomainParts().updated(reply, game.template)
                else:
                    text, parts = _updated(ask, game, scene, *before, last.feedback, method.feedback)
                screened = screen(game.template, parts.text(game.template), text)
            except BadReply as refused:
                screened = Screened(None, (str(refused),))
            if screened.passed:
                break
        number += 1
        last = judged(screened)
        yield last
        best = max(last, best or last, key=lambda version: version.rank)
        if method.repairs and last.problem is not None and last.problem not in repaired:
            repaired.append(last.problem)
            found = repair(last.problem, game, walks, world, REPAIR_LIMIT)
            if found.repairs:
                number, parts = number + 1, parts_of(found.problem.domain)
                text = write_problem(found.problem)
                edits = tuple(one.edit.describe() for one in found.repairs)
                compared = found.comparison.sentence if found.comparison else ""
                last = judged(Screened(found.problem, ()), edits, compared)
                yield last
                best = max(last, best, key=lambda version: version.rank)
        if last.converged:
            return
    if best is not None and best is not last:
        yield replace(best, number=number + 1)


def _planned(game: Game, simulator: Simulator, ask: Ask, plan: MakePlan, method: Method) -> Version:
    """Ask for a plan from the picture, with another map and its plan as the example."""
    example = game.make(game.sizes[0], EXAMPLE)
    solved = "\n".join(plan(example.problem(game.reference)) or ())
    words = "\n".join(simulator.words)
    reply = ask(method.name, prompt(method.name, game, words=words, example=example.scene, solved=solved))
    try:
        steps = read_plan(reply, simulator.words)
    except BadReply as refused:
        return Version(1, "", reply, (str(refused),))
    run = simulator.run(steps)
    return Version(1, "", reply, (), plan=steps, valid=run.done == len(steps) and run.goal)


def _updated(
    ask: Ask, game: Game, scene: str, text: str, parts: DomainParts, feedback: str, told: bool
) -> tuple[str, DomainParts]:
    """Ask for corrections; what a reply does not mention stays. Raises BadReply."""
    drafted = parts.text(game.template)
    wrong = feedback if told else WITHOUT_FEEDBACK
    reply = ask("update", prompt("update", game, scene=scene, problem=text, drafted=drafted, feedback=wrong))
    text = find_pddl(reply, "problem") or text
    return text, parts.updated(reply, game.template) if "modify_action" in reply else parts


def parts_of(domain: Domain) -> DomainParts:
    """Return a domain as the texts that a model would have filled in."""
    named = (" ".join((p.name, *(f"{v.name} - {v.type}" for v in p.parameters))) for p in domain.predicates)
    actions = {
        action.name: (
            tuple(map(str, action.precondition)),
            tuple(str(effect.literal) for effect in action.effects),
        )
        for action in domain.actions
    }
    return DomainParts(tuple(f"({text})" for text in named), actions)
