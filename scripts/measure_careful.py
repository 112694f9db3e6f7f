"""Measure the method careful beside dkprompt: goals reached and claimed, false claims, calls, questions.

    PYTHONPATH=. python scripts/measure_careful.py symmetric-34 gpt-4.1-household --episodes 500 --workers 4
    PYTHONPATH=. python scripts/measure_careful.py symmetric-34 --cells wrong    or: folder, ablations
    PYTHONPATH=. python scripts/measure_careful.py skips --tasks collect_toys --robot symbolic

scripts/careful_table.py measures all cells, can be interrupted, and goes on where it was. Without pictures.
The seeds follow from the hash of the current commit, so that nobody tunes on them. The
operator, where there is one, knows the truth.
"""

from __future__ import annotations

import argparse
import gc
import subprocess
from dataclasses import dataclass, field, replace
from multiprocessing import Pool
from statistics import fmean, median
from time import process_time

from core import events as ev
from core.belief import Answer, BeliefSource, Query, Verdict
from core.cancel import Cancel
from core.config import Settings
from core.domains import DEFAULT_SITUATIONS, DomainSpec
from core.episode import run_components
from core.loop.gate import AutoOperator
from core.methods.careful.policy import Careful
from core.operator import Addressee, AnswerReview
from core.ports import GroundTruth, Robot
from core.review.intervals import wilson_interval
from core.vqa.answerers.profiles import load_profile
from core.vqa.answerers.simulated import SimulatedAnswerer, keyed_uniform
from main import make_components

TASKS = ("boil_water", "bring_in_bottles", "cook_frozen_pie", "halve_egg", "store_firewood")
CELLS: dict[str, tuple[str, dict[str, str]]] = {
    "dkprompt": ("dkprompt", {}),
    "careful, no reports": ("careful", {"method.reports": "no"}),
    "careful": ("careful", {}),
    "careful, with an operator": ("careful", {"method.operator_cost": "3.5"}),
}
ALONE = {"method.reports": "no"}
WRONG: dict[str, tuple[str, dict[str, str]]] = {  # what careful is told, or how the errors are
    "told half the errors": ("careful", {**ALONE, "method.error_scale": "0.5"}),
    "told 1.75 of the errors": ("careful", {**ALONE, "method.error_scale": "1.75"}),
    "told half, no doubt": (
        "careful",
        {**ALONE, "method.error_scale": "0.5", "method.rate_doubt": "0"},
    ),
    "told .4 of everything": ("careful", {**ALONE, "told": "0.4"}),
    "shared .6, expected 0": ("careful", {**ALONE, "shared": "0.6"}),
    "shared .6, expected .6": ("careful", {**ALONE, "shared": "0.6", "method.shared_errors": "0.6"}),
}
ABLATIONS: dict[str, tuple[str, dict[str, str]]] = {
    "no doubt about the rates": ("careful", {**ALONE, "method.rate_doubt": "0"}),
    "no questions": ("careful", {**ALONE, "method.call_cost": "1000"}),
    "one question a call": ("careful", {**ALONE, "method.questions": "1"}),
    "no looks": ("careful", {**ALONE, "method.look_cost": "1000"}),
    "no claim at the last step": ("careful", {**ALONE, "method.giving_up_cost": "0"}),
    "8 hypotheses": ("careful", {**ALONE, "method.hypotheses": "8"}),
    "3 hypotheses": ("careful", {**ALONE, "method.hypotheses": "3"}),
}
FOLDER: dict[str, tuple[str, dict[str, str]]] = {  # what domain.toml does not say
    f"without {lack}": ("careful", {**ALONE, "lack": lack})
    for lack in ("visibility", "implied", "arguments", "situations", "situations and defaults", "anything")
} | {"without detects": ("careful", {"lack": "detects"})}
GROUPS = {"folder": FOLDER, "main": CELLS, "wrong": WRONG, "ablations": ABLATIONS}
BLOCK = 10  # seeds that one process runs at a time
HEAD = f"{'':28}  true      95 %  false  calls   you  steps    ms  most  by task"


