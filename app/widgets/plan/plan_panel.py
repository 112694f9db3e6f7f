"""The plan panel: the steps and their states; a new plan stands beside the old one, with its cause."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSizePolicy

from app.controls.badge import Icon
from app.controls.layout import Surface, column, label, row, set_tone
from app.controls.rows import ROW
from app.controls.tooltip import set_tooltip
from app.presentation.formatting import pending_cards
from app.presentation.suggestions import suggested_plan
from app.theme import tokens as t
from app.widgets.panel import Panel
from app.widgets.plan.plan_list import PAST, PlanListItem, PlanListView
from core.episode_state import EpisodeState, Phase, PlanRow, PlanRowState
from core.operator import PlanChange
from core.planning_model import PlanStatus, Step
from core.policy import same_plan
from core.state.causes import explain
from core.state.plan_rows import merge_plan
from core.text.plural import plural
from core.text.vocabulary import Vocabulary

KEPT = 150  # steps that were done, at most; the earlier ones are in the log


class PlanPanel(Panel):
    EMPTY = ("list", "No plan yet", "The first one is made when the episode starts.")
    breakpoints_changed = Signal(object)  # frozenset of action names and whole steps

    def __init__(self) -> None:
        super().__init__("Plan")
        self.breakpoints: frozenset[str] = frozenset()
        self.preview = ""  # what the pending answers would do
        self._ghost: PlanChange | None = None  # what would follow from an answer
        self._ghost_words = ""
        self._state = EpisodeState()
        self.head, self.list = PlanDiffHeader(), PlanListView()
        self.list.breakpoint_toggled.connect(self._toggle_breakpoint_at)
        self._preview_label = label("", "small", "accent", wrap=True)  # of more lines than a head has
        self._preview_label.setContentsMargins(t.M, 5, t.M, 6)
        self._preview_label.hide()
        self.set_body(self.head, self._preview_label, self.list)
        self._followed: object = None
        self.clear()

    def display(self, state: EpisodeState) -> None:
        self._state = state
        if state.started is None:
            if not self.has_placeholder:
                self.clear()
            return
        if not state.plan_rows and state.offered_change is None and suggested_plan(state) is None:
            self._empty(state)
            return
        self.hide_placeholder()
        offered = self._ghost or suggested_plan(state) or state.offered_change
        number = state.plan_count + bool(offered)
        lines = plan_lines(state, offered)
        ineffective = state.ineffective_turns
        diff = self._show_head(state, offered)
        lines = recent(lines)
        last = max((i for i, ln in enumerate(lines) if ln.state is not PlanRowState.DROPPED), default=-1)
        ahead = (PlanRowState.TODO, PlanRowState.NEXT, PlanRowState.RUNNING)
        items = tuple(
            PlanListItem(
                replace(line, note=self.vocabulary.in_words(line.note)),
                *self.vocabulary.split_step(line.step),
                fresh=number > 1 and line.plan_number == number and line.state in ahead,
                breakpoint=line.state in ahead and bool(self.breakpoints & {line.step.name, str(line.step)}),
                last=i == last,
                ineffective=line.state is PlanRowState.DONE and line.turn in ineffective,
            )
            for i, line in enumerate(lines)
        )
        self.list.show_steps(items, diff)
        self._follow(lines)

    def show_ghost(self, change: PlanChange | None, words: str = "") -> None:
        """Show what a plan would become, as `words` say; None shows again what it is."""
        self._ghost, self._ghost_words = change, words
        self.display(self._state)

    def _empty(self, state: EpisodeState) -> None:
        self.header.note.set_note("")
        if state.plan_change is None:
            self.show_placeholder("list", "Making the first plan", "Nothing moves while there is none.")
        else:
            reason = self.vocabulary.in_words(state.plan_change.new_plan.reason)
            reason = reason or "Nothing that is believed leads to the goal."
            remedy = "Correct the belief, or end the episode."
            self.show_placeholder("diamond", "No plan", f"{reason}\n{remedy}", "doubt")

    def _show_head(self, state: EpisodeState, offered: PlanChange | None) -> bool:
        """Show what is new; return whether the old numbers are shown as well."""
        revision = offered or state.plan_change
        now = revision is not None and revision.turn == state.turn
        fresh = now and (offered is not None or state.plan_count > 1)
        self.head.setVisible(fresh)
        n = state.plan_count + 1 if offered else state.plan_count
        answers = pending_cards(state) if self._ghost is None else ()
        self.preview = self.preview if answers else ""
        self._preview_label.setText(self.preview)
        self._preview_label.setVisible(bool(self.preview))
        if answers:
            self.header.note.set_note(f"{plural(len(answers), 'answer')} pending")
            return fresh
        if revision is None or not fresh:
            note = f"plan {n}"
            if revision and revision.new_plan.cost is not None:
                note += f" · cost {revision.new_plan.cost:g}"
            if revision and state.plan_count > 1:
                note += f" · made in turn {revision.turn}"
            self.header.note.set_note(note)
            return fresh
        if self._ghost is not None or suggested_plan(state) is not None:
            words = "if you accept the change" if self._ghost is None else self._ghost_words
            self._show_ghost_head(revision, n, words)
            return fresh
        waiting = state.phase is Phase.OFFERED
        self.header.note.set_note("waiting for review" if waiting else "")
        words, level = cause(revision, state, self.vocabulary)
        name, size = (f"Plan {n}", revision.size) if revision.new_plan.steps else ("no plan", "")
        self.head.show_change(f"Plan {n - 1}", name, size, words, level)
        return fresh

    def _show_ghost_head(self, ghost: PlanChange, number: int, words: str) -> None:
        new, old = ghost.new_plan.steps, ghost.old_steps
        self.header.note.set_note(f"{words}: not decided")
        if not new:
            goal = ghost.new_plan.status is PlanStatus.FOUND
            name, size = ("the goal is believed", "") if goal else ("no plan", "")
        elif same_plan(old, ghost.new_plan):
            name, size = "the same plan", plural(len(new), "step")
        else:
            name, size = f"Plan {number}", f"{len(old)} → {ghost.new_plan.size}"
        self.head.show_change(f"Plan {number - 1}", name, size, words, "")

    def _follow(self, lines: tuple[PlanRow, ...]) -> None:
        """Keep the current step in view, unless a person has scrolled elsewhere."""
        now = (PlanRowState.RUNNING, PlanRowState.NEXT)
        at = next((i for i, ln in enumerate(lines) if ln.state in now), None)
        key = (self._state.plan_count, at)
        if at is not None and key != self._followed:
            self._followed = key
            self.list.keep_in_view(min(at + 3, len(lines) - 1), max(0, at - 2), at)

    # --- breakpoints -------------------------------------------------------------------------------------

    def _toggle_breakpoint_at(self, line: PlanRow, every: bool) -> None:
        name = line.step.name if every else str(line.step)
        if not every and line.step.name in self.breakpoints:
            name = line.step.name  # it stops there because of its action: that is what goes
        self.breakpoints = self.breakpoints ^ {name}
        self.breakpoints_changed.emit(self.breakpoints)
        self.display(self._state)

    def toggle_breakpoint(self) -> None:
        """Toggle a breakpoint on the selected step, or on the next one."""
        index = self.list.currentIndex()
        line = index.data(ROW).line if index.isValid() else None
        if line is None:
            rows = self.list.steps.rows
            line = next((r.line for r in rows if r.line.state is PlanRowState.NEXT), None)
        if line is not None:
            self._toggle_breakpoint_at(line, False)

    # --- the keyboard ------------------------------------------------------------------------------------

    def enter(self) -> None:
        self.list.setFocus()

    def select_relative(self, by: int) -> bool:
        self.list.select(self.list.currentIndex().row() + by)
        return bool(self.list.steps.rows)

    def select_step(self, step: Step | None) -> None:
        """Select the first row of this step that is not done; None selects the next one."""
        rows = [(i, r.line) for i, r in enumerate(self.list.steps.rows) if r.line.state not in PAST]
        left = ((i, line) for i, line in rows if line.state is not PlanRowState.DROPPED)
        if (at := next((i for i, line in left if step in (line.step, None)), None)) is not None:
            self.list.select(at)


def plan_lines(state: EpisodeState, offered: PlanChange | None) -> tuple[PlanRow, ...]:
    """Return the plan's rows, with those of a plan that is on offer beside them."""
    if offered is not None:
        return merge_plan(state.plan_rows, offered, state.plan_count + 1)
    if not state.ended:
        return state.plan_rows
    todo = {PlanRowState.NEXT: PlanRowState.TODO}  # nothing comes next any more
    return tuple(replace(ln, state=todo.get(ln.state, ln.state)) for ln in state.plan_rows)


