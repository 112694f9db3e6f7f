"""Doubt the stated error rates: the ways in which the answers may come about other than told.

A few counts are not a rate, a rate measured elsewhere is not this room's, and some answerers err in no way
that a rate tells. So every hypothesis is held together with each way of answering: a discrete mixture,
updated by Bayes' rule like the rest (Rao-Blackwell: Doucet et al., UAI 2000). Whatever is sure, such as a
sensor's reading or a person's answer, then also judges the answers before it, and answers that contradict
each other speak for higher rates. A long row of the same answer cannot make a claim surer than the doubt
allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum


class Habit(Enum):
    """What decides an answer besides the rates."""

    NONE = ""
    NOTHING = "tells nothing"
    AGREES = "says what is expected"
    REPEATS = "repeats its earlier answer"
    REVERSES = "errs about this thing"
    AFFIRMS = "says yes to this predicate"
    SEES = "sees what the folder says is hidden"


@dataclass(frozen=True)
class AnswerModel:
    """One way of answering: the stated errors times `scale`, the share `shared` the same from every side, and
    a habit, which may be `about` one thing or predicate only.
    """

    name: str  # in the log, as the note of a hypothesis
    prior: float  # of the doubt
    scale: float = 1.0
    shared: float = 0.0
    habit: Habit = Habit.NONE
    about: str = ""


TOLD = AnswerModel("errors as told", 0.0)
OTHERWISE = (
    AnswerModel("half the errors", 0.2, scale=0.5),
    AnswerModel("twice the errors", 0.35, scale=2.0),
    AnswerModel("the same errors from every side", 0.15, shared=0.6),
    AnswerModel("answers that tell nothing", 0.05, habit=Habit.NOTHING),
    AnswerModel("answers as expected", 0.1, habit=Habit.AGREES),
    AnswerModel("the first answer again", 0.05, habit=Habit.REPEATS),
)
SEES = AnswerModel("sees what is said to be hidden", 0.1, habit=Habit.SEES)
OF_ONE_THING, OF_ONE_PREDICATE = 0.05, 0.05  # of the doubt, over all of them
WAYS_CHANGE = 0.01  # in a step: how likely the answers come about in another way from then on


def ways_of_answering(
    doubt: float, things: Sequence[str] = (), predicates: Sequence[str] = (), hides: bool = False
) -> tuple[tuple[AnswerModel, ...], tuple[float, ...]]:
    """Return the ways that are considered, and how likely each is before any answer.

    The answers about one of these things may be mostly wrong, or those about one of these predicates yes;
    where the folder `hides` something, they may know it all the same.
    """
    if doubt <= 0:
        return (TOLD,), (1.0,)
    ways = [*OTHERWISE]
    for thing in things:
        share = OF_ONE_THING / len(things)
        ways.append(AnswerModel(f"errors about {thing}", share, habit=Habit.REVERSES, about=thing))
    for predicate in predicates:
        share = OF_ONE_PREDICATE / len(predicates)
        ways.append(AnswerModel(f"yes to {predicate}", share, habit=Habit.AFFIRMS, about=predicate))
    ways += [SEES] * hides
    total = sum(way.prior for way in ways)
    return (TOLD, *ways), (1 - doubt, *(doubt * way.prior / total for way in ways))
