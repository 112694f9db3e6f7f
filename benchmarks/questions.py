"""Count what a perfect answerer is asked in the kitchen, and which expected effects do not appear.

`python benchmarks/questions.py [--seeds 100] [--variant repaired]`: counts, no times.
"""

from __future__ import annotations

import argparse
from collections import Counter

from core import events as ev
from core.belief import Atom, Purpose, Query, Verdict
from core.cancel import Cancel
from core.config import Settings
from core.episode import run_components
from core.loop.gate import AutoOperator
from main import make_components

TASKS = ("boil_water", "bring_in_bottles", "cook_frozen_pie", "halve_egg", "store_firewood")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--variant", default="repaired")
    given = parser.parse_args()
    whole: Counter[str] = Counter()
    for task in TASKS:
        found: Counter[str] = Counter()
        for seed in range(given.seeds):
            found += counted(
                Settings(task=task, robot="kitchen", pictures=False, seed=seed, variant=given.variant)
            )
        print(
            f"{task}: {counts_line(found)}; {found['questions'] / given.seeds:.1f} questions an episode",
            flush=True,
        )
        whole += found
    print(f"all: {counts_line(whole)}")
    for what, count in whole.most_common():
        if what.startswith("away"):
            print(f"{count:6} {what}")


def counts_line(found: Counter[str]) -> str:
    names = (
        "true",
        "steps",
        "plans",
        "questions",
        "effects asked",
        "effects away",
        "view lost asked",
        "view lost away",
    )
    return ", ".join(f"{found[name]:,} {name}" for name in names)


def counted(settings: Settings) -> Counter[str]:
    """Count the questions of one episode. "View lost": something is no longer in view."""
    found: Counter[str] = Counter()
    parts = make_components(settings)
    asked: dict[Atom, Query] = {}
    done = ""
    try:
        for event in run_components(parts, AutoOperator(), Cancel()):
            match event:
                case ev.StepFinished(_, step):
                    found["steps"] += 1
                    done = step.name
                case ev.PlanMade():
                    found["plans"] += 1
                case ev.QuestionsAsked(_, _, queries):
                    asked = {q.atom: q for q in queries}
                    found["questions"] += len(queries)
                    effects = [q for q in queries if q.purpose is Purpose.EFFECT]
                    found["effects asked"] += len(effects)
                    found["view lost asked"] += sum(map(lost, effects))
                case ev.AnswersReceived(_, _, call):
                    for answer in call.answers:
                        query = asked.get(answer.atom)
                        if query and query.purpose is Purpose.EFFECT and answer.verdict is not query.expected:
                            found["effects away"] += 1
                            found["view lost away"] += lost(query)
                            found[f"away after {done}: {answer.atom.predicate}, {query.expected.value}"] += 1
                case ev.EpisodeEnded():
                    found["true"] += event.true_goal is True
    finally:
        parts.close()
    return found


def lost(query: Query) -> bool:
    return query.atom.predicate == "inview" and query.expected is Verdict.NO


if __name__ == "__main__":
    main()
