"""Doubt the stated error rates: a few ways in which the answers may be other than told.

A few counts are not a rate, and a rate measured elsewhere is not this room's. So every hypothesis is held
together with each way of answering: a discrete mixture, updated by Bayes' rule like the rest (Rao-Blackwell:
Doucet et al., UAI 2000). Whatever is sure, such as a sensor's reading or a person's answer, then also judges
the answers before it, and answers that contradict each other speak for higher rates. A long row of the same
answer cannot make a claim surer than the doubt about the answerer allows.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class AnswerModel:
    """One way of answering: the stated errors times `scale`, the share `shared` the same from every side."""

    name: str  # in the log, as the note of a hypothesis
    scale: float
    shared: float
    prior: float  # of the doubt


TOLD = AnswerModel("errors as told", 1.0, 0.0, 0.0)
OTHERWISE = (
    AnswerModel("half the errors", 0.5, 0.0, 0.25),
    AnswerModel("twice the errors", 2.0, 0.0, 0.5),
    AnswerModel("the same errors from every side", 1.0, 0.6, 0.25),
)


def ways_of_answering(doubt: float) -> tuple[tuple[AnswerModel, ...], tuple[float, ...]]:
    """Return the ways that are considered, and how likely each is before any answer."""
    if doubt <= 0:
        return (TOLD,), (1.0,)
    return (TOLD, *OTHERWISE), (1 - doubt, *(doubt * way.prior for way in OTHERWISE))