class SharedErrors(SimulatedAnswerer):
    """Answers with this probability as from every other viewpoint: right or wrong everywhere."""

    shared = 0.0

    def _verdict(self, query: Query, view: str) -> Verdict:
        same = keyed_uniform(self._seed, str(query.atom), view, "shared") < self.shared
        return super()._verdict(query, "everywhere" if same else view)


@dataclass(frozen=True)
class Told:
    """What the method is told of the answers: so many are wrong, whatever is asked."""

    error: float
    persistence: float

    def error_rates(self, predicate: str) -> tuple[float, float]:
        return 1 - self.error, self.error


class KnowingOperator(AutoOperator):
    """Answers what it is asked by the truth, and counts; lets everything else pass."""

    def __init__(self, robot: Robot) -> None:
        super().__init__(robot.embodiment)
        self.robot, self.asked = robot, 0

    def review(self, review: AnswerReview) -> tuple[Answer, ...]:
        if review.addressee is Addressee.MODEL or not isinstance(self.robot, GroundTruth):
            return super().review(review)
        self.asked += len(review.queries)
        truth = self.robot.truth()
        return tuple(
            Answer(q.atom, Verdict.from_bool(q.atom in truth), BeliefSource.OPERATOR, turn=review.turn)
            for q in review.queries
        )


