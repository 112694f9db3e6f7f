"""Actions on the selected episodes: tags, notes, export, delete and its undo, a profile of a model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QMenu

from app.controls.layout import open_menu
from app.controls.text import file_dialog
from app.main_window import MainWindow
from app.review.episode_list.episode_list_panel import EpisodeListPanel
from app.review.export_process import export_in_process
from app.review.loaded_episode import with_pixels
from app.review.log_worker import LogHandles, LogWorker, Progress
from app.review.replay_page import ReplayPage
from app.review.teach.teach_dialog import TeachDialog, TeachingMaterial, read_material
from app.review.text_dialog import TextDialog
from app.runtime.background_task import BackgroundTask
from core.config import Settings
from core.data_file import write_text
from core.errors import ConsoleError
from core.log.export.registry import extensions
from core.log.labels import profile_toml
from core.review import report
from core.text.plural import plural
from core.vqa.budget import Meter

EXPORT_END = 3.0  # seconds within which a cancelled export has ended


class EpisodeActions(QObject):
    """Asks for what an action needs, over `window`, and has `library` carry it out. GUI thread only."""

    changed = Signal()  # the list is out of date
    reported = Signal(str)  # for the title
    failed = Signal(str)  # one sentence
    progressed = Signal(str, int, int)  # as those of `LogWorker`, of the export

    def __init__(
        self,
        library: LogWorker,
        episode_list: EpisodeListPanel,
        replay: ReplayPage,
        window: MainWindow,
        by: str,
    ) -> None:
        super().__init__(window)
        self._library, self._list, self._replay = library, episode_list, replay
        self._window, self._by = window, by
        self._deleted: list[tuple[str, ...]] = []
        self._written: Callable[[str], object] = lambda _: None  # what comes after an export
        self._exporting = BackgroundTask("export")
        self._exporting.progressed.connect(lambda part: self.progressed.emit("Exporting", *part))
        self._exporting.done.connect(self._exported)

    @property
    def ids(self) -> tuple[str, ...]:
        return self._list.ids

    def open_menu(self) -> None:
        open_menu(self.menu(), self._list.more)

    def menu(self) -> QMenu:
        menu = QMenu(self._list)
        ids = self.ids
        what = "this episode" if len(ids) == 1 else plural(len(ids), "episode")
        entries: list[tuple[str, Callable[[], None], bool]] = [
            (f"Tag {what}…", self.tag, bool(ids)),
            ("Remove its tags", self.untag, len(ids) == 1),
            ("Note on this episode…", self.note, len(ids) == 1),
            (f"Export {what}…", self.export, bool(ids)),
            (f"Delete {what}", self.delete, bool(ids)),
            (
                f"Undo delete of {plural(len(self._deleted[-1]), 'episode')}"
                if self._deleted
                else "Undo delete",
                self.undelete,
                bool(self._deleted),
            ),
            ("Profile of a model, from what people judged…", self.profile, True),
            ("Teach the eye…", self.teach, True),
        ]
        for words, command, on in entries:
            action = menu.addAction(words)
            action.triggered.connect(command)
            action.setEnabled(on)
        return menu

    # --- asked for ---------------------------------------------------------------------------------------

    def _ask(
        self, title: str, hint: str, name: str, text: str, done: str, then: Callable[[str], object]
    ) -> TextDialog:
        dialog = TextDialog(self._window, title, hint, name, text, done)
        dialog.entered.connect(then)
        dialog.open_over()
        return dialog

    def tag(self) -> None:
        ids = self.ids
        if ids:
            words = plural(len(ids), "episode")
            self._ask("Tag", words, "Name of the tag", "", "Tag", lambda name: self.put_tag(ids, name))

    def put_tag(self, ids: tuple[str, ...], name: str) -> None:
        def work(d: LogHandles) -> None:
            for id in ids:
                d.annotations.tag(id, name)

        self._do(work)

    def untag(self) -> None:
        ids = self.ids

        def work(d: LogHandles) -> None:
            for id in ids:
                for name in d.annotations.tags(id):
                    d.annotations.untag(id, name)

        self._do(work)

    def note(self) -> None:
        ids = self.ids
        if len(ids) == 1:
            self._ask("Note", ids[0], "On the whole episode", "", "Keep", lambda x: self.put_note(ids[0], x))

    def note_here(self) -> None:
        """Add a note at the playhead: a bookmark made afterwards."""
        opened, index = self._replay.opened, self._replay.player.index
        if opened is None or not index:
            return
        number = opened.replay.records[index - 1].number
        id, hint = opened.summary.episode, f"at record {number}"
        self._ask("Note", hint, "On this moment", "", "Keep", lambda x: self.put_note(id, x, number))

    def put_note(self, id: str, text: str, number: int | None = None) -> None:
        by = self._by
        self._do(lambda d: d.annotations.add_note(id, text, by, number))

    def export(self) -> None:
        ids = self.ids
        if not ids:
            return
        name = f"{ids[0]}.html" if len(ids) == 1 else "episodes.jsonl"
        title = f"Export, format from the extension: {', '.join(extensions(len(ids)))}"
        dialog = file_dialog(self._window, title, QFileDialog.FileMode.AnyFile)
        dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.selectFile(str(self._library.path.parent / name))
        dialog.fileSelected.connect(lambda file: self.write(ids, Path(file), self._offer))
        dialog.open()

    def _offer(self, said: str, to: Path) -> None:
        """Say what was written, and open it if that is wanted."""
        url = QUrl.fromLocalFile(str(to))
        self._ask("Exported", said, "File", str(to), "Open", lambda _: QDesktopServices.openUrl(url))

    def write(
        self, ids: tuple[str, ...], to: Path, then: Callable[[str, Path], object] = lambda *_: None
    ) -> None:
        """Export these episodes, or all if none is given; call `then` with what is to be said of the file.

        The list and the replay stay usable meanwhile.
        """
        if self._exporting.running:
            self.reported.emit("One export at a time: wait for it, or cancel it")
            return
        log = self._library.path
        self._written = lambda said: then(said, to)
        self.progressed.emit("Exporting", 0, 0)
        self._exporting.start(
            lambda cancel, report: export_in_process(log, ids, to, cancel, lambda *part: report(part))
        )

    def cancel_export(self) -> None:
        self._exporting.cancel()
        self.progressed.emit("", 0, 0)

    def _exported(self, result: str | ConsoleError) -> None:
        self.progressed.emit("", 0, 0)
        if isinstance(result, ConsoleError):
            self.failed.emit(str(result))
        else:
            self.reported.emit(result)
            self._written(result)

    def close(self) -> bool:
        """Cancel the export. Return True if its thread has ended."""
        self._exporting.cancel()
        return self._exporting.join(EXPORT_END)

    def ask_again(self) -> None:
        """Put the card's question to another model; the reply is shown beside, and kept as a note."""
        opened, question = self._replay.opened, self._replay.question
        if opened is None or question is None or self._replay.blind:
            return self.failed.emit("No question can be asked again now: open one, not blind.")
        state = with_pixels(opened.replay.state_at(question.index + 1), opened)
        card = next((c for c in state.cards if c.query.atom == question.query.atom and c.model), None)
        if card is None or state.frame is None or state.frame.rgb is None or state.started is None:
            return self.failed.emit("The picture of this question is not in the log.")
        from app.dialogs.reask import ReaskDialog

        logged = state.started.settings
        model, prompt = logged.get("model", ""), logged.get("prompt", "") or "dkprompt"
        settings = Settings(answerer=logged.get("answerer", ""), model=model, prompt=prompt)
        dialog = ReaskDialog(self._window, card, state.frame, settings, Meter())
        episode, number = opened.summary.episode, question.number
        dialog.noted.connect(lambda words: self.put_note(episode, words, number))
        dialog.open_over()

    def report(self) -> None:
        """Write the figures of the listed or selected episodes beside the log, and open them."""
        which, to = self._list.chosen, self._library.path.parent / "episodes.html"

        def work(d: LogHandles, _: Progress) -> int:
            return report.export(d.store, which, to)

        def show(count: int) -> None:
            self.reported.emit(f"The report of {plural(count, 'episode')} is {to}, its figures beside it")
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(to)))

        self._library.submit(work, show, "Making the report", "report")

    def profile(self) -> None:
        opened = self._replay.opened
        model = opened.summary.answerer if opened else ""
        hint = "error rates per predicate, from labels and overrides"
        self._ask("Profile", hint, "Model, as the log names it", model, "Make", self.write_profile)

    def write_profile(self, model: str) -> None:
        def work(d: LogHandles, _: Progress) -> str:
            safe = "".join(c if c.isalnum() or c in "-._" else "-" for c in model)
            to = self._library.path.parent / f"{safe}-judged.toml"
            write_text(to, profile_toml(d.store, model, to.stem))
            return f"The profile is {to}: in the set-up it can be the answerer, or careful's error rates"

        self._library.submit(work, self.reported.emit, "Making the profile", "profile")

    def teach(self) -> None:
        """Open the dialog that teaches an eye, with the labels of the selected episodes, or of all."""
        ids = tuple(self._list.chosen.ids)

        def show(material: TeachingMaterial) -> None:
            TeachDialog(self._window, material).open_over()

        self._library.submit(lambda d, _: read_material(d.store, ids), show, "Reading labels", "labels")

    # --- deleting ----------------------------------------------------------------------------------------

    def delete(self) -> None:
        """Hide the selected episodes at once; they are deleted when the window closes, unless undone."""
        ids = self.ids
        if not ids:
            return
        self._deleted.append(ids)

        def work(d: LogHandles) -> None:
            for id in ids:
                d.annotations.delete(id)

        self._do(work)
        self.reported.emit(
            f"{plural(len(ids), 'episode')} deleted; More, Undo delete restores until you quit"
        )

    def undelete(self) -> None:
        if self._deleted:
            ids = self._deleted.pop()

            def work(d: LogHandles) -> None:
                for id in ids:
                    if id in d.annotations.deleted:
                        d.annotations.undelete(id)

            self._do(work)
            self.reported.emit(f"{plural(len(ids), 'episode')} restored")

    def _do(self, work: Callable[[LogHandles], object]) -> None:
        self._library.submit(lambda d, _: work(d), lambda _: self.changed.emit())