def recent(lines: tuple[PlanRow, ...]) -> tuple[PlanRow, ...]:
    """Return the rows without those done long ago, so that a long episode does not slow the window down."""
    if len(lines) <= KEPT:
        return lines
    past = sum(ln.state in PAST for ln in lines)
    return lines[max(0, past - KEPT) :]


class PlanDiffHeader(Surface):
    """Both plans, and below them the cause of the new one, on as many lines as it needs."""

    def __init__(self) -> None:
        super().__init__("sunken", "b")
        self._old, self._new = label(role="label", tone="muted"), label(role="label", tone="accent")
        self._size, self._cause = (label(role="small", wrap=True) for _ in range(2))
        self._sign = Icon(size=13)
        font = self._old.font()
        font.setStrikeOut(True)
        self._old.setFont(font)
        because = row(self._sign, (self._cause, 1), spacing=6)
        because.setAlignment(self._sign, Qt.AlignmentFlag.AlignTop)
        plans = row(self._old, Icon("arrow", size=12), self._new, (self._size, 1), spacing=6)
        self.setLayout(column(plans, because, spacing=2, margins=(t.M, 5, t.M, 6)))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)

    def show_change(self, old: str, new: str, size: str, cause: str, level: str) -> None:
        for place, words in ((self._old, old), (self._new, new), (self._size, size), (self._cause, cause)):
            place.setText(words)
        set_tone(self._cause, level or "text")
        self._sign.show_as("diamond" if level else "info", f"{level}_fill" if level else "muted")
        self.setAccessibleName(f"{old} becomes {new}: {size}. {cause}")
        set_tooltip(self, f"{old} → {new}: {size}\n{cause}")


def cause(revision: PlanChange, state: EpisodeState, vocabulary: Vocabulary) -> tuple[str, str]:
    """Return why there is a new plan, and its level. Amber marks the contradiction behind it, not
    the plan.
    """
    because = explain(revision.reason, state, vocabulary, revision.old_steps)
    caused = revision.reason.answer is not None or revision.reason.literals
    return f"because {because.sentence}" if caused else because.head, because.level
