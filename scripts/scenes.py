"""The table of scenes: settings and supervision of a window, and each picture with the steps before it.

At the end of a scene its episode is ended, if one still runs.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QItemSelectionModel

from app.commands import just_appeared
from app.dialogs.trials.trial_run import RunState
from app.presentation.suggestions import waiting_suggestion
from core.belief import Verdict
from core.config import Settings
from core.episode_state import Phase
from scripts.driver import (
    KITCHEN,
    Driver,
    Scene,
    Step,
    close,
    end,
    list_episodes,
    opened,
    override,
    passes,
    prepare,
    replay,
    stop,
    to,
    waits,
)
from scripts.scenes_of_robots import SCENES_OF_ROBOTS
from scripts.scenes_of_rooms import SCENES_OF_ROOMS

DOUBTS = replace(KITCHEN, answerer="gpt-4.1-household", seed=5)
RARE = replace(DOUBTS, robot="symbolic", pace=0.05)
THIRD = replace(RARE, task="halve_egg", method="careful", answerer="symmetric-34", seed=1)  # errs so often
MANY = replace(KITCHEN, robot="symbolic", pace=0.0, max_steps=24)
STOCK = {"robot.stock": "bowl,dishwasher,sponge", "robot.chance": "0"}
COWP = Settings(task="serve_water", method="cowp", seed=1, options=STOCK)


# --- steps of one scene -------------------------------------------------------------------------------


def helpless(s: Driver) -> None:
    """Set a belief from which no plan follows."""
    atom = next(a for a in s.parts.task.problem.state if a.predicate == "insource")
    s.at.bindings.correct((s.at.window.belief.operator_answer(atom, Verdict.NO),))
    s.wait_until(lambda: s.state.phase is Phase.HELP_NEEDED)


def broken(s: Driver) -> None:
    s.at.controller._display._broken_panels.add("Plan")
    example = "A part of the program broke (an example). The rest goes on.\nThe log goes on."
    s.at.window.plan.show_placeholder("fault", "This panel broke: Plan", example, "fault")
    s.at.controller.fault("The camera's thread broke (an example). The rest goes on.")


def log_fourteen(s: Driver) -> None:
    """Two tasks, two answerers, and a pair in the kitchen; some with a person who once overrides."""
    answerers = ("gpt-4.1-household", "internvl3-78b-household")
    found = [replace(MANY, task=t, seed=n) for n in (1, 2, 3) for t in ("halve_egg", "store_firewood")]
    for settings in (*found, replace(MANY, robot="kitchen", seed=5)):
        for answerer in answerers:
            assists = settings.robot == "kitchen" or (settings.seed + len(answerer)) % 2
            prepare(s, replace(settings, answerer=answerer), "Assist" if assists else "Watch")
            if s.pass_until(lambda: s.state.phase is Phase.REVIEWING and not just_appeared(s.state)):
                override(s)
                s.do(0.2)
            s.pass_until(lambda: s.state.ended)


def select_two(s: Driver) -> None:
    rows, model = s.at.review.episode_list.rows, s.at.review.episode_list.model
    rows.clearSelection()
    for row in (0, 1):
        flags = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
        rows.selectionModel().select(model.index(row, 0), flags)
    s.at.review.compare_selected()


def choose_trials(s: Driver) -> None:
    s.dialog._profiles[0].setChecked(True)
    s.dialog._openness.setText("0.5, 1")
    s.dialog._trials.setValue(5)


def run_trials(s: Driver) -> None:
    run = s.dialog._run
    s.dialog._go.click()
    s.wait_until(lambda: run.progress.done >= 40, 120)
    run.stop()
    s.wait_until(lambda: run.state is RunState.STOPPED)


def tell(sentence: str) -> Step:
    """Tell a situation while a step waits."""

    def step(s: Driver) -> None:
        s.do(to(Phase.WAITING))
        line = s.at.window.questions.situation_line.line
        line.setText(sentence)
        line.returnPressed.emit()

    return step


def edit(s: Driver) -> None:
    s.dialog._typed(0, "predicate", "is_filthy")
    s.do(0.3)
    s.dialog._accept.click()


def ghost(s: Driver) -> None:
    expected = s.card.query.text_verdict(s.card.query.expected)
    s.at.ghosts.show(Verdict.YES if expected is Verdict.NO else Verdict.NO)
    s.wait_until(lambda: s.at.window.plan._ghost, 20)


def show_past(s: Driver) -> None:
    s.at.handover.view.hide()
    s.at.past.show_turn(s.state, 2)
    s.wait_until(lambda: s.at.past.state is not None and not s.at.past_view._to_show)


def fork(s: Driver) -> None:
    s.at.review.fork_controller.here()
    s.wait_until(lambda: s.state.started and "parent" in s.state.started.settings, 30)


def counterfactual(s: Driver) -> None:
    line = s.at.live_links.line
    s.wait_until(line.isVisible)
    line.button.click()
    s.wait_until(lambda: line.found is not None)


def export(s: Driver) -> None:
    actions = s.at.review.episode_actions
    s.told = list[str]()
    actions.reported.connect(s.told.append)
    actions.write((s.state.episode,), Path(os.environ["XDG_RUNTIME_DIR"]) / "episode.html")
    s.wait_until(s.at.review.exporting.isVisible)


ended = passes(lambda state: state.ended)
contradicted = to(Phase.OFFERED, where=lambda state: state.contradictions)
suggested = waits(lambda s: waiting_suggestion(s.state) is not None)
learnt = waits(lambda s: s.state.knowledge)


DIRTY = (tell("the cup is dirty"), suggested, 0.5)


# --- the table ----------------------------------------------------------------------------------------


SCENES = (
    Scene("newcomer", KITCHEN, "", (("newcomer",),)),
    Scene("kitchen", KITCHEN, "Approve", (
        ("ready",),
        ("setup", opened("setup"), waits(lambda s: s.dialog._report), 0.5),
        ("keys", opened("keys"), 1.5),
        ("goal", opened("goal"), 1.5),
        ("waiting", close, to(Phase.WAITING, 3)),
        ("choose", opened("choose"), lambda s: s.dialog._search.setText("find")),
        ("offered", close, to(Phase.OFFERED), 4.0),
        ("stopped", passes(lambda state: state.acting and state.turn >= 6), 0.3, stop, 1.2),
        ("ended", end, 0.3),
    )),
    Scene("moving", replace(KITCHEN, pace=3.0), "Watch", (
        ("acting", "start", waits(lambda s: s.state.acting and s.state.turn == 2), 1.2),
    )),
    Scene("doubts", DOUBTS, "Assist", (
        ("reviewing", to(Phase.REVIEWING, where=lambda state: len(state.cards) > 1), 6.0),
        ("presented", "present", 0.5),
        ("answered", "present", override, 1.0),
        ("contradiction", contradicted, 2.0),
    )),
    Scene("attention", replace(DOUBTS, answerer="eye"), "Approve", (
        ("attention", to(Phase.REVIEWING, 3, lambda state: len(state.cards) > 1), "gaze", 2.0),
    )),
    Scene("helpless", replace(KITCHEN, robot="symbolic", openness=0.0), "Approve", (
        ("helpless", to(Phase.WAITING), helpless, 0.4),
        ("broken", broken),
    )),
    Scene("reviewed", MANY, "Watch", (
        ("review_empty", log_fourteen, list_episodes),
        ("review_replay", replay, lambda s: s.at.review.bar.jump("contradiction", back=True)),
        ("review_blind", lambda s: s.at.review.replay.review.blind.setChecked(True)),
        ("review_compare", lambda s: s.at.review.replay.review.blind.setChecked(False), select_two, 2.0),
    )),
    Scene("refused", replace(KITCHEN, task="boil_wter"), "Approve", (("refused", 0.5),)),
    Scene("trials", Settings(robot="symbolic", pace=0.0), "Approve", (
        ("trials_chosen", opened("trials"), 0.5, choose_trials),
        ("trials_stopped", run_trials),
        ("trials_done", lambda s: s.dialog._go.click(),
         waits(lambda s: s.dialog._run.state is RunState.DONE, 240)),
    )),
    Scene("careful", THIRD, "Assist", (
        ("careful_setup", opened("setup"), waits(lambda s: s.dialog.forecast.result, 120)),
        ("careful_asks", close, to(Phase.REVIEWING, where=lambda state: any(
            (c.query.worth or 0) > 3 for c in state.cards)), 1.0),
        ("careful_ended", ended, 0.5),
    )),
    Scene("cowp", COWP, "Approve", (
        ("cowp_no_use", tell("the moon is full"), 1.0),
        ("cowp_suggested", *DIRTY, 0.5),
        ("cowp_edit", opened("edit_change")),
        ("cowp_accepted", close, 0.5, "accept_change", learnt, 1.0),
        ("cowp_knowledge", opened("knowledge"), 0.5),
        ("cowp_ended", close, ended),
    )),
    Scene("cowp_refused", COWP, "Approve", (
        ("cowp_refused", *DIRTY, "refuse_change", waits(lambda s: s.state.refused_changes), 1.0),
    )),
    Scene("cowp_edited", COWP, "Approve", (
        ("cowp_edited", *DIRTY, opened("edit_change"), edit, learnt, 1.0),
    )),
    Scene("cowp_look", replace(COWP, options={**STOCK, "robot.situation": "the cup is dirty"}), "Approve", (
        ("cowp_look", "start", suggested, lambda s: s.at.window.questions.situation_line.look.click(),
         waits(lambda s: s.state.phase is Phase.REVIEWING), 1.0),
    )),
    Scene("moments", replace(DOUBTS, pace=0.2), "Assist", (
        ("ghost", to(Phase.REVIEWING, 3), ghost),
        ("cause", lambda s: s.at.ghosts.hide(), contradicted, "trace"),
        ("handover", "meanwhile"),
        ("past", show_past),
        ("fork", lambda s: s.at.past.show_now(), end, list_episodes, replay, fork, 1.0),
    )),
    Scene("rare", RARE, "", (
        ("lesson", "start", waits(lambda s: s.at.controller.lesson)),
        ("no_focus", lambda s: s.at.window.top.show_focus(False)),
        ("start_during", lambda s: s.at.window.top.show_focus(True), opened("setup"), 1.0),
    )),
    Scene("rare_end", RARE, "Assist", (
        ("counterfactual", to(Phase.REVIEWING, 3, lambda state: not just_appeared(state)), override, ended,
         counterfactual),
        ("exporting", list_episodes, export),
        ("exported", waits(lambda s: s.told)),
    )),
    *SCENES_OF_ROOMS,
    *SCENES_OF_ROBOTS,
)  # fmt: skip