@dataclass
class Tally:
    episodes: int = 0
    true: dict[str, int] = field(default_factory=dict)  # claimed and so, by task
    false: int = 0
    calls: int = 0
    asked: int = 0
    steps: int = 0
    turns: list[float] = field(default_factory=list)  # CPU seconds of the method in each turn
    claims: list[tuple[float, bool]] = field(default_factory=list)
    missed: list[tuple[str, int, str]] = field(default_factory=list)  # task, seed, how it ended

    def add(self, other: Tally) -> None:
        for task, true in other.true.items():
            self.true[task] = self.true.get(task, 0) + true
        for name in ("episodes", "false", "calls", "asked", "steps", "turns", "claims", "missed"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def row(self, name: str) -> str:
        n, true = self.episodes, sum(self.true.values())
        low, high = wilson_interval(true, n)
        parts = (100 * true / n, f"{100 * low:.0f} to {100 * high:.0f}", 100 * self.false / n, self.calls / n)
        tasks = " ".join(f"{100 * t * len(self.true) / n:.0f}" for t in self.true.values())
        return (
            f"{name:28} {parts[0]:5.1f} {parts[1]:>9} {parts[2]:6.1f} {parts[3]:6.1f} {self.asked / n:5.2f} "
            f"{self.steps / n:6.1f} {1000 * median(self.turns):5.1f} {1000 * max(self.turns):5.0f}  {tasks}"
        )

    def calibration(self) -> str:
        """Return how sure the claims were on average, and how many of them were right."""
        if not self.claims:
            return ""
        said, right = (100 * fmean(values) for values in zip(*self.claims, strict=True))
        return f"  claimed at {said:.1f} %, {right:.1f} % right"


def without(spec: DomainSpec, lack: str) -> DomainSpec:
    """Return the folder as the method sees it without a part of domain.toml."""
    if not lack:
        return spec
    changed = {"arguments": {"argument_positions": None}, "detects": {"detects": ()}}.get(
        lack, {"situations": ()}
    )
    match lack:
        case "visibility":
            return replace(spec, visibility_rules=())
        case "anything":  # a bare pair of PDDL files
            bare = replace(spec, visibility_rules=(), implied_rules=(), skills={})
            return replace(bare, default_situations=DEFAULT_SITUATIONS)
        case "implied":
            return replace(spec, implied_rules=())
        case "situations and defaults":
            spec = replace(spec, default_situations=())
        case "situations":
            spec = replace(spec, default_situations=DEFAULT_SITUATIONS)
    return replace(spec, skills={name: replace(s, **changed) for name, s in spec.skills.items()})


def episode(
    tally: Tally, settings: Settings, informed: bool, conditions: dict[str, str], planners: dict
) -> None:
    """Run one episode and count it; the planners keep their plans."""
    parts = make_components(settings)
    shared, told = float(conditions.get("shared", 0)), float(conditions.get("told", 0))
    if told or "lack" in conditions:
        spec = without(parts.domain_spec, conditions.get("lack", ""))
        answerer = Told(told, parts.answerer.persistence) if told else parts.answerer
        method = Careful(spec, parts.task.problem, parts.planner, answerer, parts.method.options)
        parts = replace(parts, method=method)
    if shared:
        answerer = SharedErrors(load_profile(settings.answerer), parts.robot, settings.seed)
        answerer.shared = shared
        parts = replace(parts, answerer=answerer)
    if isinstance(parts.method, Careful):
        parts.method.costs._planner = planners.setdefault(settings.task, parts.planner)
    operator = KnowingOperator(parts.robot) if informed else AutoOperator(parts.robot.embodiment)
    spent: dict[int, float] = {}
    method = parts.method

    def timed(call):
        def run(context, *rest):
            began = process_time()
            result = call(context, *rest)
            spent[context.turn] = spent.get(context.turn, 0.0) + process_time() - began
            return result

        return run

    method.act, method.update = timed(method.act), timed(method.update)
    tally.true.setdefault(settings.task, 0)
    for event in run_components(parts, operator, Cancel()):
        match event:
            case ev.StepFinished():
                tally.steps += 1
            case ev.AnswersReceived(_, _, call):
                tally.calls += call.by != "nobody"
            case ev.EpisodeEnded():
                claimed = event.result is ev.EpisodeResult.SUCCEEDED
                tally.true[settings.task] += claimed and bool(event.true_goal)
                tally.false += claimed and not event.true_goal
                if claimed and event.probability is not None:
                    tally.claims.append((event.probability, bool(event.true_goal)))
                if event.result is ev.EpisodeResult.CRASHED:
                    raise RuntimeError(event.reason)
                if not (claimed and event.true_goal):
                    how = "claimed falsely" if claimed else f"{event.result.value}, goal {event.true_goal}"
                    tally.missed.append((settings.task, settings.seed, how))
    parts.close()
    gc.collect()
    tally.episodes += 1
    tally.asked += getattr(operator, "asked", 0)
    tally.turns += spent.values()


def first_seed() -> tuple[str, int]:
    """Return the current commit and the first seed that follows from it; never below 1000."""
    commit = subprocess.run(
        ["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    ).stdout.strip()
    return commit[:9], 1000 + int(commit[:12], 16) % 1_000_000


def block(given: tuple[str, str, str, str, str, range]) -> Tally:
    """Run one task of a cell with these seeds."""
    group, name, profile, task, robot, seeds = given
    method, options = GROUPS[group][name]
    tally, planners = Tally(), {}
    gc.disable()  # in a turn, as in the console, which collects on the GUI thread
    conditions = {key: value for key, value in options.items() if not key.startswith("method.")}
    options = {key: value for key, value in options.items() if key.startswith("method.")}
    for seed in seeds:
        settings = Settings(
            task=task,
            method=method,
            answerer=profile,
            seed=seed,
            pictures=False,
            robot=robot,
            options=options,
        )
        episode(tally, settings, "operator" in name, conditions, planners)
    return tally


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    reader.add_argument("profiles", nargs="+")
    reader.add_argument("--episodes", type=int, default=200, help="of each cell, over all tasks")
    reader.add_argument("--cells", default="main", choices=GROUPS)
    reader.add_argument("--only", default="", help="the cells whose name contains this")
    reader.add_argument("--tasks", default=",".join(TASKS))
    reader.add_argument("--robot", default="", help="the folder's own, if left out")
    reader.add_argument("--workers", type=int, default=1)
    given = reader.parse_args()
    commit, first = first_seed()
    tasks = given.tasks.split(",")
    count = max(1, given.episodes // len(tasks))
    seeds = range(first, first + count)
    with Pool(given.workers) as pool:
        for profile in given.profiles:
            print(f"{profile}, seeds {seeds[0]} to {seeds[-1]} of {commit}\n{HEAD}", flush=True)
            for name in (n for n in GROUPS[given.cells] if given.only in n):
                parts = [
                    (given.cells, name, profile, task, given.robot, seeds[n : n + BLOCK])
                    for task in tasks
                    for n in range(0, count, BLOCK)
                ]
                tally = Tally()
                for found in pool.imap(block, parts):
                    tally.add(found)
                print(tally.row(name) + tally.calibration(), flush=True)


if __name__ == "__main__":
    main()
