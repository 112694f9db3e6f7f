"""Ask a simulator what is true: the only place that judges answers.

No method sees it, unless it declares predicates to be told, as a published program was
(`core.policy.UsesGroundTruth`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from core.belief import Answer, Atom, BeliefSource, Query, QueryTopic, Verdict
from core.planning_model import Step
from core.ports import GroundTruth, StepTruth

GROUND_TRUTH_NAME = "the simulator's truth"  # the source named in the log


def truth_of(robot: object, query: Query) -> bool | None:
    """Return the truth of what the question is about; None if this robot cannot tell.

    The proposition of a question about a step names the step: `(worked open agent cabinet)`.
    """
    if query.topic is QueryTopic.FACT:
        truth = _as_truth(robot)
        return query.atom in truth.truth() if truth else None
    if query.topic is QueryTopic.SITUATION or not isinstance(robot, StepTruth):
        return None
    if query.topic is QueryTopic.STEP_SUCCEEDED:
        return robot.step_succeeded()
    return robot.step_possible(Step(query.atom.args[0], query.atom.args[1:]))


def judged(robot: object, queries: Iterable[Query]) -> Iterator[tuple[Query, bool, bool]]:
    """Yield each question whose truth the robot knows, with the truth and whether the picture shows it.

    The set of facts is requested once, because a simulator takes longer to build it than to look one up.
    """
    truth, facts = _as_truth(robot), None
    for query in queries:
        if query.topic is not QueryTopic.FACT:
            so = truth_of(robot, query)
        elif truth is None:
            so = None
        else:
            facts = truth.truth() if facts is None else facts
            so = query.atom in facts
        if so is not None:
            yield query, so, is_observable(robot, query)


def is_observable(robot: object, query: Query) -> bool:
    """Return True if the picture can show it. A question about a step concerns the whole picture."""
    if query.topic is not QueryTopic.FACT:
        return True
    truth = _as_truth(robot)
    return truth is not None and truth.is_observable(query.atom)


def ground_truth_answers(
    robot: object, predicates: Collection[str], believed: Iterable[Atom], turn: int
) -> Iterator[Answer]:
    """Yield the truth of these predicates: all that holds, and what is believed but does not, sorted by
    atom."""
    truth = _as_truth(robot)
    if truth is None or not predicates:
        return
    holding = truth.truth()
    for atom in sorted({a for a in (*holding, *believed) if a.predicate in predicates}):
        yield Answer(
            atom, Verdict.from_bool(atom in holding), BeliefSource.SENSOR, turn=turn, by=GROUND_TRUTH_NAME
        )


def _as_truth(robot: object) -> GroundTruth | None:
    return robot if isinstance(robot, GroundTruth) else None
