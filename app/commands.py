"""All commands in one table, which feeds menus, keys, tooltips, buttons, the palette and the help page.

A function for each says why it cannot be done now, "" if it can.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from PySide6.QtGui import QKeySequence

from app.presentation.formatting import pending_cards
from app.presentation.suggestions import waiting_suggestion
from app.theme.styling import ColourMode
from core.belief import Verdict
from core.episode_state import EpisodeState, Phase

READ = 0.25  # seconds that something has to be on the screen before it can be agreed to
DisabledReason = Callable[[EpisodeState], str]  # why it cannot be done now, "" if it can


def always(_: EpisodeState) -> str:
    return ""


def live(state: EpisodeState) -> str:
    return "" if state.is_running else "no episode runs"


def not_live(state: EpisodeState) -> str:
    return "an episode runs: end it first" if state.is_running else ""


def has_ended(state: EpisodeState) -> str:
    return "" if state.ended else "no episode has ended"


def just_appeared(state: EpisodeState) -> str:
    """Refuse while a proposal is so new that a double click meant for something else could answer it."""
    return "it has just appeared" if state.now - state.since < READ else ""


def in_phase(phase: Phase, otherwise: str) -> DisabledReason:
    return lambda state: live(state) or (just_appeared(state) if state.phase is phase else otherwise)


def stopped(state: EpisodeState) -> str:
    """Require a stop; `just_appeared` is not needed, as releasing it takes a hold."""
    return live(state) or ("" if state.phase is Phase.STOPPED else "no stop is in force")


def can_decide_change(state: EpisodeState) -> str:
    suggested = waiting_suggestion(state) is not None
    return live(state) or (just_appeared(state) if suggested else "no change of the domain is suggested")


def no_change_first(otherwise: DisabledReason) -> DisabledReason:
    """Put a waiting change before `otherwise`: Enter must not accept it in the name of a step."""
    first = "decide about the suggested change first"
    return lambda state: first if waiting_suggestion(state) is not None else otherwise(state)


def waiting_at_gate(state: EpisodeState) -> str:
    if state.phase in (Phase.WAITING, Phase.HELP_NEEDED):
        return ""
    return live(state) or "only while a step waits for approval"


def not_stopped(state: EpisodeState) -> str:
    return live(state) or ("release the stop first" if state.phase is Phase.STOPPED else "")


def can_reask(state: EpisodeState) -> str:
    return "" if any(c.model for c in state.cards) else "no question of this picture was answered"


def can_use(state: EpisodeState) -> str:
    return live(state) or (just_appeared(state) if pending_cards(state) else "no answers wait for review")


def can_answer(state: EpisodeState) -> str:
    """Require that what waits has been read, as a verdict counts at once."""
    waits = pending_cards(state) or state.phase is Phase.OFFERED
    return live(state) or (just_appeared(state) if waits else "")


def turned(state: EpisodeState) -> str:
    return "" if state.turn else "no turn has begun"


def can_undo(state: EpisodeState) -> str:
    return live(state) or ("" if state.undo_count else "no override since the last motion")


offered = in_phase(Phase.OFFERED, "no new plan is offered")
can_approve = no_change_first(in_phase(Phase.WAITING, "no step is proposed"))
can_choose = no_change_first(waiting_at_gate)
can_step = no_change_first(not_stopped)


@dataclass(frozen=True)
class Command:
    """A command. `act` is given what it acts on: `app.main.Console`, or the review or the bar of a replay.

    The first of its keys is printed on its control.
    """

    id: str
    text: str
    tooltip: str
    act: Callable[[Any], object]
    keys: str = ""  # apart by spaces
    icon: str = ""
    disabled_reason: Callable[[Any], str] = always  # of an EpisodeState, or of what it acts on
    needs_hold: bool = False  # done by holding: no shortcut may do it at once
    checkable: bool = False

    @property
    def key(self) -> str:
        """Return its key as printed on a control, "" if there is none."""
        return self.keys.partition(" ")[0].replace("Return", "Enter")

    @property
    def sequences(self) -> list[QKeySequence]:
        return [QKeySequence(key) for key in self.keys.split()]


@dataclass(frozen=True)
class Choice:
    """A command by name. `reason` says why it cannot be done now, "" if it can."""

    text: str
    tip: str
    key: str
    act: Callable[[], object]
    icon: str = ""
    reason: str = ""


EPISODE = (
    Command("start", "Start", "Run an episode with this set-up",
            lambda c: c.controller.start(), "Return Enter", "play", not_live),
    Command("connect", "Connect again", "Reach the robot again, as to open its gripper; no episode starts",
            lambda c: c.controller.prepare(c.controller.settings), "", "robot", has_ended),
    Command("cancel_start", "Cancel start", "Break off the start of the robot; nothing has moved",
            lambda c: c.controller.session.cancel_start(), "", "cross", not_live),
    Command("setup", "Set up…", "Choose task, robot, answerer and method",
            lambda c: c.dialogs.set_up(), "Ctrl+,", "pencil"),
    Command("goal", "Goal of the next episode…", "Edit the goal",
            lambda c: c.dialogs.edit_goal(), "Ctrl+G", "goal"),
    Command("pause", "Pause", "Finish the current motion, then wait",
            lambda c: c.bindings.pause(), "Space", "pause", live),
    Command("step", "Step", "Do one step, then pause", lambda c: c.bindings.step(), "S", "step", can_step),
    Command("end", "End episode", "End at the next gate; the log is kept",
            lambda c: c.bindings.end(), "Ctrl+E", "flag", live),
    Command("stop", "Stop motion", "Halt the robot now. A software stop, no emergency stop",
            lambda c: c.controller.stop(), "Esc", "stop"),
    Command("calibrate", "Calibrate a camera…", "Find the pose of an arm's camera with a board",
            lambda c: c.dialogs.calibrate(), "", "camera"),
    Command("things", "Things on the table…",
            "Name what the arm's camera sees, for a scene file; nothing moves",
            lambda c: c.dialogs.show_things(), "", "search", not_live),
    Command("meanwhile", "What happened meanwhile",
            "Tell below the plan what happened since your last bookmark",
            lambda c: c.handover.show_since_mark(), "", "clock", turned),
    Command("bookmark", "Bookmark", "Mark this moment in the log",
            lambda c: c.controller.session.bookmark(), "M", "bookmark", live),
    Command("quit", "Quit", "Halt the robot, close the log, leave", lambda c: c.window.close(), "Ctrl+Q"),
)  # fmt: skip
DECIDE = (
    Command("approve", "Approve", "Let the robot do this step",
            lambda c: c.bindings.approve(), "Return Enter", "check", can_approve),
    Command("accept_change", "Accept change", "Continue with the domain as suggested; nothing moves by this",
            lambda c: c.bindings.decide_change(True), "Return Enter", "check", can_decide_change),
    Command("edit_change", "Edit…", "Change what is suggested, then accept it",
            lambda c: c.dialogs.edit_change(), "E", "pencil", can_decide_change),
    Command("refuse_change", "Refuse change", "Keep the domain as it is; this is not suggested again",
            lambda c: c.bindings.decide_change(False), "O", "cross", can_decide_change),
    Command("use", "Accept answers", "Apply the answers as the cards show them",
            lambda c: c.bindings.submit_answers(), "Return Enter", "check", can_use),
    Command("take", "Accept new plan", "Continue with the new plan",
            lambda c: c.bindings.decide_plan(True), "Return Enter", "check", offered),
    Command("keep", "Keep the old plan", "Keep the old plan; its next step waits for your approval",
            lambda c: c.bindings.decide_plan(False), "O", "undo", offered),
    Command("go_on", "Hold to resume", "Release the stop; what the step affects is asked again",
            lambda c: c.bindings.release_stop(), "Return Enter", "play", stopped, needs_hold=True),
    Command("choose", "Choose", "Choose another step that is possible now",
            lambda c: c.dialogs.choose(), "C", "list", can_choose),
    Command("tell", "Tell a situation", "Say in a sentence what is unusual now, such as: the cup is dirty",
            lambda c: c.window.enter_situation(), "D", "person", live),
    Command("correct", "Correct", "Find any fact in the belief, which Y and N then set",
            lambda c: c.bindings.find_fact(), "B /", "pencil", turned),
    Command("replan", "Re-plan", "Plan again from what is believed",
            lambda c: c.bindings.replan(), "R", "replan", not_stopped),
    Command("undo", "Undo", "Take back the last override or accepted change, until motion starts",
            lambda c: c.bindings.undo(), "Ctrl+Z", "undo", can_undo),
    Command("break", "Breakpoint", "Wait for you before the selected step",
            lambda c: c.window.plan.toggle_breakpoint(), "F9", "break", live),
)  # fmt: skip
ANSWER = (
    Command("yes", "Yes", "The answer to the focused question is yes",
            lambda c: c.bindings.judge(Verdict.YES), "Y", "disc", can_answer),
    Command("no", "No", "The answer to the focused question is no",
            lambda c: c.bindings.judge(Verdict.NO), "N", "ring", can_answer),
    Command("unknown", "Can't tell", "The picture does not show the answer",
            lambda c: c.bindings.judge(Verdict.UNKNOWN), "U", "dashring", can_answer),
    Command("reask", "Ask again…", "Put the focused question to another model, wording or prompt",
            lambda c: c.dialogs.ask_again(), "A", "eye", can_reask),
    Command("gaze", "Where it looked",
            "Light up in the picture what counted for an eye's answer to the focused question",
            lambda c: c.window.questions.gaze.toggle(), "W", "gaze", can_reask),
    Command("next", "Next", "The next card or row", lambda c: c.bindings.select(1), "J"),
    Command("previous", "Previous", "The previous card or row", lambda c: c.bindings.select(-1), "K"),
)  # fmt: skip
VIEW = (
    Command("see", "Camera", "Go to the camera", lambda c: c.bindings.enter(c.window.camera), "1"),
    Command("ask", "Questions", "Go to the questions", lambda c: c.bindings.enter(c.window.questions), "2"),
    Command("believe", "Belief", "Go to the belief", lambda c: c.bindings.enter(c.window.belief), "3"),
    Command("plan", "Plan", "Go to the plan", lambda c: c.bindings.enter(c.window.plan), "4"),
    Command("episodes", "Episodes…", "Open the log: replay, review, compare, report",
            lambda c: c.review.toggle(), "Ctrl+L", "list"),
    Command("trials", "Trials…", "Run many simulated episodes and compare methods",
            lambda c: c.dialogs.show_trials(), "Ctrl+T", "list"),
    Command("knowledge", "What was learnt…", "Read, remove and export what was learnt about the domain",
            lambda c: c.dialogs.show_knowledge(), "Ctrl+K", "page"),
    Command("draft", "Draft a domain…", "Make a domain from a picture and rules, and say who is right",
            lambda c: c.draft(), "Ctrl+D", "pencil"),
    Command("wish", "Wish…", "Say what you wish of the things on a table; see, paint and keep what it means",
            lambda c: c.sheet.toggle(), "Ctrl+W", "goal"),
    Command("palette", "Commands…", "Find any command by its name",
            lambda c: c.dialogs.show_palette(), "Ctrl+P", "search"),
    Command("messages", "Messages", "Show the last messages, with their times",
            lambda c: c.dialogs.show_messages(), "I", "info"),
    Command("still", "Picture as asked", "Show the still that the model was asked about",
            lambda c: c.window.camera.toggle_still(), "V", "expand"),
    Command("trace", "Cause of the plan",
            "Light the answer behind the plan, its fact, its step and its moment",
            lambda c: c.bindings.trace_cause(), "T", "", turned),
    Command("turn_before", "Turn before", "Show the turn before the one shown",
            lambda c: c.past_view.step(-1), ",", "", turned),
    Command("turn_after", "Turn after", "Show the turn after the one shown",
            lambda c: c.past_view.step(1), ".", "", turned),
    Command("now", "Back to now", "Show the present moment again", lambda c: c.past.show_now(), "L", "undo"),
    Command("light", "Light", "Light colours",
            lambda c: c.appearance.set_mode(ColourMode.LIGHT), checkable=True),
    Command("dark", "Dark", "Dark colours", lambda c: c.appearance.set_mode(ColourMode.DARK), checkable=True),
    Command("system", "Follow the system", "Light or dark, like the system",
            lambda c: c.appearance.set_mode(ColourMode.SYSTEM), checkable=True),
    Command("lock", "Lock panels", "Panels can be neither moved nor closed",
            lambda c: c.appearance.lock(), "", "lock", checkable=True),
    Command("reset", "Reset layout", "Move every panel to its default place",
            lambda c: c.bindings.reset_layout()),
    Command("layouts", "Layouts…", "Keep the layout of the panels under a name, or take one that is kept",
            lambda c: c.dialogs.show_layouts()),
    Command("present", "Present", "For visitors: camera, question and plan in large type; again leads back",
            lambda c: (c.past.show_now(), c.bindings.present()), "F11", "expand", checkable=True),
    Command("mute", "Mute", "No sound and no flashing at all",
            lambda c: c.appearance.mute(), "Ctrl+M", "mute", checkable=True),
    Command("sound_waits", "Sound: it waits for you", "One beep, also while you look here",
            lambda c: c.appearance.toggle_sound("waits"), checkable=True),
    Command("sound_doubt", "Sound: a doubt", "Two beeps with a message of doubt",
            lambda c: c.appearance.toggle_sound("doubt"), checkable=True),
    Command("sound_fault", "Sound: a fault", "Three beeps with a message of a fault",
            lambda c: c.appearance.toggle_sound("fault"), checkable=True),
)  # fmt: skip
HELP = (
    Command("keys", "Keys", "Every key on one page",
            lambda c: c.dialogs.show_page(True), "F1", "info"),
    Command("about", "About", "What this program is",
            lambda c: c.dialogs.show_page(False)),
)  # fmt: skip
GROUPS = {"Episode": EPISODE, "Decide": DECIDE, "Answer": ANSWER, "View": VIEW, "Help": HELP}
COMMANDS: tuple[Command, ...] = tuple(command for group in GROUPS.values() for command in group)
BY_ID = {command.id: command for command in COMMANDS}


def with_keys(commands: Iterable[Command]) -> Iterator[Command]:
    """Return those with a key to be listed; what Shift makes of a key, its tooltip says."""
    return (command for command in commands if command.keys and not command.keys.startswith("Shift"))
