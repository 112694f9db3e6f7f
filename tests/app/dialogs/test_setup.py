"""Setting an episode up: whatever can be opened, and what is in the way, in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.dialogs.answerer.answerer_choice import AnswererChoice
from app.dialogs.setup.settings_checker import check_settings
from core.config import Settings
from core.errors import Cancelled
from core.events import EpisodeResult
from core.stop_token import StopToken
from tests.app.conftest import Opened
from tests.app.dialogs.conftest import DOMAIN, PROBLEM, pick, segment, setup, write

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"


@pytest.mark.long
@pytest.mark.usefixtures("real_probe")
def test_that_any_domain_folder_can_be_opened_and_run(opened: Opened, lamps: Path) -> None:
    at = opened(preset="Watch")
    dialog = setup(at)
    dialog.tasks.add_folder(str(lamps))
    at.until(lambda: dialog._report is not None and not dialog._report.blocked)
    assert "switch on right" in " ".join(dialog._report.outline.plan)
    assert dialog.settings.robot == "symbolic"
    dialog._supervision.setCurrentIndex(0)
    at.key(Qt.Key.Key_Return)
    state = at.over()
    assert state.ended is not None and state.ended.result is EpisodeResult.SUCCEEDED
    assert state.started is not None and state.started.domain == "lamps"


def test_that_every_robot_is_listed_with_its_world_and_why_it_does_not_fit(again: Opened) -> None:
    dialog = setup(again())
    robots = dialog._robot
    kitchen, arm = (robots.findData(name) for name in ("kitchen", "ur5e"))
    assert robots.itemText(kitchen) == "Kitchen simulator" and robots.model().item(kitchen).isEnabled()
    assert robots.itemText(arm).startswith("UR5e (Cannot do this task: the arm at the table knows")
    assert not robots.model().item(arm).isEnabled()
    assert dialog.robot == "symbolic" and dialog._world.accessibleName() == "SIM"


@pytest.mark.long
def test_that_one_file_alone_is_not_enough_and_that_is_said(again: Opened, lamps: Path) -> None:
    at = again()
    dialog = setup(at)
    dialog.tasks.add_files([str(lamps / "problem.pddl")])
    assert "one domain and one problem" in dialog.hint.text()


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("domain.pddl", DOMAIN.replace("(lit ?l)))", "(glows ?l)))"), "glows"),
        ("domain.pddl", "(define (domain", "domain.pddl"),
        ("problem.pddl", PROBLEM.replace("right - lamp", "right - cat"), "cat"),
    ],
)
def test_that_a_broken_domain_says_what_is_wrong_and_cannot_be_started(
    again: Opened, lamps: Path, file: str, text: str, said: str
) -> None:
    (lamps / file).write_text(text)
    at = again()
    dialog = setup(at)
    dialog.tasks.add_folder(str(lamps))
    at.until(lambda: dialog._report is not None and dialog._report.blocked)
    assert said in dialog._report.blocked and "\n" not in dialog._report.blocked
    assert not dialog.start.isEnabled() and dialog.start.toolTip() == dialog._report.blocked


@pytest.mark.usefixtures("patched")
def test_that_a_goal_out_of_reach_is_a_doubt_and_no_refusal(tmp_path: Path, lamps: Path) -> None:
    unlit = PROBLEM.replace("(lit right)))", "(not (lit left))))")
    (lamps / "problem.pddl").write_text(unlit)
    report = check_settings(Settings(task="", domain=str(lamps)), StopToken(), tmp_path)
    plan = next(c for c in report.checks if c.name == "Plan")
    assert plan.state == "doubt" and "No plan" in plan.text
    assert not report.blocked


@pytest.mark.usefixtures("patched")
def test_that_a_model_without_a_key_is_refused_with_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr("core.vqa.endpoint.api_keys._from_keyring", lambda name: "")
    report = check_settings(Settings(answerer="openai"), StopToken(), tmp_path)
    assert "OPENAI_API_KEY" in report.blocked


@pytest.mark.usefixtures("patched")
@pytest.mark.parametrize(("method", "refused"), [("careful", True), ("dkprompt", False)])
def test_that_error_rates_which_nobody_measured_are_refused(
    tmp_path: Path, method: str, refused: bool
) -> None:
    options = {"method.error_rates": "nobody"}
    report = check_settings(Settings(method=method, options=options), StopToken(), tmp_path)
    assert ("nobody" in report.blocked) is refused


@pytest.mark.usefixtures("patched")
def test_that_live_video_is_told_with_its_size_before_it_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def told(wanted: bool) -> list[tuple[str, str]]:
        report = check_settings(Settings(live_video=wanted), StopToken(), tmp_path)
        assert not report.blocked
        return [(c.state, c.text) for c in report.checks if c.name == "Video"]

    assert told(False) == []
    monkeypatch.setattr("app.dialogs.setup.settings_checker.find_spec", lambda name: object())
    [(state, words)] = told(True)
    assert state == "info" and "MB per minute" in words
    monkeypatch.setattr("app.dialogs.setup.settings_checker.find_spec", lambda name: None)
    [(state, words)] = told(True)
    assert state == "doubt" and "[video]" in words


def test_that_a_dropped_look_ends(tmp_path: Path) -> None:
    cancel = StopToken()
    cancel.end("dropped")
    with pytest.raises(Cancelled):
        check_settings(Settings(), cancel, tmp_path)


@pytest.mark.parametrize("name", ["perfect", "openai", "ollama:llava:13b", "http://localhost:9/v1"])
def test_that_an_answerer_comes_out_as_it_went_in(qtbot: QtBot, name: str) -> None:
    choice = AnswererChoice(name)
    qtbot.addWidget(choice)
    assert choice.name == name


def test_that_a_key_is_never_in_the_settings_and_is_forgotten(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: dict[str, str] = {}
    monkeypatch.setattr("keyring.set_password", lambda service, name, key: kept.update({name: key}))
    choice = AnswererChoice("openai")
    qtbot.addWidget(choice)
    choice.fields._key.setText("sk-secret")
    assert "sk-secret" not in choice.name
    choice.keep_key()
    assert kept == {"openai": "sk-secret"} and choice.fields._key.text() == ""


def test_that_start_during_an_episode_says_that_it_ends_that_and_enter_does_not(
    again: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = again(preset="Approve")
    prepared, prepare = list[Settings](), at.controller.prepare
    monkeypatch.setattr(at.controller, "prepare", lambda wanted: (prepared.append(wanted), prepare(wanted)))
    at.start("Approve")
    at.until(lambda: at.state.is_running)
    episode = at.state.episode
    for press in ("use", "start"):
        assert at.state.episode == episode and at.state.is_running and not prepared
        at.do("setup")
        setup_dialog = at.controller.dialog
        setup_dialog.tasks.task.setCurrentText("halve egg")
        at.until(lambda dialog=setup_dialog: dialog._report is not None)
        assert setup_dialog.start.text() == "End the running episode and start"
        assert setup_dialog.start.key == "" and setup_dialog.use.key == "Enter"
        setup_dialog.on_enter() if press == "use" else setup_dialog.start.click()
        at.until(lambda: at.controller.dialog is None)
    at.until(lambda: at.state.started is not None and at.state.started.task == "halve_egg")
    assert len(prepared) == 1


@pytest.mark.long
def test_that_the_set_up_of_a_running_episode_is_for_the_next_one(again: Opened) -> None:
    at = again(preset="Approve")
    at.start("Approve")
    at.until(lambda: at.state.is_running)
    episode = at.state.episode
    at.do("setup")
    dialog = at.controller.dialog
    assert dialog is not None
    dialog.tasks.task.setCurrentText("halve egg")
    at.until(lambda: dialog._report is not None and not dialog._report.blocked)
    dialog._use()
    at.qtbot.wait(50)
    assert at.state.episode == episode and at.state.is_running
    at.do("end")
    at.over()
    at.do("start")
    at.until(lambda: at.state.started is not None and at.state.started.task == "halve_egg")


# --- as a person does it ---------------------------------------------------------------------------------


@pytest.mark.long
def test_that_everything_is_chosen_with_keys_and_clicks_and_is_there_after_a_restart(opened: Opened) -> None:
    at = opened(preset="Watch")
    at.ready()
    at.key(Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier)
    dialog = at.controller.dialog
    assert dialog is not None
    at.until(dialog.isVisible)
    pick(dialog.tasks.task, "halve egg")
    pick(dialog._robot, "Symbolic robot")
    segment(dialog._supervision, "Approve")
    write(dialog.numbers.numbers["seed"], "17")
    write(dialog.numbers.numbers["openness"], "0.5")
    write(dialog.numbers.numbers["max_steps"], "33")
    pick(dialog.numbers.pace, "2 × faster")
    QTest.mouseClick(dialog.numbers.video, Qt.MouseButton.LeftButton, pos=QPoint(5, 14))
    at.until(lambda: dialog._report is not None and not dialog._report.blocked)
    names = {check.name for check in dialog._report.checks}
    assert {"Plan", "Answerer", "Log"} <= names and all(check.text for check in dialog._report.checks)
    found = dialog._report.outline
    assert found.description and found.goal and found.plan
    QTest.mouseClick(dialog.start, Qt.MouseButton.LeftButton)
    at.until(lambda: at.state.started is not None)
    told = at.state.started.settings  # type: ignore[union-attr]
    assert at.state.started.task == "halve_egg"  # type: ignore[union-attr]
    assert (told["robot"], told["seed"], told["openness"]) == ("symbolic", "17", "0.5")
    assert at.window.supervision.levels.preset_name == "Approve"
    at.window.close()
    again = opened(remembered=True)
    again.ready()
    kept = again.controller.settings
    assert (kept.task, kept.robot, kept.seed, kept.openness) == ("halve_egg", "symbolic", 17, 0.5)
    assert (kept.pace, kept.max_steps, kept.method, kept.live_video) == (0.5, 33, "dkprompt", True)
    again.do("setup")
    dialog = again.controller.dialog
    assert dialog is not None
    assert dialog.tasks.task.currentText() == "halve egg"
    assert dialog.numbers.numbers["seed"].value() == 17


def test_that_a_pair_of_files_is_opened_in_any_order_in_the_programs_own_dialog(
    again: Opened, lamps: Path
) -> None:
    at = again(preset="Watch")
    dialog = setup(at)
    dialog.tasks.choose_files()
    file_dialog = dialog.findChild(QFileDialog)
    assert file_dialog is not None and file_dialog.testOption(QFileDialog.Option.DontUseNativeDialog)
    file_dialog.setDirectory(str(lamps))
    file_dialog.filesSelected.emit([str(lamps / "problem.pddl"), str(lamps / "domain.pddl")])
    file_dialog.reject()
    at.until(lambda: dialog._report is not None and not dialog._report.blocked)
    settings = dialog.settings
    assert settings.domain_file.endswith("domain.pddl") and settings.problem_file.endswith("problem.pddl")
    dialog._supervision.setCurrentIndex(0)
    dialog._start()
    state = at.over()
    assert state.counts.steps == 1
    assert state.ended is not None and state.ended.result is EpisodeResult.SUCCEEDED


@pytest.mark.long
def test_that_a_set_up_that_was_opened_from_files_is_remembered(opened: Opened, lamps: Path) -> None:
    at = opened(preset="Watch")
    dialog = setup(at)
    dialog.tasks.add_folder(str(lamps))
    at.until(lambda: dialog._report is not None and not dialog._report.blocked)
    dialog._use()
    at.window.close()
    again = opened(remembered=True)
    again.ready()
    again.do("start")
    assert again.over().started.domain == "lamps"  # type: ignore[union-attr]


@pytest.mark.long
def test_that_a_pair_of_files_is_still_chosen_when_the_set_up_opens_again(again: Opened, lamps: Path) -> None:
    at = again(preset="Watch")
    dialog = setup(at)
    dialog.tasks.add_files([str(lamps / "problem.pddl"), str(lamps / "domain.pddl")])
    at.until(lambda: dialog._report is not None and not dialog._report.blocked)
    chosen = dialog.settings
    dialog._use()
    dialog = setup(at)
    assert dialog.settings == chosen and not dialog._report.blocked


@pytest.mark.long
def test_that_a_broken_set_up_can_be_left_without_a_change(again: Opened, lamps: Path) -> None:
    (lamps / "domain.pddl").write_text("(define (domain")
    at = again()
    before = at.controller.settings
    dialog = setup(at)
    dialog.tasks.add_folder(str(lamps))
    at.until(lambda: dialog._report is not None and dialog._report.blocked)
    at.key(Qt.Key.Key_Return)
    assert at.controller.dialog is dialog, "Enter starts nothing that is refused"
    QTest.keyClick(dialog.windowHandle(), Qt.Key.Key_Escape)
    at.until(lambda: at.controller.dialog is None)
    assert at.controller.settings == before
