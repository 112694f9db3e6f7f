"""Questions about steps, worded as in the papers' baselines."""

from __future__ import annotations

from core.belief import Answer, Atom, Purpose, Query, QueryTopic, Verdict
from core.domains import DomainSpec
from core.planning_model import Step
from core.policy import GotAnswers, Observation


def step_question(domain_spec: DomainSpec, about: QueryTopic, step: Step, purpose: Purpose) -> Query:
    """Return the question whether the last step succeeded, or whether a step is possible now.

    Its proposition names the step: `(worked open agent cabinet)`.
    """
    text = {
        QueryTopic.STEP_SUCCEEDED: f"Did the robot successfully {domain_spec.describe_step(step)}?",
        QueryTopic.STEP_POSSIBLE: f"Is it possible to {domain_spec.describe_step(step)} here?",
    }[about]
    return Query(
        Atom(about.value, (step.name, *step.args)), text, purpose=purpose, expected=Verdict.YES, topic=about
    )


def first_no(seen: Observation | None, about: QueryTopic) -> Answer | None:
    """Return the first answer "no" to a question on this topic, if the observation is answers with one."""
    said = seen.on_topic(about) if isinstance(seen, GotAnswers) else ()
    return next((answer for answer in said if answer.verdict is Verdict.NO), None)
