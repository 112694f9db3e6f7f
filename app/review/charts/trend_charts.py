"""Charts over many episodes: metrics, and how often answers were right."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QGridLayout, QMenu, QWidget

from app.controls.badge import SegmentedControl
from app.controls.button import Button, ToolButton
from app.controls.header import Header
from app.controls.layout import Separator, Surface, column, open_menu, row, scroll_area
from app.presentation.logged_episodes import figure_text, group_name
from app.review.charts.answer_charts import PEOPLE, TRUTH, PredicateChart, ReliabilityDiagram, style_plot
from app.theme import styling
from app.theme import tokens as t
from core.review.belief_reliability import BeliefReliability
from core.review.groups import WORDS, EpisodeGroup
from core.review.statistics import MetricCurve, PredicateStatistics
from core.text.plural import plural

DOTS = 400  # episodes up to which each one is a dot
WIDE_AT_FIRST = 3  # intervals, after which an axis has room for all of them


class IntegerAxis(pg.AxisItem):
    """An axis with ticks at integers only."""

    def tickSpacing(self, low: float, high: float, size: float) -> list[tuple[float, float]]:
        return [(max(1.0, round(step)), 0.0) for step, _ in super().tickSpacing(low, high, size)]


class TrendPlot(pg.PlotWidget):
    """One metric over the episodes: a dot each, and the running mean with its 95 % interval."""

    def __init__(self, title: str) -> None:
        whole = {} if title in ("cost", "seconds") else {"left": IntegerAxis("left")}
        super().__init__(enableMenu=False, axisItems={"bottom": IntegerAxis("bottom"), **whole})
        self.title = title
        self._drawn: tuple[Sequence[MetricCurve], ...] = ()
        self.setMouseEnabled(x=False, y=False)
        self.hideButtons()
        self.setMinimumSize(160, 110)
        self.setAccessibleName(title)
        self._restyle()

    def _restyle(self) -> None:
        style_plot(self)
        self.getPlotItem().showGrid(x=False, y=True, alpha=0.12)

    def draw(self, curves: Sequence[MetricCurve]) -> None:
        """Draw the first curve in the text colour, the second dashed and muted, the third dotted and red."""
        self._drawn = (curves,)
        self.clear()
        styles = (
            ("ink", Qt.PenStyle.SolidLine),
            ("muted", Qt.PenStyle.DashLine),
            ("fault", Qt.PenStyle.DotLine),
        )
        scale = 100.0 if curves[0].unit == "%" else 1.0
        most = 0.0
        for curve, (tone, style) in zip(curves, styles, strict=False):
            x = list(range(1, len(curve.values) + 1))
            known = [v * scale for v in curve.values if v is not None]
            most = max([most, *known])
            if len(x) <= DOTS and curve.unit != "%":
                points = [(i, v * scale) for i, v in zip(x, curve.values, strict=True) if v is not None]
                self.plot(
                    [i for i, _ in points],
                    [v for _, v in points],
                    pen=None,
                    symbol="o",
                    symbolSize=4,
                    symbolPen=None,
                    symbolBrush=styling.colour("faint"),
                )
            means = [m * scale for m in curve.means]
            if curve is curves[0]:
                most = max(most, self._draw_interval(curve, scale))
            if any(not math.isnan(m) for m in means):
                self.plot(
                    x, means, pen=pg.mkPen(styling.colour(tone), width=2, style=style), connect="finite"
                )
        if not any(v is not None for curve in curves for v in curve.values):
            none = pg.TextItem("not known of these episodes", styling.colour("muted"), anchor=(0.5, 0.5))
            none.setPos(max(2, len(curves[0].values)) / 2 + 0.5, 0.6)
            self.addItem(none)
        top = 100.0 if curves[0].unit == "%" else most * 1.1 or 1.2
        self.setYRange(0, top, padding=0.03)
        self.setXRange(1, max(2, len(curves[0].values)), padding=0.02)

    def _draw_interval(self, curve: MetricCurve, scale: float) -> float:
        """Fill the interval of the running mean, as far as it is known; return its highest value."""
        known = [(i, *interval) for i, interval in enumerate(curve.intervals, 1) if interval is not None]
        if not known:
            return 0.0
        x = [i for i, _, _ in known]
        low, high = (pg.PlotDataItem(x, [max(0.0, k[side]) * scale for k in known]) for side in (1, 2))
        band = pg.FillBetweenItem(low, high, brush=styling.colour("muted", 0.18))
        self.addItem(band)
        return scale * max(high for _, _, high in known[min(WIDE_AT_FIRST, len(known) - 1) :])

    def restyle(self) -> None:
        self._restyle()
        for curves in self._drawn:
            self.draw(curves)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


def _titled(title: str, plot: QWidget, note: str = "") -> Surface:
    head = Header(title, height=30)
    head.note.set_note(note)
    made = Surface()
    made.setLayout(column(head, plot, margins=(0, 0, t.S, t.XS)))
    return made


ALL = ("success", "turns", "re-plans", "overrides", "seconds", "cost")
OUTCOMES = ("goal true", "goal believed", "false claims")  # solid, dashed, dotted
NOTES = {  # the band is the interval of the first line
    "success": "dashed: believed, dotted: false, grey: 95 %",
    "seconds": "per episode, grey: 95 % interval",
    "cost": "US dollars, grey: 95 % interval",
}


class Charts(Surface):
    """Charts of one model's episodes, or of all models together if a person asked for that."""

    model_chosen = Signal(object)  # its name, or None for all together

    def __init__(self) -> None:
        super().__init__("window")
        self.setAccessibleName("Charts")
        self.models, self.export = (
            Button("", "down", "", "quiet", 24),
            ToolButton("export", "Export the charts"),
        )
        self.models.clicked.connect(self._open_models)
        self._models: tuple[EpisodeGroup, ...] = ()
        self.head = Header("Charts of", self.models, self.export, height=34)
        self.plots: dict[str, TrendPlot] = {}
        self._todo: dict[str, tuple[MetricCurve, ...]] = {}
        self._drawing = QTimer(self, interval=0)
        self._drawing.timeout.connect(self._draw_one)
        self._grid = QGridLayout()
        self._grid.setSpacing(1)
        self._grid.setContentsMargins(0, 0, 0, 0)
        for i in range(3):
            self._grid.setColumnStretch(i, 1)
            self._grid.setRowStretch(i // 2, 1)
        self.predicates = PredicateChart()
        self.predicates.chosen_changed.connect(self._judged)
        self.reliability: ReliabilityDiagram | None = None
        self._tallies: tuple[PredicateStatistics, ...] = ()
        self._beliefs: tuple[BeliefReliability, ...] = ()
        self.label_sources = SegmentedControl(("People", "Simulator"), 0, "Right as")
        self.label_sources.setToolTip("Correct according to people, or to the simulator")
        self.label_sources.changed.connect(self._judged)
        self._answers = Header("Answers per predicate", self.label_sources, height=34)
        self.sure_of = SegmentedControl(("Answers", "Beliefs"), 0, "Calibration of")
        self.sure_of.setToolTip("How sure the model was of its answers, or the method of the facts")
        self.sure_of.changed.connect(self._judged)
        self._sure = Header("Calibration", self.sure_of, height=34)
        left, right = Surface(), Surface()
        left.setLayout(column(self._answers, scroll_area(self.predicates)))
        self._curve = column(self._sure, margins=(0, 0, t.S, t.XS))
        right.setLayout(self._curve)
        below = row((left, 3), Separator(vertical=True), (right, 2), spacing=0)
        self.setLayout(column(self.head, (self._grid, 1), Separator(), (below, 1)))

    def make_next_plot(self) -> bool:
        """Make the next plot; return False if all exist. Each blocks the GUI thread for a while."""
        i = len(self.plots)
        if i < len(ALL):
            name = ALL[i]
            self.plots[name] = TrendPlot(name)
            note = NOTES.get(name, "per episode, grey: 95 % interval")
            titled = _titled(name.capitalize(), self.plots[name], note)
            self._grid.addWidget(titled, i // 3, i % 3)
            return True
        if self.reliability is None:
            self.reliability = ReliabilityDiagram()
            self._curve.addWidget(self.reliability, 1)
            return True
        return False

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            if self.reliability is not None:
                self.reliability.restyle()
            for plot in self.plots.values():
                plot.restyle()

    def show_models(self, models: tuple[EpisodeGroup, ...], shown: EpisodeGroup | None) -> None:
        """Offer these models; the charts are of `shown`, which has no value for all models together."""
        self._models = models
        self.models.relabel(group_name(shown) if shown else "no model")
        told = []
        if shown is not None:
            of = sum(group.episodes for group in models)
            told.append(f"{group_name(shown)}: {shown.episodes} of {plural(of, 'ended episode')}")
            for name in ("true_goal", "false_claims", "turns"):
                value, interval = figure_text(name, shown.figures[name])
                told.append(f"{WORDS[name]} {value}" + (f" ({interval})" if interval else ""))
        self.head.note.set_note(" · ".join(told))

    def _open_models(self) -> None:
        menu = QMenu(self)
        for group in self._models:
            words = f"{group_name(group)} ({plural(group.episodes, 'episode')})"
            menu.addAction(words).setData(group.values[0])
        if len(self._models) > 1:
            menu.addSeparator()
            menu.addAction("All models together")
        menu.triggered.connect(lambda action: self.model_chosen.emit(action.data()))
        open_menu(menu, self.models)

    def show_curves(self, curves: Sequence[MetricCurve]) -> None:
        by_name = {curve.name: curve for curve in curves}
        self._todo = {name: (by_name[name],) for name in ALL[1:]}
        self._todo["success"] = tuple(by_name[name] for name in OUTCOMES)
        self._drawing.start()

    def _draw_one(self) -> None:
        """Draw one plot, then let the GUI thread handle events."""
        name, curves = self._todo.popitem()
        self.plots[name].draw(curves)
        if not self._todo:
            self._drawing.stop()

    def show_tallies(self, tallies: tuple[PredicateStatistics, ...]) -> None:
        self._tallies = tallies
        self._judged()

    def show_beliefs(self, beliefs: tuple[BeliefReliability, ...]) -> None:
        self._beliefs = beliefs
        self._judged()

    def _judged(self) -> None:
        tallies, judge = self._tallies, (PEOPLE, TRUTH)[self.label_sources.current_index]
        if self.reliability is None:
            return
        self.predicates.show_tallies(tallies, judge)
        chosen = self.predicates.chosen
        of_answers = self.sure_of.current_index == 0
        rows: Sequence[PredicateStatistics | BeliefReliability] = tallies if of_answers else self._beliefs
        self.reliability.show_shares([judge.of(x) for x in rows if chosen in ("", x.predicate)])
        known = sum(judge.of(x).total for x in tallies)
        answers = plural(sum(x.answers for x in tallies), "answer")
        self._answers.note.set_note(f"{answers}, {known} {judge.text}")
        sure = sum(n for _, _, n in self.reliability.bins)
        of, none = ("answer", "no confidence") if of_answers else ("fact", "no probability")
        count = plural(sure, of) if sure else f"{none} to compare"
        self._sure.note.set_note(f"{chosen}: {count}" if chosen else count)
