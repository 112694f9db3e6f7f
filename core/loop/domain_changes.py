"""A change of the domain after a person's decision: as suggested, as edited, or refused."""

from __future__ import annotations

from dataclasses import replace

from core import events as ev
from core.errors import ConsoleError
from core.knowledge.apply import apply_changes, change_faults
from core.knowledge.changes import Change, Evidence, Knowledge, LearntChange
from core.knowledge.suggestion import SituationReport, Suggestion
from core.policy import ChangeDomain, Context, DomainChangeDecided


class ChangeRefused(ConsoleError):
    """A person's edit that cannot be applied."""


def admit(context: Context, action: ChangeDomain, changes: tuple[Change, ...], by: str) -> ChangeDomain:
    """Return the action with the changes as a person edited them. Raises ChangeRefused."""
    if faults := change_faults(context.problem, changes):
        raise ChangeRefused(f"The edited change is not applied. {faults[0]}")
    problem = apply_changes(context.problem, changes)
    now = problem.with_state(problem.state | context.belief.state)
    if action.has_plan is not None and not action.has_plan(now):
        raise ChangeRefused("The edited change is not applied: no plan was found with it. Edit it again.")
    suggested = action.suggestion
    old = {learnt.change: learnt for learnt in suggested.changes} if suggested else {}
    sentence = suggested.situation.sentence if suggested else ""
    own = Evidence(sentence, interpretation="edited by a person", by=by)
    admitted = tuple(old.get(change) or LearntChange(change, (own,)) for change in changes)
    edited = replace(suggested, changes=admitted, plan=()) if suggested else None
    difference = "; ".join(change.describe() for change in changes)
    return replace(action, problem=problem, difference=difference, suggestion=edited)


def known_after(context: Context, action: ChangeDomain) -> Knowledge:
    """Return what is known once the change is in force."""
    new = action.suggestion.changes if action.suggestion else ()
    known = context.knowledge
    return replace(known, changes=(*known.changes, *(c for c in new if not known.holds(c.change))))


def refuse(context: Context, action: ChangeDomain) -> Knowledge:
    """Return what is known once the change is refused: what lasts, and bars something only if it is alone."""
    suggestion = action.suggestion or Suggestion(SituationReport(""), ())
    lasting = tuple(learnt.change for learnt in suggestion.changes if learnt.change.lasting)
    refused = tuple(c for c in lasting if not c.bars) or lasting
    return replace(context.knowledge, refused=(*context.knowledge.refused, *refused))


def changed_event(action: ChangeDomain, turn: int, decided: DomainChangeDecided) -> ev.DomainChanged:
    known = decided.knowledge
    return ev.DomainChanged(
        turn, action.difference, action.pddl, decided.accepted, action.reason, known.changes, known.refused
    )
