"""Compare two episodes: their steps, their pictures, and where the beliefs differ."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtWidgets import QAbstractItemView, QStackedLayout

from app.controls.header import Header
from app.controls.layout import Separator, Surface, column, row, wrap_layout
from app.controls.rows import Cell, RowLook, RowsModel, RowsTable
from app.controls.tooltip import set_tooltip
from app.presentation.formatting import clock, spaced
from app.presentation.hypothesis_rows import goal_probability_series
from app.presentation.likelihood import fine_percent, percent, verdict_probability
from app.review.goal_plot import GoalPlot
from app.review.loaded_episode import LoadedEpisode, fork_text, with_pixels
from app.review.replay_camera import ReplayCamera
from app.theme.states import LINE, SOURCE, VERDICT
from app.widgets.panel import EmptyState
from core import events as ev
from core.belief import Atom, Belief
from core.episode_state import EpisodeState, PlanRowState
from core.ports import StepStatus
from core.review.align import ExecutedStep, StepPair, align_steps, first_divergence
from core.state.causes import result_words
from core.text.plural import plural
from core.text.untrusted_text import one_line
from core.text.vocabulary import Vocabulary

EMPTY = (
    "Nothing to compare yet",
    "Select two episodes in the list (Ctrl+click), then press Compare below it.\n"
    "Most useful for two episodes of one task: the first step that differs is marked.",
)
STATE = {
    StepStatus.DONE: PlanRowState.DONE,
    StepStatus.FAILED: PlanRowState.FAILED,
    StepStatus.HALTED: PlanRowState.HALTED,
}


def _note(done: ExecutedStep | None) -> str:
    """Return why a step went otherwise than planned."""
    if done is None:
        return ""
    return done.situation or (LINE[STATE[done.status]].word if done.status is not StepStatus.DONE else "")


def _side(done: ExecutedStep | None, vocabulary: Vocabulary) -> tuple[Cell, Cell]:
    if done is None:
        return Cell(), Cell("not done", tone="muted", font="small")
    state = LINE[STATE[done.status]]
    said = vocabulary.describe_step(done.step)
    turn = Cell(str(done.turn), tone="muted", font="small", right=True)
    return turn, Cell(said, state.icon, "ink", state.colour)


class StepPairModel(RowsModel[StepPair]):
    def __init__(self) -> None:
        super().__init__(self._row_look, ("", "Left", "", "", "Right"))
        self.first: int | None = None  # the first pair that is not the same
        self.vocabularies = (Vocabulary(), Vocabulary())
        self._pairs: tuple[StepPair, ...] = ()

    def show_pairs(self, pairs: tuple[StepPair, ...], vocabularies: tuple[Vocabulary, Vocabulary]) -> None:
        self.vocabularies, self.first, self._pairs = vocabularies, first_divergence(pairs), pairs
        self.show_rows(pairs)

    def _row_look(self, pair: StepPair) -> RowLook:
        first = self.first is not None and pair is self._pairs[self.first]
        mark = Cell(
            "",
            "" if pair.same else "diamond" if first else "dash",
            icon_tone="doubt_fill" if first else "muted",
        )
        left, right = (_side(d, v) for d, v in zip((pair.left, pair.right), self.vocabularies, strict=True))
        notes = {"left": _note(pair.left), "right": _note(pair.right)}
        note = "; ".join(f"{side}: {words}" for side, words in notes.items() if words)
        spoken = f"left: {left[1].text}; right: {right[1].text}"
        ground = "" if pair.same else "doubt_soft" if first else "raised"
        return RowLook((*left, mark, *right), spoken, spoken, note, "fault", ground=ground)


Difference = tuple[Atom, EpisodeState, EpisodeState]


class BeliefDifferences(RowsTable):
    """Atoms about which the beliefs differ at this pair."""

    def __init__(self) -> None:
        self._vocabulary = Vocabulary()
        self.atoms = RowsModel(self._look, ("Atom", "Left", "Right"))
        super().__init__(self.atoms, "Different beliefs", (0, 0, 0))
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)

    def show_states(self, left: EpisodeState, right: EpisodeState, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self.atoms.show_rows(tuple((a, left, right) for a in belief_differences(left.belief, right.belief)))
        self.setAccessibleDescription("; ".join(self.atoms.spoken))
        self.fit()

    def _look(self, row: Difference) -> RowLook:
        atom, *states = row
        sides = [_believed(atom, state) for state in states]
        name = self._vocabulary.describe_atom(atom)
        spoken = f"{name}: {', '.join(state.belief.verdict(atom).value for state in states)}"
        return RowLook((Cell(name, tone="ink"), *sides), spoken, f"{atom}\n{spoken}")


def _believed(atom: Atom, state: EpisodeState) -> Cell:
    entry = state.belief.entry(atom)
    word, sure = VERDICT[entry.verdict].word, verdict_probability(entry.verdict, entry.probability)
    words = f"{word}{f' {percent(sure)}' if sure is not None else ''}, {SOURCE[entry.source].word}"
    return Cell(words, VERDICT[entry.verdict].icon, "text", "ink", "small")


class ComparePage(Surface):
    """Selecting a pair shows both episodes as they were after it."""

    opened = Signal(str, int)  # episode, position: look at it in the replay

    def __init__(self) -> None:
        super().__init__("window")
        self.cameras = (ReplayCamera(), ReplayCamera())
        self._sides: tuple[LoadedEpisode, LoadedEpisode] | None = None
        self.model = StepPairModel()
        self.list = RowsTable(self.model, "Steps side by side", (30, 0, 24, 30, 0))
        self.list.selectionModel().currentChanged.connect(self._selected)
        self.list.doubleClicked.connect(self._opened)
        self._heads = (Header("Left"), Header("Right"))
        self._steps, self._beliefs = Header("Steps, side by side"), Header("Believed differently")
        self.differences = BeliefDifferences()
        for camera, head in zip(self.cameras, self._heads, strict=True):
            camera.header.hide()
            head.setMinimumWidth(200)
        left = column(self._heads[0], self.cameras[0])
        right = column(self._heads[1], self.cameras[1])
        pictures = row((left, 1), Separator(vertical=True), (right, 1), spacing=0)
        self.goal_plot = GoalPlot()
        steps = column(self._steps, self.list)
        beliefs = column(self._beliefs, (self.differences, 1), self.goal_plot)
        below = row((steps, 3), Separator(vertical=True), (beliefs, 2), spacing=0)
        self._stack, empty = QStackedLayout(self), EmptyState()  # without a parent it would open a window
        empty.show_as("columns", *EMPTY)
        self._stack.addWidget(empty)
        self._stack.addWidget(wrap_layout(column((pictures, 4), Separator(), (below, 5))))

    def show_two(self, left: LoadedEpisode, right: LoadedEpisode) -> None:
        self._sides = (left, right)
        self._stack.setCurrentIndex(1)
        pairs = align_steps(left.replay, right.replay)
        self.model.show_pairs(pairs, (left.vocabulary, right.vocabulary))
        first = self.model.first
        same = sum(pair.same for pair in pairs)
        self._steps.note.set_note(
            f"the same {plural(len(pairs), 'step')}"
            if first is None
            else f"{same} of {len(pairs)} the same, diverged at step {first + 1}"
        )
        for camera, side in zip(self.cameras, self._sides, strict=True):
            camera.vocabulary = side.vocabulary
        ends = (side.replay.state_at(len(side.replay)) for side in self._sides)
        self.goal_plot.show_series(*map(goal_probability_series, ends))
        if pairs:
            self.list.fit()
            self.list.setCurrentIndex(self.model.index(first or 0, 0))
        else:
            self._show(None)

    def _selected(self, now: QModelIndex, _: QModelIndex) -> None:
        if now.isValid():
            self._show(now.row())

    def places(self, at: int | None) -> tuple[int, int]:
        """Return the playheads of both episodes at this pair: after the last step that each had
        done by then.
        """
        assert self._sides is not None
        until = self.model.rows[: at + 1] if at is not None else ()
        left = [p.left.index for p in until if p.left]
        right = [p.right.index for p in until if p.right]
        ends = (len(side.replay) if at is None else 1 for side in self._sides)
        a, b = ends
        return (left[-1] if left else a), (right[-1] if right else b)

    def _show(self, at: int | None) -> None:
        if self._sides is None:
            return
        states = []
        for side, camera, head, place in zip(
            self._sides, self.cameras, self._heads, self.places(at), strict=True
        ):
            state = with_pixels(_seen_after(side, place), side)
            camera.display(state)
            s = side.summary
            result = result_words(s.result, s.true_goal)
            task = spaced(s.task) + (", fork" if s.parent else "")
            head.note.set_note(f"{task}, {s.answerer}, seed {s.seed}: {result}, {clock(state.now)}")
            set_tooltip(head, f"{s.episode}\n{fork_text(s)}".strip())
            states.append(state)
        self.differences.show_states(states[0], states[1], self._sides[0].vocabulary)
        where = f"after step {at + 1}" if at is not None else "at the end"
        where = where if self.differences.atoms.rows else f"{where}, the beliefs are the same"
        self._beliefs.note.set_note(
            " · ".join(filter(None, (where, goal_differences(*states), knowledge_differences(*states))))
        )

    def _opened(self, index: QModelIndex) -> None:
        if self._sides is not None:
            self.opened.emit(self._sides[0].summary.episode, self.places(index.row())[0])


def _seen_after(side: LoadedEpisode, place: int) -> EpisodeState:
    """Return the record after a step was observed and believed, before the next step is proposed."""
    replay = side.replay
    later = next((m.index for m in replay.jump_targets if m.kind == "turn" and m.index > place), None)
    if later is None:
        return replay.state_at(len(replay))
    upto = later
    while upto < len(replay) and not isinstance(
        replay.records[upto].event, ev.ActionProposed | ev.PlanMade | ev.EpisodeEnded
    ):
        upto += 1
    return replay.state_at(upto)


APART = 0.2  # of two probabilities that people should know of


def belief_differences(left: Belief, right: Belief) -> tuple[Atom, ...]:
    """Return the atoms with another verdict, or with probabilities far apart, sorted."""
    atoms = {e.atom for e in left} | {e.atom for e in right}
    return tuple(atom for atom in sorted(atoms) if _differs(atom, left, right))


def _differs(atom: Atom, left: Belief, right: Belief) -> bool:
    if left.verdict(atom) is not right.verdict(atom):
        return True
    a, b = left.probability(atom), right.probability(atom)
    return a is not None and b is not None and abs(a - b) >= APART


def knowledge_differences(left: EpisodeState, right: EpisodeState) -> str:
    """Return what was learnt about the domain on one side only, "" if both know the same."""
    sides = [{one.change for one in state.knowledge if not one.robot} for state in (left, right)]
    said = []
    for word, new in (("left", sides[0] - sides[1]), ("right", sides[1] - sides[0])):
        changes = sorted(change.describe() for change in new if change.lasting)
        said += [f"learnt on the {word}: {one_line('; '.join(changes), 300)}"] if changes else []
    return " · ".join(said)


def goal_differences(left: EpisodeState, right: EpisodeState) -> str:
    """Return how likely the goal is on either side, such as "goal 67 %, 12 %"; "" if neither says."""
    known = [state.goal_probabilities for state in (left, right)]
    if not any(known):
        return ""
    return "goal " + ", ".join(fine_percent(points[-1].probability) if points else "–" for points in known)
