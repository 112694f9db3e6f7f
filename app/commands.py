"""All commands in one table, which feeds menus, shortcuts, tooltips, buttons and the help page."""

from __future__ import annotations

from dataclasses import dataclass

from app.command_reasons import (
    DisabledReason,
    always,
    can_answer,
    can_decide_change,
    can_reask,
    can_undo,
    can_use,
    in_phase,
    live,
    no_change_first,
    not_live,
    not_stopped,
    stopped,
    turned,
    waiting_at_gate,
)
from core.episode_state import Phase


@dataclass(frozen=True)
class Command:
    """A command. `key` is its shortcut, printed on its control."""

    id: str
    text: str
    tooltip: str
    group: str
    key: str = ""
    icon: str = ""
    disabled_reason: DisabledReason = always
    needs_hold: bool = False  # done by holding: no shortcut may do it at once
    checkable: bool = False


EPISODE, DECIDE, ANSWER, VIEW, HELP = "Episode", "Decide", "Answer", "View", "Help"

COMMANDS: tuple[Command, ...] = (
    # the episode
    Command("start", "Start", "Run an episode with this set-up", EPISODE, "Return", "play", not_live),
    Command(
        "cancel_start",
        "Cancel start",
        "Break off the start of the robot; nothing has moved",
        EPISODE,
        "",
        "cross",
        not_live,
    ),
    Command("setup", "Set up…", "Choose task, robot, answerer and method", EPISODE, "Ctrl+,", "pencil"),
    Command("goal", "Goal of the next episode…", "Edit the goal", EPISODE, "Ctrl+G", "goal"),
    Command("pause", "Pause", "Finish the current motion, then wait", EPISODE, "Space", "pause", live),
    Command("step", "Step", "Do one step, then pause", EPISODE, "S", "step", no_change_first(not_stopped)),
    Command("end", "End episode", "End at the next gate; the log is kept", EPISODE, "Ctrl+E", "flag", live),
    Command(
        "stop",
        "Stop motion",
        "Halt the robot now. A software stop, no emergency stop",
        EPISODE,
        "Esc",
        "stop",
    ),
    Command(
        "calibrate",
        "Calibrate a camera…",
        "Find the pose of an arm's camera with a board",
        EPISODE,
        "",
        "camera",
    ),
    Command(
        "meanwhile",
        "What happened meanwhile",
        "Tell below the plan what happened since your last bookmark",
        EPISODE,
        "",
        "clock",
        turned,
    ),
    Command("bookmark", "Bookmark", "Mark this moment in the log", EPISODE, "M", "bookmark", live),
    Command("quit", "Quit", "Halt the robot, close the log, leave", EPISODE, "Ctrl+Q"),
    # deciding
    Command(
        "approve",
        "Approve",
        "Let the robot do this step",
        DECIDE,
        "Return",
        "check",
        no_change_first(in_phase(Phase.WAITING, "no step is proposed")),
    ),
    Command(
        "accept_change",
        "Accept change",
        "Continue with the domain as suggested; nothing moves by this",
        DECIDE,
        "Return",
        "check",
        can_decide_change,
    ),
    Command(
        "edit_change",
        "Edit…",
        "Change what is suggested, then accept it",
        DECIDE,
        "E",
        "pencil",
        can_decide_change,
    ),
    Command(
        "refuse_change",
        "Refuse change",
        "Keep the domain as it is; this is not suggested again",
        DECIDE,
        "O",
        "cross",
        can_decide_change,
    ),
    Command(
        "use",
        "Accept answers",
        "Apply the answers as the cards show them",
        DECIDE,
        "Return",
        "check",
        can_use,
    ),
    Command(
        "take",
        "Accept new plan",
        "Continue with the new plan",
        DECIDE,
        "Return",
        "check",
        in_phase(Phase.OFFERED, "no new plan is offered"),
    ),
    Command(
        "keep",
        "Reject new plan",
        "Keep the old plan; its next step waits for your approval",
        DECIDE,
        "O",
        "undo",
        in_phase(Phase.OFFERED, "no new plan is offered"),
    ),
    Command(
        "go_on",
        "Hold to resume",
        "Release the stop; what the step affects is asked again",
        DECIDE,
        "Return",
        "play",
        stopped,
        needs_hold=True,
    ),
    Command(
        "choose",
        "Choose",
        "Choose another step that is possible now",
        DECIDE,
        "C",
        "list",
        no_change_first(waiting_at_gate),
    ),
    Command(
        "tell",
        "Tell a situation",
        "Say in a sentence what is unusual now, such as: the cup is dirty",
        DECIDE,
        "D",
        "person",
        live,
    ),
    Command("correct", "Correct", "Set any atom of the belief by hand", DECIDE, "B", "pencil", live),
    Command("replan", "Re-plan", "Plan again from what is believed", DECIDE, "R", "replan", not_stopped),
    Command(
        "undo",
        "Undo",
        "Take back the last override or accepted change, until motion starts",
        DECIDE,
        "Ctrl+Z",
        "undo",
        can_undo,
    ),
    Command("break", "Breakpoint", "Wait for you before the selected step", DECIDE, "F9", "break", live),
    # answering
    Command("yes", "Yes", "The answer to the focused question is yes", ANSWER, "Y", "disc", can_answer),
    Command("no", "No", "The answer to the focused question is no", ANSWER, "N", "ring", can_answer),
    Command(
        "unknown", "Can't tell", "The picture does not show the answer", ANSWER, "U", "dashring", can_answer
    ),
    Command(
        "reask",
        "Ask again…",
        "Put the focused question to another model, wording or prompt",
        ANSWER,
        "A",
        "eye",
        can_reask,
    ),
    Command(
        "gaze",
        "Where it looked",
        "Light up in the picture what counted for an eye's answer to the focused question",
        ANSWER,
        "W",
        "gaze",
        can_reask,
    ),
    Command("next", "Next", "The next card or row", ANSWER, "J"),
    Command("previous", "Previous", "The previous card or row", ANSWER, "K"),
    # looking
    Command("see", "Camera", "Go to the camera", VIEW, "1"),
    Command("ask", "Questions", "Go to the questions", VIEW, "2"),
    Command("believe", "Belief", "Go to the belief", VIEW, "3"),
    Command("plan", "Plan", "Go to the plan", VIEW, "4"),
    Command("episodes", "Episodes…", "Open the log: replay, review, compare, charts", VIEW, "Ctrl+L", "list"),
    Command("trials", "Trials…", "Run many simulated episodes and compare methods", VIEW, "Ctrl+T", "list"),
    Command(
        "knowledge",
        "What was learnt…",
        "Read, remove and export what was learnt about the domain",
        VIEW,
        "Ctrl+K",
        "page",
    ),
    Command("search", "Search", "Search in the focused panel", VIEW, "/", "search"),
    Command(
        "still", "Picture as asked", "Show the still that the model was asked about", VIEW, "V", "expand"
    ),
    Command(
        "trace",
        "Cause of the plan",
        "Light the answer behind the plan, its fact, its step and its moment",
        VIEW,
        "T",
        "",
        turned,
    ),
    Command("turn_before", "Turn before", "Show the turn before the one shown", VIEW, ",", "", turned),
    Command("turn_after", "Turn after", "Show the turn after the one shown", VIEW, ".", "", turned),
    Command("now", "Back to now", "Show the present moment again", VIEW, "L", "undo"),
    Command("light", "Light", "Light colours", VIEW, "", checkable=True),
    Command("dark", "Dark", "Dark colours", VIEW, "", checkable=True),
    Command("system", "Follow the system", "Light or dark, like the system", VIEW, "", checkable=True),
    Command(
        "lock", "Lock panels", "Panels can be neither moved nor closed", VIEW, "", "lock", checkable=True
    ),
    Command("reset", "Reset layout", "Move every panel to its default place", VIEW),
    Command(
        "mute",
        "Mute",
        "No sound and no flashing when something waits for you",
        VIEW,
        "Ctrl+M",
        "mute",
        checkable=True,
    ),
    # help
    Command("keys", "Keys", "Every key on one page", HELP, "F1", "info"),
    Command("prompts", "Prompts…", "Read the prompts that a model gets, and copy them to edit", HELP),
    Command("about", "About", "What this program is", HELP),
)
BY_ID = {command.id: command for command in COMMANDS}


def key_of(id: str) -> str:
    """Return the key as printed on a control, "" if there is none."""
    return "Enter" if BY_ID[id].key == "Return" else BY_ID[id].key
