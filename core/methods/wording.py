"""Questions about steps, in the words of the papers' baselines."""

from __future__ import annotations

from core.domains import Folder
from core.facts import About, Atom, Purpose, Query, Verdict
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
