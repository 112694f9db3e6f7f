"""Questions about steps, in the words of the papers' baselines."""

from __future__ import annotations

from core.domains import Folder
from core.facts import About, Answer, Atom, Purpose, Query, Verdict
from core.policy import GotAnswers, Observation
from core.problem import Step


def step_query(folder: Folder, about: About, step: Step, purpose: Purpose) -> Query:
    """Whether the step just done was successful (WORKED), or can be done now (POSSIBLE)."""
    text = {
        About.WORKED: f"Did the robot successfully {folder.say(step)}?",
        About.POSSIBLE: f"Is it possible to {folder.say(step)} here?",
    }[about]
    return Query(step_atom(about, step), text, purpose=purpose, expected=Verdict.YES, about=about)


def step_atom(about: About, step: Step) -> Atom:
    """The proposition of a question about a step: `(worked open agent cabinet)`."""
    return Atom(about.value, (step.name, *step.args))


def first_no(seen: Observation | None, about: About) -> Answer | None:
    """The answer "no" to a question of this kind, where these are answers and there is one."""
    said = seen.about(about) if isinstance(seen, GotAnswers) else ()
    return next((answer for answer in said if answer.verdict is Verdict.NO), None)
