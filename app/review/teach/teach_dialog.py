"""Teach an eye with what the log knows: choose, see before and after, keep or discard, go back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QSize, Qt

from app.controls.badge import Chip
from app.controls.layout import column, label, row
from app.controls.list_picker import ListPicker, PickerItem
from app.controls.progress_line import ProgressLine
from app.controls.text import ReadOnlyText
from app.dialogs.overlay_dialog import OverlayDialog
from app.main_window import MainWindow
from app.review.teach.teach_page import labels_page, taught_page
from app.review.teach.teach_process import TeachingJob, TeachingResult, teach_in_process
from app.runtime.background_task import BackgroundTask
from app.theme import tokens as t
from core.errors import ConsoleError
from core.install_paths import as_called_here
from core.log.store import Store
from core.text.plural import plural
from core.vqa.eye.eye_file import shortfall
from core.vqa.eye.teaching import versions
from core.vqa.eye.teaching.labels import (
    LabelSource,
    PictureLabel,
    choose,
    count_labels,
    count_sources,
    read_labels,
)
from core.vqa.eye.teaching.versions import EyeVersion

END = 3.0  # seconds within which a cancelled teaching has ended


@dataclass(frozen=True)
class TeachingMaterial:
    """What the dialog opens with, read on the log's thread."""

    log: Path
    episodes: tuple[str, ...]  # none: all
    labels: tuple[PictureLabel, ...]
    versions: tuple[EyeVersion, ...]


def read_material(store: Store, episodes: tuple[str, ...]) -> TeachingMaterial:
    """Read labels and versions. Raises LogError."""
    return TeachingMaterial(store.path, episodes, read_labels(store, episodes), versions.versions())


class TeachDialog(OverlayDialog):
    """Nothing is taught or used by itself. GUI thread only; teaching has a process of its own."""

    def __init__(self, window: MainWindow, material: TeachingMaterial) -> None:
        which = plural(len(material.episodes), "episode") if material.episodes else "all episodes"
        super().__init__(window, "Teach the eye", f"with labels of {which}", QSize(900, 620))
        self._material = material
        self._taught: TeachingResult | None = None
        self._list = ListPicker("Versions")
        self._list.setFixedWidth(280)
        self._page, self._status = ReadOnlyText("", "Labels"), label("", "small", "muted", wrap=True)
        self._page.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        counts = count_sources(material.labels)
        self._chips = {s: Chip(f"{s.value} {n}", n > 0) for s, n in counts.items()}
        self._progress = ProgressLine()
        self._progress.cancelled.connect(self._cancel)
        chips = row(*self._chips.values(), 1, self._progress, spacing=t.S)
        right = column(chips, (self._page, 1), self._status, spacing=t.S, margins=(t.L, t.M, t.L, t.M))
        self.set_body(row(self._list, (right, 1), spacing=0))
        self.use = self.button("Use this version", self._use, "undo")
        self.discard = self.button("Discard", self._discard, "close")
        self.keep = self.button("Keep", self._keep, "check", primary=True)
        self.teach = self.button("Teach", self._teach, "pencil", primary=True)
        self.close_ = self.button("Close", self.reject)
        self._counting, self._work = BackgroundTask("labels"), BackgroundTask("teaching")
        self._counting.done.connect(self._counted)
        self._work.done.connect(self._worked)
        self._work.progressed.connect(lambda part: self._progress.show_progress("Teaching", *part))
        for chip in self._chips.values():
            chip.toggled.connect(self._count)
        self._list.moved.connect(self._show_buttons)
        self.finished.connect(self._left)
        self._show_versions(material.versions)
        self._count()

    # --- what there is -----------------------------------------------------------------------------------

    @property
    def sources(self) -> tuple[LabelSource, ...]:
        return tuple(source for source, chip in self._chips.items() if chip.isChecked())

    @property
    def version(self) -> EyeVersion | None:
        """Return the chosen version, with which teaching begins."""
        key = self._list.current.key if self._list.current else None
        return key if isinstance(key, EyeVersion) else None

    def _show_versions(self, found: Sequence[EyeVersion]) -> None:
        items = tuple(
            PickerItem(
                f"{v.card.name} {v.card.version}",
                v,
                f"{'In force. ' if v.in_force else ''}{_doubt(v)}{v.card.trained_on}",
                "check" if v.in_force else "eye",
            )
            for v in found
        )
        self._list.show_items(items, next((v for v in found if v.in_force), None))
        if not items:
            self._show_message(as_called_here("There is no eye yet: docs/eye.md says how to train one."))
        self._show_buttons()

    def _count(self) -> None:
        labels, sources = self._material.labels, self.sources
        self._counting.start(lambda cancel, _: count_labels(choose(labels, sources)))

    def _counted(self, counts: object) -> None:
        assert isinstance(counts, dict)
        if self._taught is None:
            self._page.show_page(labels_page(counts))

    def _show_buttons(self) -> None:
        taught, version = self._taught is not None, self.version
        busy = self._work.running
        for button in (self.keep, self.discard):
            button.setVisible(taught)
            button.setEnabled(not busy)
        for button in (self.teach, self.use):
            button.setVisible(not taught)
        self.teach.setEnabled(version is not None and not busy)
        self.use.setEnabled(version is not None and not version.in_force and not busy)
        for chip in self._chips.values():
            chip.setEnabled(not taught and not busy)

    def _show_message(self, words: str, tone: str = "muted") -> None:
        self._status.say(words, tone)

    # --- teaching ----------------------------------------------------------------------------------------

    def _teach(self) -> None:
        version, m = self.version, self._material
        if version is None:
            return
        names = tuple(source.value for source in self.sources)
        job = TeachingJob(str(m.log), str(version.folder), names, m.episodes)
        self._show_message("The version in force stays so meanwhile.")
        self._progress.show_progress("Teaching")
        self._work.start(lambda cancel, report: teach_in_process(job, cancel, lambda *part: report(part)))
        self._show_buttons()

    def _cancel(self) -> None:
        self._work.cancel()
        self._progress.show_progress("")
        self._show_message("Cancelled; nothing has changed.")
        self._show_buttons()

    def _keep(self) -> None:
        if self._taught is not None:
            folder, self._taught = self._taught.folder, None
            self._change(lambda: versions.keep(folder))

    def _use(self) -> None:
        version = self.version
        if version is not None:
            self._change(lambda: versions.activate(version.card.name, version.card.version))

    def _discard(self) -> None:
        if self._taught is not None:
            folder, self._taught = self._taught.folder, None
            self._work.start(lambda cancel, _: versions.discard(folder))
            self._show_message("Discarded; nothing has changed.")
            self._count()

    def _change(self, what: object) -> None:
        assert callable(what)
        self._work.start(lambda cancel, _: (what(), versions.versions()))
        self._show_buttons()

    def _worked(self, result: object) -> None:
        self._progress.show_progress("")
        if isinstance(result, ConsoleError):
            self._show_message(str(result), "fault")
        elif isinstance(result, TeachingResult):
            self._taught = result
            self._page.show_page(taught_page(result))
            self._show_message("")
        elif isinstance(result, tuple):
            now, found = result
            self._show_message(f"{now.card.name} {now.card.version} is in force from the next episode on.")
            self._show_versions(found)
            self._count()
        self._show_buttons()

    def _left(self) -> None:
        """Leave nothing behind that was not kept."""
        self._work.cancel()
        if self._taught is not None:
            versions.discard(self._taught.folder)


def _doubt(version: EyeVersion) -> str:
    """Return in few words that a version is in doubt; the set-up and the episode say all of it."""
    return "Not shown to be good enough. " if shortfall(version.card) else ""
