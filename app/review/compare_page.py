"""Compare two episodes: their steps, their pictures, and where the beliefs differ."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QRectF, QSize, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyleOptionViewItem

from app.controls.header import Header
from app.controls.layout import Separator, Surface, column, row
from app.controls.painted import Painted
from app.controls.rows import ROW, AnyIndex, RowDelegate, RowsModel, State, set_up_view
from app.controls.tooltip import set_tooltip
from app.presentation.belief_differences import belief_differences, goal_differences, knowledge_differences
from app.presentation.formatting import clock
from app.presentation.goal_probability_series import goal_probability_series
from app.presentation.likelihood import percent, verdict_probability
from app.review.goal_plot import GoalPlot
from app.review.loaded_episode import LoadedEpisode, fork_text, with_pixels
from app.review.replay_camera import ReplayCamera
from app.theme import icons, paint, styling
from app.theme import tokens as t
from app.theme.states import LINE, SOURCE, VERDICT
from core import events as ev
from core.belief import Atom
from core.episode_state import EpisodeState, PlanRowState
from core.ports import StepStatus
from core.review.align import ExecutedStep, StepPair, align_steps, first_divergence
from core.state.causes import result_words
from core.text.plural import plural
from core.text.vocabulary import Vocabulary

STATE = {
    StepStatus.DONE: PlanRowState.DONE,
    StepStatus.FAILED: PlanRowState.FAILED,
    StepStatus.HALTED: PlanRowState.HALTED,
}


class StepPairModel(RowsModel[StepPair]):
    def __init__(self) -> None:
        super().__init__()
        self.first: int | None = None  # the first pair that is not the same
        self.vocabularies = (Vocabulary(), Vocabulary())

    def show_pairs(self, pairs: tuple[StepPair, ...], vocabularies: tuple[Vocabulary, Vocabulary]) -> None:
        self.vocabularies, self.first = vocabularies, first_divergence(pairs)
        self.show_rows(pairs)

    def accessible_text(self, row: StepPair) -> str:
        sides = zip(("left", "right"), (row.left, row.right), self.vocabularies, strict=True)
        return "; ".join(f"{side}: {n.describe_step(d.step) if d else 'nothing'}" for side, d, n in sides)


def _model_of(index: AnyIndex) -> StepPairModel:
    model = index.model()
    assert isinstance(model, StepPairModel)
    return model


class StepPairDelegate(RowDelegate):
    """Paints a pair of steps; a row is as high as its text and reasons need."""

    TEXT, TALL = 44, 42  # where words begin; a row with a reason on a second line

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        pair: StepPair = index.data(ROW)
        room = (self.view.width() - t.L) / 2 - 16  # with and without a scroll bar the same
        sides = zip((pair.left, pair.right), _model_of(index).vocabularies, strict=True)
        tall = any(done and _note(done) and not _fits(done, vocabulary, room) for done, vocabulary in sides)
        return QSize(10, self.TALL if tall else t.H_ROW)

    def draw(self, p: QPainter, box: QRectF, state: QStyle.StateFlag, index: AnyIndex) -> None:
        pair: StepPair = index.data(ROW)
        x, y, w, h = box.x(), box.y(), box.width(), box.height()
        model = _model_of(index)
        vocabularies = model.vocabularies
        first = index.row() == model.first
        if not pair.same:
            p.fillRect(box, styling.colour("doubt_soft" if first else "raised"))
        if state & State.State_Selected:
            p.fillRect(box, styling.colour("accent_soft"))
            paint.fill(p, x, y, t.BAR, h, "accent")
        if not pair.same:
            icon, ink = ("diamond", "doubt_fill") if first else ("dash", "muted")
            icons.draw(p, icon, x + w / 2 - 6, y + h / 2 - 6, 12, ink)
        paint.fill(p, x, y + h - 1, w, 1, styling.colour("hair", 0.8))
        for side, done, vocabulary in ((0, pair.left, vocabularies[0]), (1, pair.right, vocabularies[1])):
            self._side(p, done, vocabulary, x + side * (w / 2 + 8), y, w / 2 - 16)

    def _side(
        self, p: QPainter, done: ExecutedStep | None, vocabulary: Vocabulary, x: float, y: float, w: float
    ) -> None:
        h = t.H_ROW
        if done is None:
            paint.text(p, x + 38 + t.M, y, w, h, "not done", "small", "muted")
            return
        state = LINE[STATE[done.status]]
        paint.text(p, x + t.M, y, 24, h, str(done.turn), "small", "muted")
        icons.draw(p, state.icon, x + t.M + 22, y + h / 2 - 7, 14, state.colour)
        verb, rest = vocabulary.split_step(done.step)
        at, note = x + t.M + self.TEXT, _note(done)
        beside = paint.width(note, "small") + t.S if note and _fits(done, vocabulary, w) else 0
        on = at + paint.text(p, at, y, w - self.TEXT, h, verb, "body", "ink") + 5
        paint.text(p, on, y, x + w - on - beside, h, rest, "body", "muted")
        if beside:
            paint.text(p, x, y, w, h, note, "small", "fault", paint.RIGHT)
        elif note:
            paint.text(p, at, y + 20, x + w - at, 18, note, "small", "fault")


def _note(done: ExecutedStep) -> str:
    """Return why a step went otherwise than planned."""
    return done.situation or (LINE[STATE[done.status]].word if done.status is not StepStatus.DONE else "")


def _fits(done: ExecutedStep, vocabulary: Vocabulary, room: float) -> bool:
    """Return True if text and reason fit on one line."""
    verb, rest = vocabulary.split_step(done.step)
    words = paint.width(verb, "body") + 5 + paint.width(rest, "body")
    return t.M + StepPairDelegate.TEXT + words + t.S + paint.width(_note(done), "small") <= room


class BeliefDifferences(Painted):
    """Atoms about which the beliefs differ at this pair."""

    GROUND = "surface"

    def __init__(self) -> None:
        super().__init__()
        self._rows: tuple[tuple[Atom, EpisodeState, EpisodeState], ...] = ()
        self._vocabulary = Vocabulary()
        self.setAccessibleName("Different beliefs")

    def show_states(self, left: EpisodeState, right: EpisodeState, vocabulary: Vocabulary) -> None:
        self._rows = tuple((a, left, right) for a in belief_differences(left.belief, right.belief))
        self._vocabulary = vocabulary
        texts = (
            f"{vocabulary.describe_atom(a)}: {x.belief.verdict(a).value}, {y.belief.verdict(a).value}"
            for a, x, y in self._rows
        )
        self.setAccessibleDescription("; ".join(texts))
        self.update()

    def draw(self, p: QPainter) -> None:
        w, h = self.width(), self.height()
        if not self._rows:
            paint.text(p, t.M, t.S, w, 20, "The beliefs are the same here.", "body", "muted")
            return
        fit = max(1, int(h // t.H_ROW) - 1)
        for i, (atom, left, right) in enumerate(self._rows[:fit]):
            y = i * t.H_ROW
            used = paint.text(p, t.M, y, w * 0.4, t.H_ROW, atom.predicate, "body", "ink")
            room = w * 0.40 - used - 6
            paint.text(p, t.M + used + 6, y, room, t.H_ROW, self._vocabulary.args(atom), "small", "muted")
            for k, state in enumerate((left, right)):
                entry = state.belief.entry(atom)
                x = w * (0.44 + 0.28 * k)
                icons.draw(p, VERDICT[entry.verdict].icon, x, y + 6, 14, "ink")
                word, room = VERDICT[entry.verdict].word, w * 0.28 - 24
                if (sure := verdict_probability(entry.verdict, entry.probability)) is not None:
                    word = f"{word} {percent(sure)}"
                words = f"{word}, {SOURCE[entry.source].word}"
                words = words if paint.width(words, "small") <= room else word
                paint.text(p, x + 20, y, room, t.H_ROW, words, "small", "text")
            paint.fill(p, 0, y + t.H_ROW - 1, w, 1, "hair")
        if len(self._rows) > fit:
            more = f"and {len(self._rows) - fit} more"
            paint.text(p, t.M, fit * t.H_ROW, w, t.H_ROW, more, "small", "muted")


class ComparePage(Surface):
    """Selecting a pair shows both episodes as they were after it."""

    opened = Signal(str, int)  # episode, position: look at it in the replay

    def __init__(self) -> None:
        super().__init__("window")
        self.cameras = (ReplayCamera(), ReplayCamera())
        self._sides: tuple[LoadedEpisode, LoadedEpisode] | None = None
        self.model, self.list = StepPairModel(), QListView()
        self.list.setModel(self.model)
        self.list.setItemDelegate(StepPairDelegate(self.list))
        self.list.setResizeMode(QListView.ResizeMode.Adjust)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        set_up_view(self.list, "Steps side by side")
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
        self.setLayout(column((pictures, 4), Separator(), (below, 5)))

    def show_two(self, left: LoadedEpisode, right: LoadedEpisode) -> None:
        self._sides = (left, right)
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
            self.list.setCurrentIndex(self.model.index(first or 0))
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
            task = s.task.replace("_", " ") + (", fork" if s.parent else "")
            head.note.set_note(f"{task}, {s.answerer}, seed {s.seed}: {result}, {clock(state.now)}")
            set_tooltip(head, f"{s.episode}\n{fork_text(s)}".strip())
            states.append(state)
        self.differences.show_states(states[0], states[1], self._sides[0].vocabulary)
        where = f"after step {at + 1}" if at is not None else "at the end"
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
