"""All that a person can do, as one table: it feeds menus, shortcuts, tooltips, buttons and the help page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.words import pending
from core.episode_state import EpisodeState, Phase

READ = 0.25  # seconds that something has to be on the screen before it can be agreed to
WhyNot = Callable[[EpisodeState], str]  # why it cannot be done now, "" if it can


def always(_: EpisodeState) -> str:
    return ""


def live(story: EpisodeState) -> str:
    return "" if story.is_running else "no episode runs"


def not_live(story: EpisodeState) -> str:
    return "an episode runs: end it first" if story.is_running else ""


def unread(story: EpisodeState) -> str:
    """A double click may not answer for what came after the first of its clicks."""
    return "it has just appeared" if story.now - story.since < READ else ""


def in_phase(phase: Phase, otherwise: str) -> WhyNot:
    return lambda story: live(story) or (unread(story) if story.phase is phase else otherwise)


def stopped(story: EpisodeState) -> str:
    """No `unread` here: it is done by holding."""
    return live(story) or ("" if story.phase is Phase.STOPPED else "no stop is in force")


def at_gate(story: EpisodeState) -> str:
    if story.phase in (Phase.WAITING, Phase.HELP_NEEDED):
        return ""
    return live(story) or "only while the loop waits for your word"


def no_stop(story: EpisodeState) -> str:
    return live(story) or ("release the stop first" if story.phase is Phase.STOPPED else "")


def can_judge(story: EpisodeState) -> str:
    return live(story)


def can_reask(story: EpisodeState) -> str:
    return "" if any(c.model for c in story.cards) else "no question of this picture was answered"


def can_use(story: EpisodeState) -> str:
    return live(story) or (unread(story) if pending(story) else "no answers wait for your look")


def can_undo(story: EpisodeState) -> str:
    return live(story) or ("" if story.undo_count else "there is no override since the last motion")


def can_pause(story: EpisodeState) -> str:
    return live(story)


@dataclass(frozen=True)
class Deed:
    """One thing to do. `keys` are printed on its control; the first one is its shortcut."""

    id: str
    words: str
    tip: str
    group: str
    keys: tuple[str, ...] = ()
    glyph: str = ""
    why_not: WhyNot = always
    hold: bool = False  # done by holding: no shortcut may do it at once
    checkable: bool = False


EPISODE, DECIDE, ANSWER, VIEW, HELP = "Episode", "Decide", "Answer", "View", "Help"

DEEDS: tuple[Deed, ...] = (
    # the episode
    Deed("start", "Start", "Run an episode with what is set up", EPISODE, ("Return",), "play", not_live),
    Deed("setup", "Set up…", "Choose task, robot, answerer and method", EPISODE, ("Ctrl+,",), "pencil"),
    Deed(
        "goal", "Goal of the next episode…", "Change what shall hold at the end", EPISODE, ("Ctrl+G",), "goal"
    ),
    Deed(
        "pause",
        "Pause",
        "Let the motion end, and hold before the next",
        EPISODE,
        ("Space",),
        "pause",
        can_pause,
    ),
    Deed("step", "Step", "Let one step pass, then pause", EPISODE, ("S",), "step", no_stop),
    Deed(
        "end", "End episode", "End it at the next gate; the log is kept", EPISODE, ("Ctrl+E",), "flag", live
    ),
    Deed(
        "stop",
        "Stop motion",
        "Halt the robot now. A software stop, no emergency stop",
        EPISODE,
        ("Esc",),
        "stop",
    ),
    Deed(
        "calibrate",
        "Calibrate a camera…",
        "Find where an arm's camera is, with a board",
        EPISODE,
        (),
        "camera",
    ),
    Deed("bookmark", "Bookmark", "Mark this moment in the log", EPISODE, ("M",), "bookmark", live),
    Deed("quit", "Quit", "Halt the robot, close the log, leave", EPISODE, ("Ctrl+Q",)),
    # deciding
    Deed(
        "approve",
        "Approve",
        "Let the robot do the step that is shown",
        DECIDE,
        ("Return",),
        "check",
        in_phase(Phase.WAITING, "no step is proposed"),
    ),
    Deed(
        "use",
        "Use answers",
        "Let the answers count as the cards show them",
        DECIDE,
        ("Return",),
        "check",
        can_use,
    ),
    Deed(
        "take",
        "Take the new plan",
        "Go on with the new plan",
        DECIDE,
        ("Return",),
        "check",
        in_phase(Phase.OFFERED, "no new plan is offered"),
    ),
    Deed(
        "keep",
        "Keep the old plan",
        "Leave the new plan; you are asked before its next step",
        DECIDE,
        ("O",),
        "undo",
        in_phase(Phase.OFFERED, "no new plan is offered"),
    ),
    Deed(
        "go_on",
        "Hold to go on",
        "Release the stop; what the step touched is asked again",
        DECIDE,
        ("Return",),
        "play",
        stopped,
        hold=True,
    ),
    Deed("choose", "Choose", "Choose another step that can be done now", DECIDE, ("C",), "list", at_gate),
    Deed("correct", "Correct", "Set any atom of the belief by hand", DECIDE, ("B",), "pencil", live),
    Deed("replan", "Re-plan", "Plan again from what is believed", DECIDE, ("R",), "replan", no_stop),
    Deed(
        "undo",
        "Undo",
        "Take back the last override, until motion starts",
        DECIDE,
        ("Ctrl+Z",),
        "undo",
        can_undo,
    ),
    Deed("break", "Breakpoint", "Wait for you before the selected step", DECIDE, ("F9",), "break", live),
    # answering
    Deed("yes", "Yes", "The answer to the focused question is yes", ANSWER, ("Y",), "disc", can_judge),
    Deed("no", "No", "The answer to the focused question is no", ANSWER, ("N",), "ring", can_judge),
    Deed("unknown", "Unknown", "Nobody can tell from this picture", ANSWER, ("U",), "dashring", can_judge),
    Deed(
        "reask",
        "Ask again…",
        "Put the focused question to another model, wording or prompt",
        ANSWER,
        ("A",),
        "eye",
        can_reask,
    ),
    Deed("next", "Next", "The next card or row", ANSWER, ("J",)),
    Deed("previous", "Previous", "The card or row before", ANSWER, ("K",)),
    # looking
    Deed("see", "Camera", "Go to the camera", VIEW, ("1",)),
    Deed("ask", "Questions", "Go to the questions", VIEW, ("2",)),
    Deed("believe", "Belief", "Go to the belief", VIEW, ("3",)),
    Deed("plan", "Plan", "Go to the plan", VIEW, ("4",)),
    Deed(
        "episodes",
        "Episodes…",
        "Go through what was logged: replay, review, compare, charts",
        VIEW,
        ("Ctrl+L",),
        "list",
    ),
    Deed("search", "Search", "Search in the focused panel", VIEW, ("/",), "search"),
    Deed(
        "still", "Picture as asked", "Show the still that the model was asked about", VIEW, ("V",), "expand"
    ),
    Deed("light", "Light", "Light colours", VIEW, (), checkable=True),
    Deed("dark", "Dark", "Dark colours", VIEW, (), checkable=True),
    Deed("system", "As the system", "Light or dark, as the system is", VIEW, (), checkable=True),
    Deed("lock", "Lock panels", "Panels can be neither moved nor closed", VIEW, (), "lock", checkable=True),
    Deed("reset", "Reset layout", "Every panel back in its place", VIEW),
    Deed(
        "mute",
        "Mute",
        "No sound and no flashing when something waits for you",
        VIEW,
        ("Ctrl+M",),
        "mute",
        checkable=True,
    ),
    # help
    Deed("keys", "Keys", "Every key on one page", HELP, ("F1",), "info"),
    Deed("prompts", "Prompts…", "Read the prompts that a model gets, and copy them to edit", HELP),
    Deed("about", "About", "What this program is", HELP),
)
BY_ID = {deed.id: deed for deed in DEEDS}
PRINTED = {"Return": "Enter", "Space": "Space", "Ctrl+Z": "Ctrl+Z"}


def key_of(id: str) -> str:
    """The key as it is printed on a control, "" for none."""
    keys = BY_ID[id].keys
    return PRINTED.get(keys[0], keys[0]) if keys else ""
