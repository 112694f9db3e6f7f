"""Renders the window in every state, light and dark, at two sizes: look at all of them after a change.

make screenshots ARGS="[--out FOLDER] [--only WORD] [--scene NAME] [--docs]"; `--docs` renews those in docs/.
It drives the real window, the real loop and the real kitchen; nothing on the pictures is made up.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QItemSelectionModel
from PySide6.QtWidgets import QApplication

from app.command_reasons import just_appeared
from app.dialogs.trials.trial_run import RunState
from app.dialogs.trials.trials_dialog import TrialsDialog
from app.episode.session import SessionStage
from app.main import SWITCH
from core.belief import Verdict
from core.config import Settings
from core.episode_state import Phase
from core.install_paths import ROOT
from core.plugins import PLUGINS_VARIABLE
from core.stop import heartbeat
from core.supervision import SUPERVISION_PRESETS
from scripts.screenshot_session import DOCS, ScreenshotSession
from scripts.screenshots_arm import arm
from scripts.screenshots_careful import careful
from scripts.screenshots_cowp import cowp
from scripts.screenshots_elsewhere import elsewhere
from scripts.screenshots_moments import moments
from scripts.screenshots_rare import rare

EXAMPLES = DOCS.parent / "examples"
KITCHEN = Settings(robot="kitchen", seed=3, pace=0.4)
ANSWERERS = ("gpt-4.1-household", "internvl3-78b-household")


def kitchen(s: ScreenshotSession) -> None:
    """An episode with the default answerer, the eye."""
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
            card = s.at.window.questions.focused_card
            said = card.query.text_verdict(card.model.verdict)  # type: ignore[union-attr]
            s.do("no" if said is Verdict.YES else "yes")
            s.wait(1.0)
            s.save_screenshots("answered")
        s.pass_until(lambda: s.state.contradictions and s.state.phase is Phase.OFFERED)
        s.wait(2.0)
        s.save_screenshots("contradiction")
        s.do("end")
        s.wait_until(lambda: s.state.ended)


def attention(s: ScreenshotSession) -> None:
    """The eye's answers, and what in the picture counted for one."""
    with s.window(replace(KITCHEN, answerer="eye", seed=5), "Approve"):
        s.do("start")
        s.pass_until(lambda: s.state.phase is Phase.REVIEWING and len(s.state.cards) > 1 and s.state.turn > 2)
        s.do("gaze")
        s.wait(2.0)
        s.save_screenshots("attention")
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
        s.at.controller._display._broken_panels.add("Plan")
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
        card = s.at.window.questions.focused_card
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
        review.bar.jump("contradiction", back=True)
        s.save_screenshots("review_replay")
        review.replay.review.blind.setChecked(True)
        s.save_screenshots("review_blind")
        review.replay.review.blind.setChecked(False)
        review.episode_list.rows.clearSelection()
        two = [review.episode_list.model.index(i) for i in range(2)]
        for index in two:
            review.episode_list.rows.selectionModel().select(index, QItemSelectionModel.SelectionFlag.Select)
        review.compare_selected()
        s.wait(2.0)
        s.save_screenshots("review_compare")


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
        review.replay.player.go(len(review.replay.player.replay) // 2)
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


SCENES = (
    newcomer,
    kitchen,
    moving,
    doubts,
    attention,
    helpless,
    reviewed,
    refused,
    plugged,
    trials,
    careful,
    cowp,
    arm,
    moments,
    elsewhere,
    rare,
)


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
    session = ScreenshotSession(app, given.out, given.only, given.docs)
    with tempfile.TemporaryDirectory(prefix="dkp-") as runtime:  # out of reach of a `stop` meant for others
        os.environ["XDG_RUNTIME_DIR"] = runtime
        for scene in SCENES:
            if not given.scene or scene.__name__ == given.scene:
                scene(session)
    print(DOCS if given.docs else given.out)


if __name__ == "__main__":
    run()
