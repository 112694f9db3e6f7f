"""What the commands of the window do that takes more than one call, and the signals that lead to them."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from app.appearance import Appearance
from app.console_controller import ConsoleController
from app.dialogs.dialog_manager import DialogManager
from app.presentation.formatting import pending_cards, verdict_text
from app.presentation.what_if import effect_preview
from app.widgets.panel import Panel
from core.belief import Answer, Verdict
from core.episode_state import EpisodeState, Phase
from core.operator import Approve, Choose, Correct, RefuseSuggestion, Replan, TellSituation, Undo
from core.ports import Embodiment
from core.state.causes import explain
from core.supervision import SupervisionLevels


class CommandBindings(QObject):
    """Carries out commands. Unavailable ones are disabled, so no method checks that again."""

    def __init__(self, controller: ConsoleController, dialogs: DialogManager, appearance: Appearance) -> None:
        super().__init__(controller)
        self.controller, self.window = controller, controller.window
        self._hold_state: EpisodeState | None = None
        self._connect_signals(dialogs, appearance)

    def _connect_signals(self, dialogs: DialogManager, appearance: Appearance) -> None:
        controller, w = self.controller, self.window
        w.top.stop.pressed.connect(controller.stop)
        w.decision.primary.hold_began.connect(self._hold_began)
        w.decision.primary.hold_ended.connect(self._hold_ended)
        w.top.mute.clicked.connect(w.actions_["mute"].trigger)
        w.robot.again.bind_action(w.actions_["connect"], icon="robot")
        w.supervision.changed.connect(self.set_supervision)
        w.camera.frame_age_changed.connect(lambda age, level: w.top.frame.show_text(age, level=level))
        w.questions.reask.bind_action(w.actions_["reask"])
        w.questions.corrected.connect(self.correct)
        w.questions.situation_line.submitted.connect(self.report_situation)
        w.questions.drafted.connect(self.refresh_preview)
        w.questions.answered.connect(self.submit_answers)
        w.questions.lit_changed.connect(controller.show_decision)
        w.questions.refused.connect(self._refuse)
        w.decision.judged.connect(self._answer)
        w.key_ignored.connect(self._refuse_key)
        QApplication.instance().focusChanged.connect(self._focus_moved)  # type: ignore[union-attr]
        w.belief.draft = w.questions.draft
        w.questions.effect_preview = w.belief.effect_preview = self.effect_preview
        w.belief.corrected.connect(self.correct)
        w.belief.undo.bind_action(w.actions_["undo"])
        w.plan.breakpoints_changed.connect(self.set_breakpoints)
        w.status.opened.connect(w.actions_["messages"].trigger)
        w.status.noted.connect(appearance.sound)
        controller.waits.connect(partial(appearance.sound, "waits"))
        dialogs.adopted.connect(w.questions.adopt)

    # --- deciding ----------------------------------------------------------------------------------------

    def _hold_began(self) -> None:
        """Keep the state that was shown when the hold began: the hold answers that state, not a later one."""
        self._hold_state = self.controller.state

    def _hold_ended(self) -> None:
        self._hold_state = None

    def _state_seen(self) -> EpisodeState:
        seen, self._hold_state = self._hold_state or self.controller.state, None
        return seen

    def approve(self) -> None:
        """Approve the step, with the candidate that a person chose; after a pause by itself, resume."""
        if self.controller.lesson:
            self.controller.session.resume()
            return
        seen = self._state_seen()
        taken = self.window.camera.grasp_overlay.chosen_step(seen.proposal)
        if taken is not None:
            self.controller.session.reply(seen, Choose(taken, self.controller.by))
        else:
            self.controller.session.reply(seen, Approve(self.controller.by))

    def decide_change(self, accept: bool) -> None:
        """Accept or refuse the suggested change of the domain."""
        by = self.controller.by
        self.controller.session.reply(self._state_seen(), Approve(by) if accept else RefuseSuggestion(by))

    def decide_plan(self, accept: bool) -> None:
        self.controller.session.accept_plan(self.controller.state, accept)

    def replan(self) -> None:
        self.controller.session.submit(Replan(self.controller.by))

    def report_situation(self, sentence: str) -> None:
        """Tell the running method what is unusual; it is taken in this turn, and moves nothing."""
        self.controller.session.submit(TellSituation(sentence, self.controller.by))

    def submit_answers(self) -> None:
        self.controller.session.submit_answers(self.controller.state, self.window.questions.answers())

    def release_stop(self) -> None:
        self.controller.session.release_stop(self._state_seen())

    def correct(self, answers: tuple[Answer, ...]) -> None:
        """Submit a correction; what is under review it answers there."""
        cards = {card.query.atom: card for card in pending_cards(self.controller.state)}
        for answer in answers:
            if card := cards.get(answer.atom):
                self.window.questions.adopt(card, answer.verdict, answer.raw_reply)
        if rest := tuple(a for a in answers if a.atom not in cards):
            self.controller.session.submit(Correct(rest, self.controller.by))
            said = ", ".join(map(self.window.questions.vocabulary.describe_answer, rest))
            self.window.status.say(f"You say {said}: it counts before the next action.")

    def end(self) -> None:
        """End the episode; a motion under way is not broken off, and that is said."""
        self.controller.session.end()
        if self.controller.state.acting is not None:
            self.window.status.say("The episode ends when this step is done. Esc stops it now.")

    def undo(self) -> None:
        """Undo the last verdict that is not yet submitted, or else the last correction."""
        if not self.window.questions.undo_draft():
            self.controller.session.submit(Undo(self.controller.by))

    # --- going on ----------------------------------------------------------------------------------------

    def pause(self) -> None:
        """Pause or resume the episode."""
        session = self.controller.session
        session.resume() if self.controller.state.paused else session.pause()

    def step(self) -> None:
        """Execute one step, then pause. This approves a proposed step, except on a real robot."""
        session = self.controller.session
        if self.controller.state.embodiment == Embodiment.REAL.value:
            session.pause()
        elif self.controller.state.phase is Phase.WAITING:
            session.pause()
            self.approve()
        else:
            session.step_once()

    def reset_layout(self) -> None:
        self.window.reset_layout()
        self.window.status.say("Every panel is at its default place.")

    def present(self) -> None:
        """Show the window to visitors, or again to the operator; no dialog lies over it then."""
        if self.controller.dialog is not None:
            self.controller.dialog.reject()
        self.window.present(self.window.actions_["present"].isChecked())
        self.controller.refresh()

    def set_supervision(self, levels: SupervisionLevels) -> None:
        controller = self.controller
        in_force = controller.session.set_supervision(levels)
        self.window.supervision.show_levels(in_force)
        controller.preferences.supervision = in_force
        controller.preferences.save()

    def set_breakpoints(self, breakpoints: frozenset[str]) -> None:
        self.window.decision.breakpoints = breakpoints
        self.controller.session.set_breakpoints(breakpoints)

    # --- answering ---------------------------------------------------------------------------------------

    def judge(self, verdict: Verdict) -> None:
        """Set a verdict in the belief panel if it has the focus, otherwise on the question that is asked."""
        if self.window.focused_panel() is not self.window.belief:
            self._answer(verdict)
        elif reason := self.window.belief.judge(verdict):
            self._refuse(reason)

    def _answer(self, verdict: Verdict) -> None:
        """Answer the question that the strip shows or, where it shows none, that of the marked card."""
        if reason := self.window.questions.judge(verdict, self.window.decision.asked):
            self._refuse(f"{verdict_text(verdict).capitalize()} was not taken: {reason}")

    def _refuse(self, reason: str) -> None:
        self.window.status.say(f"{reason}.", doubt=True)

    def _refuse_key(self, key: QKeySequence) -> None:
        if reason := self.window.actions_.refusal(key):
            self.window.status.say(reason, doubt=True)

    def _focus_moved(self) -> None:
        """Show the keys where they answer."""
        if not isValid(self.window):  # it goes, and with it the focus
            return
        decision = self.window.decision
        if decision.keys_elsewhere is not (self.window.focused_panel() is self.window.belief):
            self.controller.show_decision()

    def refresh_preview(self) -> None:
        """Show in the belief and the plan what the drafted verdicts would change."""
        self.window.plan.preview = self.effect_preview(self.window.questions.answers())
        self.controller.refresh()

    def effect_preview(self, answers: tuple[Answer, ...]) -> str:
        components = self.controller.session.components
        if components is None:
            return ""
        vocabulary = self.window.questions.vocabulary
        return effect_preview(
            components.method, components.task.problem, self.controller.state, answers, vocabulary
        )

    # --- moving about ------------------------------------------------------------------------------------

    def enter(self, panel: Panel) -> None:
        panel.enter()
        if self.window.focused_panel() is not panel:
            self._refuse(f"{panel.title} has nothing to go to yet")

    def select(self, by: int) -> None:
        panel = self.window.focused_panel() or self.window.questions
        if not panel.select_relative(by):
            self._refuse(f"{panel.title} has nothing to select yet")

    def find_fact(self) -> None:
        """Go to the search of the belief, which finds any fact."""
        belief, dock = self.window.belief, self.window.docks["belief"]
        dock.show()
        dock.raise_()
        belief.focus_search()
        if self.window.focused_panel() is not belief:
            self._refuse("The belief is not in sight: show the present moment first")

    def trace_cause(self) -> None:
        """Light the answer behind the plan: on its card with the picture, in belief, plan and timeline."""
        state, w = self.controller.state, self.window
        change = state.offered_change or state.plan_change
        answer = change.reason.answer if change is not None else None
        if change is None or answer is None:
            self._refuse("No answer is behind this plan")
            return
        because = explain(change.reason, state, w.questions.vocabulary, change.old_steps)
        w.questions.highlight(answer)
        w.belief.select(answer.atom)
        w.plan.select_step(next(iter(change.added_steps), None))
        w.time.highlight(answer, because.whole)
