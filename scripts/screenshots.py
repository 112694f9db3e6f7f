"""Renders the window in every state, light and dark, at two sizes: look at all of them after a change.

make screenshots ARGS="[--out FOLDER] [--only WORD] [--scene NAME] [--docs]"; `--docs` renews those in docs/.
It drives the real window, the real loop and the real kitchen; nothing on the pictures is made up.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QItemSelectionModel
from PySide6.QtGui import QImage, QPainter, QPixmap
from PySide6.QtWidgets import QApplication

import main
from app.commands import just_appeared
from app.dialogs.trials.trial_run import RunState
from app.dialogs.trials.trials_dialog import TrialsDialog
from app.episode.session import SessionStage
from app.main import SWITCH, Console
from app.preferences import Preferences
from app.theme import styling
from app.theme.styling import ColourMode
from core.belief import Verdict
from core.config import Settings
from core.episode_state import EpisodeState, Phase
from core.plugins import PLUGINS_VARIABLE
from core.stop import heartbeat
from core.supervision import SUPERVISION_PRESETS
from robots.registry import ROBOTS
from scripts.screenshots_arm import arm

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "docs" / "examples"
DOCS = ROOT / "docs" / "screenshots"
SIZES = ((1280, 800), (1920, 1080))
MODES = (ColourMode.LIGHT, ColourMode.DARK)
DOC_SIZE = (1440, 900)
SHOWN = {  # themes shown in docs/; the second one's name is appended to the file name
    "newcomer": ("light",),
    "setup": ("light",),
    "acting": ("dark",),
    "reviewing": ("light",),
    "offered": ("light",),
    "stopped": ("dark",),
    "choose": ("light",),
    "ur5e-robot": ("light",),
    "review_replay": ("light", "dark"),
    "review_blind": ("light",),
    "review_compare": ("light", "dark"),
    "review_charts": ("light", "dark"),
}
README = "offered"  # the scene whose smaller picture is in the README
KITCHEN = Settings(robot="kitchen", seed=3, pace=0.4)
COLOURS = 256
ANSWERERS = ("gpt-4.1-household", "internvl3-78b-household")
ROUNDS = 10  # minimum iterations of Qt's event loop in every wait


class ScreenshotSession:
    """A window that the scenes drive and photograph."""

    def __init__(self, app: QApplication, out: Path, only: str, docs: bool) -> None:
        self.app, self.out, self.only, self.docs = app, out, only, docs
        self.console: Console | None = None
        self.extra = ""  # a panel that is closed by default

    @property
    def at(self) -> Console:
        assert self.console is not None
        return self.console

    @property
    def state(self) -> EpisodeState:
        return self.at.controller.state

    def wait_until(self, seen: Callable[[], object], seconds: float = 60.0) -> bool:
        end = time.monotonic() + seconds
        rounds = 0  # so that a slow machine gets as far as a fast one
        while (not seen() and time.monotonic() < end) or rounds < ROUNDS:
            rounds += 1
            self.app.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            time.sleep(0.003)
        return bool(seen())

    def wait(self, seconds: float) -> None:
        self.wait_until(lambda: False, seconds)

    @contextmanager
    def window(self, settings: Settings, preset: str = "Approve") -> Iterator[None]:
        with tempfile.TemporaryDirectory() as place:
            memory = Preferences(
                Path(place), mode=ColourMode.LIGHT, supervision=SUPERVISION_PRESETS.get(preset)
            )
            self.console = Console(
                self.app, main.make_components, settings, Path(place) / "log.db", memory, ROBOTS
            )
            self.console.window.resize(*DOC_SIZE)
            self.console.show()
            self.wait_until(
                lambda: self.at.controller.session.stage in (SessionStage.READY, SessionStage.OVER)
            )
            self.wait(0.6)
            try:
                yield
            finally:
                self.console.window.close()
                self.console.window.deleteLater()
                self.console = None

    def do(self, command: str) -> None:
        self.at.controller.refresh()
        self.at.window.actions_[command].trigger()

    def pass_until(self, seen: Callable[[], object]) -> bool:
        commands = {
            Phase.REVIEWING: "use",
            Phase.OFFERED: "take",
            Phase.WAITING: "approve",
            Phase.STOPPED: "go_on",
        }

        def look_() -> bool:
            if seen():
                return True
            if self.state.phase in commands and not just_appeared(self.state):
                self.do(commands[self.state.phase])
            return bool(self.state.ended)

        self.wait_until(look_, 120)
        return bool(seen())

    # --- taking pictures ---------------------------------------------------------------------------------

    def save_screenshots(self, name: str) -> None:
        """Save both themes at both sizes; for the guide, one of them at a size in between."""
        if self.only and self.only not in name:
            return
        wanted = [(mode, size, f"_{size[0]}x{size[1]}_{mode.value}") for mode in MODES for size in SIZES]
        if self.docs:
            wanted = [
                (ColourMode(mode), DOC_SIZE, "" if i == 0 else f"_{mode}")
                for i, mode in enumerate(SHOWN.get(name, ()))
            ]
        taken = [(self._take(mode, size), f"{name}{end}.png") for mode, size, end in wanted]
        if self.docs and name == README:
            taken.append((self._take(ColourMode.LIGHT, SIZES[0]), "console.png"))
        for picture, file in taken:  # encoded afterwards: a motion does not wait
            path = (DOCS if self.docs else self.out) / file
            path.parent.mkdir(parents=True, exist_ok=True)
            indexed(picture).save(str(path))
            print(f"{path.name} {path.stat().st_size // 1024} KB", flush=True)

    def _take(self, mode: ColourMode, size: tuple[int, int]) -> QPixmap:
        window, dialog = self.at.window, self.at.controller.dialog
        styling.apply(self.app, mode)
        window.resize(*size)
        window.reset_layout()
        if self.extra:
            window.docks[self.extra].show()
            window.docks[self.extra].raise_()
        if dialog is not None:
            dialog.place()
        else:
            window.setFocus()  # a restored dock passes the focus to the first widget
        self.wait(0.35)
        picture = window.grab()
        if dialog is not None:
            p = QPainter(picture)
            p.drawPixmap(dialog.pos() - window.pos(), dialog.grab())
            p.end()
        return picture


def indexed(picture: QPixmap) -> QImage:
    """Return the picture with a palette of 256 colours: a third of the size, without visible loss."""
    image = picture.toImage().convertToFormat(QImage.Format.Format_RGB888)
    h, w, line = image.height(), image.width(), image.bytesPerLine()
    rgb = np.frombuffer(image.constBits(), np.uint8).reshape(h, line)[:, : w * 3].reshape(-1, 3)
    packed, counts = np.unique(rgb @ np.array([1 << 16, 1 << 8, 1], np.int32), return_counts=True)
    unique = np.stack([packed >> 16, packed >> 8 & 255, packed & 255], 1).astype(np.uint8)
    common = unique[np.argsort(-counts)[:96]].astype(np.float32)  # flat backgrounds and text stay exact
    sample = unique[np.random.default_rng(0).permutation(len(unique))[:8000]].astype(np.float32)
    criteria = (cv2.TERM_CRITERIA_MAX_ITER, 12, 0)
    _, _, centres = cv2.kmeans(
        sample, min(COLOURS - 96, len(sample)), None, criteria, 1, cv2.KMEANS_PP_CENTERS
    )
    palette = np.vstack([common, centres])
    index = np.empty(len(rgb), np.uint8)
    for i in range(0, len(rgb), 65536):
        part = rgb[i : i + 65536].astype(np.float32)
        far = (part**2).sum(1)[:, None] - 2 * part @ palette.T + (palette**2).sum(1)
        index[i : i + 65536] = far.argmin(1)
    pixels = np.ascontiguousarray(np.pad(index.reshape(h, w), ((0, 0), (0, -w % 4))))
    made = QImage(pixels.data, w, h, pixels.shape[1], QImage.Format.Format_Indexed8)
    made.setColorTable(
        [0xFF000000 | int(r) << 16 | int(g) << 8 | int(b) for r, g, b in palette.round().astype(int)]
    )
    return made.copy()


# --- scenes -------------------------------------------------------------------------------------------


def kitchen(s: ScreenshotSession) -> None:
    """An episode with a perfect answerer: every failure is real."""
    with s.window(KITCHEN):
        s.save_screenshots("ready")
        for dialog in ("setup", "keys", "goal"):
            s.do(dialog)
            s.wait(1.5)
            s.save_screenshots(dialog)
            s.at.controller.dialog.reject()  # type: ignore[union-attr]
        s.do("start")
        s.pass_until(lambda: s.state.phase is Phase.WAITING and s.state.turn >= 3)
        s.save_screenshots("waiting")
        s.do("choose")
        s.at.controller.dialog._search.setText("find")  # type: ignore[union-attr]
        s.save_screenshots("choose")
        s.at.controller.dialog.reject()  # type: ignore[union-attr]
        s.do("correct")
        s.save_screenshots("correct")
        s.at.controller.dialog.reject()  # type: ignore[union-attr]
        s.pass_until(lambda: s.state.phase is Phase.OFFERED)
        s.wait(4.0)
        s.save_screenshots("offered")
        s.pass_until(lambda: s.state.acting is not None and s.state.turn >= 6)
        s.wait(0.3)
        s.at.controller.stop()
        s.wait_until(lambda: s.state.phase is Phase.STOPPED)
        s.wait(1.2)
        s.save_screenshots("stopped")
        s.do("end")
        s.wait_until(lambda: s.state.ended)
        s.wait(0.3)
        s.extra = "robot"
        s.save_screenshots("ended")
        s.extra = ""


def moving(s: ScreenshotSession) -> None:
    """An unattended run: the robot opens the cabinet."""
    with s.window(replace(KITCHEN, pace=3.0), "Watch"):
        s.do("start")
        s.wait_until(lambda: s.state.acting is not None and s.state.turn == 2)
        s.wait(1.2)
        s.save_screenshots("acting")
        s.do("end")
        s.at.controller.stop()
        s.wait_until(lambda: s.state.ended)


def newcomer(s: ScreenshotSession) -> None:
    """Nothing is configured yet: what to do first."""
    with s.window(KITCHEN, ""):
        s.save_screenshots("newcomer")


def doubts(s: ScreenshotSession) -> None:
    """A model with measured error rates: answers that wait, an override, a contradiction."""
    with s.window(replace(KITCHEN, answerer="gpt-4.1-household", seed=5), "Assist"):
        s.do("start")
        if s.pass_until(lambda: s.state.phase is Phase.REVIEWING and len(s.state.cards) > 1):
            s.wait(6.0)
            s.save_screenshots("reviewing")
            card = s.at.window.questions._focused_view.card  # type: ignore[union-attr]
            said = card.query.text_verdict(card.model.verdict)  # type: ignore[union-attr]
            s.do("no" if said is Verdict.YES else "yes")
            s.wait(1.0)
            s.save_screenshots("answered")
        s.pass_until(lambda: s.state.contradictions and s.state.phase is Phase.OFFERED)
        s.wait(2.0)
        s.save_screenshots("contradiction")
        s.do("end")
        s.wait_until(lambda: s.state.ended)


def helpless(s: ScreenshotSession) -> None:
    """A person sets a belief from which no plan follows."""
    with s.window(replace(KITCHEN, robot="symbolic", openness=0.0)):
        s.do("start")
        s.pass_until(lambda: s.state.phase is Phase.WAITING)
        parts = s.at.controller.session.components
        assert parts is not None
        atom = next(a for a in parts.task.problem.state if a.predicate == "insource")
        s.at.bindings.correct((s.at.window.belief.operator_answer(atom, Verdict.NO),))
        s.wait_until(lambda: s.state.phase is Phase.HELP_NEEDED)
        s.wait(0.4)
        s.save_screenshots("helpless")
        s.at.controller._broken_panels.add("Plan")
        example = "A part of the program broke (an example). The rest goes on."
        s.at.window.plan.show_placeholder(
            "fault", "This panel broke: Plan", example, "fault", "The log goes on"
        )
        s.at.controller.fault("The camera's thread broke (an example). The rest goes on.")
        s.save_screenshots("broken")
        s.do("end")
        s.wait_until(lambda: s.state.ended)


def logged(s: ScreenshotSession, settings: Settings, preset: str) -> None:
    """Run one more episode for the log; under Assist a person once enters what was expected instead."""
    s.at.controller.prepare(settings)
    s.wait_until(lambda: s.at.controller.session.stage is SessionStage.READY)
    s.at.bindings.set_supervision(SUPERVISION_PRESETS[preset])
    s.do("start")
    if s.pass_until(lambda: s.state.phase is Phase.REVIEWING and not just_appeared(s.state)):
        card = s.at.window.questions._focused_view.card  # type: ignore[union-attr]
        s.do("no" if card.query.text_verdict(card.model.verdict) is Verdict.YES else "yes")  # type: ignore[union-attr]
        s.wait(0.2)
    s.pass_until(lambda: s.state.ended)
    s.wait_until(lambda: s.state.ended, 5)


def reviewed(s: ScreenshotSession) -> None:
    """The review of several episodes: two tasks, two answerers, and a pair in the kitchen."""
    quick = replace(KITCHEN, robot="symbolic", pace=0.0, max_steps=24)
    with s.window(quick, "Watch"):
        review = s.at.review
        for seed in (1, 2, 3):
            for task in ("halve_egg", "store_firewood"):
                for answerer in ANSWERERS:
                    preset = "Assist" if (seed + len(answerer)) % 2 else "Watch"
                    logged(s, replace(quick, task=task, answerer=answerer, seed=seed), preset)
        for answerer in ANSWERERS:
            logged(s, replace(quick, robot="kitchen", answerer=answerer, seed=5), "Assist")
        s.do("episodes")
        s.wait_until(lambda: review.episode_list.model.rowCount() and review.episode_list.model.entry(0))
        s.save_screenshots("review_empty")
        review.episode_list.rows.setCurrentIndex(review.episode_list.model.index(0))
        latest = review.episode_list.model.entry(0)
        assert latest is not None
        review.open(latest.summary.episode)
        s.wait_until(lambda: review.replay.opened is not None)
        review.commands.jump("contradiction", back=True)
        s.save_screenshots("review_replay")
        review.replay.review.blind.setChecked(True)
        s.save_screenshots("review_blind")
        review.replay.review.blind.setChecked(False)
        review.episode_list.rows.clearSelection()
        two = [review.episode_list.model.index(i) for i in range(2)]
        for index in two:
            review.episode_list.rows.selectionModel().select(index, QItemSelectionModel.SelectionFlag.Select)
        review.multi_episode.compare_selected()
        s.wait(2.0)
        s.save_screenshots("review_compare")
        review.episode_list.rows.clearSelection()
        review.show_charts()
        s.wait(2.0)
        s.save_screenshots("review_charts")


def refused(s: ScreenshotSession) -> None:
    """A component that cannot be made says why."""
    with s.window(replace(KITCHEN, task="boil_wter")):
        s.wait(0.5)
        s.save_screenshots("refused")


def plugged(s: ScreenshotSession) -> None:
    """Third-party components: a robot, an answerer, a method and a panel from folders."""
    folders = (EXAMPLES / "plugins", ROOT / "tests" / "fixtures" / "plugins")
    os.environ[PLUGINS_VARIABLE] = os.pathsep.join(map(str, folders))
    grid = Settings(task="", domain=str(EXAMPLES / "grid"), robot="grid", answerer="grid-eye", pace=0.5)
    grid = replace(grid, method="ask-twice", seed=3, options={"robot.slip": "0.5"})
    with s.window(grid, "Assist"):
        s.do("setup")
        s.wait(2.0)
        s.save_screenshots("plugin_setup")
        s.at.controller.dialog.reject()  # type: ignore[union-attr]
        s.do("start")
        s.pass_until(lambda: s.state.turn >= 3 and s.state.phase is Phase.REVIEWING)
        s.wait(0.5)
        s.save_screenshots("plugin_robot")
        s.extra = "rate"
        s.save_screenshots("plugin_panel")
        s.extra = ""
        s.do("end")
        s.wait_until(lambda: s.state.ended)
    with s.window(replace(KITCHEN, answerer="tiny-model", method="asks-model")):
        s.do("start")
        s.pass_until(lambda: s.state.phase is Phase.WAITING and s.state.turn >= 3)
        s.save_screenshots("plugin_method")
        s.at.window.questions.calls[0].summary.click()
        s.save_screenshots("plugin_prompt")
        s.do("end")
        s.wait_until(lambda: s.state.ended)
        review = s.at.review
        s.do("episodes")
        s.wait_until(lambda: review.episode_list.model.rowCount() and review.episode_list.model.entry(0))
        latest = review.episode_list.model.entry(0)
        assert latest is not None
        review.open(latest.summary.episode)
        s.wait_until(lambda: review.replay.opened is not None)
        review.replay.player.go(len(review.replay.player.tape) // 2)
        review.replay.questions.calls[0].summary.click()
        s.save_screenshots("plugin_review")
    del os.environ[PLUGINS_VARIABLE]


def trials(s: ScreenshotSession) -> None:
    """An experiment: chosen, running, done."""
    with s.window(Settings(robot="symbolic", pace=0.0)):
        s.do("trials")
        dialog = s.at.controller.dialog
        assert isinstance(dialog, TrialsDialog)
        s.wait(0.5)
        dialog._profiles[0].setChecked(True)
        dialog._openness.setText("0.5, 1")
        dialog._trials.setValue(5)
        s.save_screenshots("trials_chosen")
        dialog._go.click()
        run = dialog._run
        s.wait_until(lambda: run.progress.done >= 40, 120)
        run.pause()
        s.wait_until(lambda: run.state is RunState.PAUSED)
        s.save_screenshots("trials_paused")
        run.resume()
        s.wait_until(lambda: run.state is RunState.DONE, 240)
        s.save_screenshots("trials_done")


SCENES = (newcomer, kitchen, moving, doubts, helpless, reviewed, refused, plugged, trials, arm)


def run() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path(tempfile.gettempdir()) / "dkprompt-screenshots")
    parser.add_argument("--only", default="", help="only pictures with this in their name")
    parser.add_argument("--scene", default="", choices=["", *(scene.__name__ for scene in SCENES)])
    parser.add_argument("--docs", action="store_true", help="renew the pictures in docs/screenshots")
    given = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    sys.setswitchinterval(SWITCH)
    heartbeat.HEARTBEAT_TIMEOUT = 60.0  # writing pictures holds the GUI thread up, and nobody is in danger
    app = QApplication([])
    studio = ScreenshotSession(app, given.out, given.only, given.docs)
    with tempfile.TemporaryDirectory(prefix="dkp-") as runtime:  # out of reach of a `stop` meant for others
        os.environ["XDG_RUNTIME_DIR"] = runtime
        for scene in SCENES:
            if not given.scene or scene.__name__ == given.scene:
                scene(studio)
    print(DOCS if given.docs else given.out)


if __name__ == "__main__":
    run()
