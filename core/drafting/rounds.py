"""Draft a domain in rounds: ask, screen, score, then repair or ask for corrections.

The paper's pipeline is the method `vlmfp`: five regenerations, four rounds, EW within 1e-6 and a valid plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import islice
from string import Template

from pydantic import RootModel

from core.data_file import load_toml
from core.drafting.agreement import Difference, Score, Walks, compare
from core.drafting.edits import Edit, LiteralEdit
from core.drafting.plans import MakePlan
from core.drafting.repair import Repair, Repaired, repair
from core.drafting.replies import BadReply, DomainParts, find_pddl, read_plan
from core.drafting.screening import Screened, overgrown, screen
from core.drafting.simulator import Simulator, WorldSimulator, reaches_goal
from core.drafting.steps import DraftSteps, Walk
from core.drafting.world import Game, World
from core.errors import ConsoleError
from core.install_paths import resource_path
from core.planning.pddl.reader import parse_problem
from core.planning.pddl.writer import write_domain, write_effect, write_problem
from core.planning_model import Domain, Problem
from core.work import TooMuchWork, Work

REGENERATIONS, ROUNDS, REPAIR_LIMIT = 5, 4, 3_000
SEARCHES = 8_000_000  # units of work of all searches for repairs of a draft: less than a minute
EXAMPLE = 999  # the seed of the map that is shown with its plan
MAPS, FIRST_SEED = 12, 900_000_000  # of the two smallest sizes in turn; no seed of a bench comes near
FEW = 3  # other maps that may disagree before the rest are not tried, if its own map disagrees
PAIRS, SEARCH = 1_000, 500_000  # of states that are compared on each, and units of work
WITHOUT_FEEDBACK = "The files do not agree with the scenario."
UNREAD = "The planner cannot read the files."  # all that is told without screening
MODEL, REPAIR = "model", "repair"  # who makes versions, besides people
Texts = tuple[str, str]  # the domain and the problem
Ask = Callable[[str, str], str]  # what for, and the prompt; raises ConsoleError
Judge = Callable[[World], World]  # a map, as whoever judges it sees it


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
    """One version of a draft. `problem` is None if it cannot be read; `plan` if there is none.

    `by` is MODEL, REPAIR or a person's name; `parent` the number of the version that it was made from, 0 for
    none.
    """

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
    by: str = MODEL
    parent: int = 0
    parts: DomainParts = field(default_factory=DomainParts)

    @property
    def converged(self) -> bool:
        return self.valid and (self.problem is None or (self.score is not None and self.score.exact))

    @property
    def verdict(self) -> str:
        """Return in a few words how good it is."""
        plan = "valid plan" if self.valid else "no valid plan"
        return f"EW {self.score.ew:.3f}, {plan}" if self.score else "cannot be read"

    @property
    def texts(self) -> Texts:
        return self.domain_text, self.problem_text

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


@cache
def _prompts() -> Mapping[str, str]:
    return load_toml(resource_path("resources", "drafting", "prompts.toml"), RootModel[dict[str, str]]).root


def prompt(purpose: str, game: Game, **values: str) -> str:
    """Return a prompt with its values filled in. Raises KeyError."""
    texts = _prompts()
    purpose = purpose if game.sizes else f"{purpose} of a photograph"
    known = {"rules": game.rules, "template": write_domain(game.template), "domain": game.template.name}
    text = texts.get(purpose) or texts[purpose.removesuffix(" of a photograph")]
    return Template(text.strip()).substitute(known, **values)


def _world(world: World) -> World:
    return world


class Workbench:
    """Makes the versions of a draft for one picture, one at a time: whoever holds it decides what comes next.

    `name` is the map's. Repairs are proven against the world, as `judge` sees each map but this one.
    """

    def __init__(
        self,
        game: Game,
        name: str,
        walks: Walks,
        ask: Ask,
        plan: MakePlan,
        method: Method,
        judge: Judge = _world,
    ) -> None:
        self.game, self.walks, self.method, self.world = game, walks, method, walks.simulator.proven
        self._name, self._ask, self._plan, self._judge = name, ask, plan, judge
        self.count = 0  # of versions
        self._work = Work(SEARCHES)  # that is left for repairs
        self._began: dict[str, set[Edit]] = {}  # by the draft: with what searches began that led nowhere

    def asked(self, last: Version | None = None) -> Version:
        """Ask the model for a draft, or for corrections of one. Raises what asking raises."""
        game, scene = self.game, self.walks.simulator.scene
        text, parts = (last.problem_text, last.parts) if last else ("", DomainParts())
        for _ in range(1 + REGENERATIONS * self.method.screening):
            try:
                if last is None:
                    reply = self._ask("problem", prompt("problem", game, scene=scene, map=self._name))
                    text = find_pddl(reply, "problem")
                    reply = self._ask("domain", prompt("domain", game, problem=text))
                    parts = DomainParts().updated(reply, game.template)
                else:
                    text, parts = self._corrected(last)
                screened = screen(game.template, parts.text(game.template), text)
            except BadReply as refused:
                screened = Screened(None, (str(refused),))
            if screened.passed:
                break
        number = last.number if last else 0
        made = Version(0, parts.text(game.template), text, (), parent=number, parts=parts)
        return self._judged(made, screened)

    def _corrected(self, last: Version) -> tuple[str, DomainParts]:
        """Ask for corrections; what a reply does not mention stays. Raises BadReply."""
        told = {"scene": self.walks.simulator.scene, "problem": last.problem_text}
        told["feedback"] = last.feedback if self.method.feedback else WITHOUT_FEEDBACK
        drafted = last.parts.text(self.game.template)
        reply = self._ask("update", prompt("update", self.game, drafted=drafted, **told))
        text = find_pddl(reply, "problem") if "(define" in reply else last.problem_text
        calls = "modify_action" in reply
        return text, last.parts.updated(reply, self.game.template) if calls else last.parts

    def repaired(self, last: Version, found: Repaired | None = None) -> Version | None:
        """Return the version with the repairs that were found, by default all that help; None: no repair."""
        if last.problem is None:
            return None
        if found is None:
            began, work = self._began.setdefault(last.problem.digest, set()), self._work
            found = repair(last.problem, self.game, self.walks, REPAIR_LIMIT, refused=began, within=work)
            taken = (one.edit for one in found.repairs if isinstance(one.edit, LiteralEdit))
            began |= set() if found.agrees else set(islice(taken, 1))
        if not found.repairs:
            return None
        parts, (domain_text, text) = parts_of(found.problem.domain), self.texts_of(found.problem)
        made = Version(0, domain_text, text, (), by=REPAIR, parent=last.number, parts=parts)
        edits = tuple(one.edit.describe() for one in found.repairs)
        compared = found.comparison.sentence if found.comparison else ""
        return self._judged(replace(made, repairs=edits, compared=compared), Screened(found.problem, ()))

    def imagined(self, drafted: Version, last: Version) -> Version | None:
        """Return the version that other maps of the game agree with as well, which we make ourselves: its own
        may not show every slip, and who judges it may err. None: no edit helps. Raises as asking.

        It begins with `last`; if that does not agree with its own map, with what was `drafted`, and then most
        of the others must agree. An edit of the domain is taken if all maps that agreed still do: one whose
        problem is wrong, or whose judge errs, allows none.
        """
        game, world, done, tried = self.game, self.world, list[Repair](), 0
        start = last if last.converged else drafted
        if world is None or start.problem is None:
            return None
        own, sizes = self._differs(world, start.problem) is None, game.sizes[:2]
        domain, agreed = start.problem.domain, [(world, start.problem)] if own else []
        for number in range(MAPS):
            if not own and tried - len(agreed) == FEW:
                break
            other = game.make(sizes[number % len(sizes)], FIRST_SEED + number)
            values = {"problem": start.problem_text, "scene": other.scene, "map": other.name}
            reply = self._ask("new problem", prompt("new problem", game, **values))
            tried += 1
            try:
                written = parse_problem(find_pddl(reply, "problem"), domain)
                seen = self._judge(other)
                with self._work:
                    work, walks = Work(SEARCH), Walks(WorldSimulator(seen))
                    found = repair(written, game, walks, PAIRS, facts=False, within=work)
            except TooMuchWork:
                break  # of all searches: what was found so far stands
            except ConsoleError:
                continue
            edits = [one for one in found.repairs if isinstance(one.edit, LiteralEdit)]  # links are completed
            now = [(each, replace(problem, domain=found.problem.domain)) for each, problem in agreed]
            if found.agrees and not (edits and any(self._differs(*each) for each in now)):
                domain, agreed, done = found.problem.domain, [*now, (seen, found.problem)], done + edits
        if not done if own else len(agreed) < max(FEW, tried // 2 + 1):
            return None
        problem = replace(start.problem, domain=domain)
        compared = compare(world, DraftSteps(problem, game.word_of), REPAIR_LIMIT)
        made = self.repaired(start, Repaired(problem, tuple(done), own, compared))
        if own:
            return made if made is not None and made.rank >= last.rank else None
        made = made or replace(start, number=self.count + 1, parent=start.number, repairs=())
        said = f"{made.compared or compared.sentence} {len(agreed)} of {tried} other maps agree."
        return replace(made, compared=said)

    def _differs(self, world: World, problem: Problem) -> Difference | None:
        return compare(world, DraftSteps(problem, self.game.word_of), REPAIR_LIMIT).difference

    def texts_of(self, problem: Problem) -> Texts:
        return parts_of(problem.domain).text(self.game.template), write_problem(problem)

    def written(self, domain_text: str, problem_text: str, by: str, parent: Version | None = None) -> Version:
        """Return the version that somebody wrote, as the texts are; what is too large is not tried."""
        screened = screen(self.game.template, domain_text, problem_text)
        if screened.problem is not None and (fault := overgrown(screened.problem)):
            screened = Screened(None, (fault,))
        read = screened.problem
        parts = parts_of(read.domain) if read else parent.parts if parent else DomainParts()
        number = parent.number if parent else 0
        made = Version(0, domain_text, problem_text, (), by=by, parent=number, parts=parts)
        return self._judged(made, screened)

    def _judged(self, made: Version, screened: Screened) -> Version:
        self.count += 1
        read, screens = screened.problem, self.method.screening
        faults = screened.faults if screens else (UNREAD,) if read is None else ()
        made = replace(made, number=self.count, faults=faults, problem=read)
        if read is None:
            return made
        words = self._plan(read)
        valid = reaches_goal(self.walks.simulator, words)
        score = self.walks.score(DraftSteps(read, self.game.word_of))
        return replace(made, score=score, plan=words, valid=valid)


def draft(
    game: Game, name: str, walks: Walks, ask: Ask, plan: MakePlan, method: Method, judge: Judge = _world
) -> Iterator[Version]:
    """Yield each version of a draft for one picture; the last one is the best. `name` is the map's.

    `judge` returns another map as the one who simulates sees it. Raises what `ask` raises.
    """
    if method.plans:
        yield _planned(game, walks.simulator, ask, plan, method)
        return
    bench, made = Workbench(game, name, walks, ask, plan, method, judge), list[Version]()
    repaired: list[Problem] = []  # nothing else would come of them
    for _round in range(method.rounds + 1):
        made.append(last := bench.asked(made[-1] if made else None))
        yield last
        if method.repairs and last.problem is not None and last.problem not in repaired:
            repaired.append(last.problem)
            drafted, mended = last, bench.repaired(last)
            if mended is not None and not (mended.score and mended.score.exact):
                repaired.pop()
            if mended is not None:
                made.append(last := mended)
                yield last
            if wider := bench.imagined(drafted, last):
                yield wider
                return
        if last.converged:
            break
    best = max(reversed(made), key=lambda version: version.rank)
    if best is not made[-1]:
        yield replace(best, number=bench.count + 1, parent=best.number)


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
    return Version(1, "", reply, (), plan=steps, valid=reaches_goal(simulator, steps))


def parts_of(domain: Domain) -> DomainParts:
    """Return a domain as the texts that a model would have filled in."""
    named = (" ".join((p.name, *(f"{v.name} - {v.type}" for v in p.parameters))) for p in domain.predicates)
    actions = {
        action.name: (
            tuple(map(str, (*action.precondition, *action.formulas))),
            tuple(map(write_effect, action.effects)),
        )
        for action in domain.actions
    }
    return DomainParts(tuple(f"({text})" for text in named), actions)
