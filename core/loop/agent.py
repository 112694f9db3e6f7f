"""The agent in the loop: a policy with its context, what it sees, asks and believes. Nothing moves here."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import replace

from core import events as ev
from core.arm.arm_capabilities import halt_if_in_control
from core.belief import Answer, Belief, BeliefSource, Contradiction, Verdict, is_override
from core.errors import AnswererError, Cancelled, NoPicture
from core.knowledge.suggestion import SituationReport
from core.loop.ground_truth import ground_truth_answers
from core.loop.questioner import Questioner, look_for_situation
from core.loop.replanning import adopt_plan, describe_failure, make_plan
from core.operator import Operator
from core.planners import Planner
from core.planning_model import Plan, PlanStatus
from core.policy import (
    Action,
    AskModel,
    AskQuestions,
    BeliefRestored,
    ClaimGoal,
    Context,
    DoSteps,
    GiveUp,
    GotPicture,
    GotScene,
    GotSenses,
    GotSituation,
    HandlesSituations,
    LearningPolicy,
    LooksForSituations,
    MakePlan,
    Observation,
    Policy,
    RemainingBudget,
    UsesGroundTruth,
    UsesScene,
    advance,
    same_plan,
)
from core.ports import Frame, GroundTruth, NoticesSituations, ProvidesBoxes, Robot, SupportsViewpoints
from core.reason import Cause, Reason
from core.scene import ProvidesScene, Scene
from core.stop_token import StopToken
from core.work import Work

ACT_UNITS = 100_000_000  # of work over bindings; a stop ends it at once


class EpisodeOver(Exception):
    """Ends the episode from anywhere in a turn."""

    def __init__(self, result: ev.EpisodeResult, reason: str, probability: float | None = None) -> None:
        super().__init__(reason)
        self.result, self.reason, self.probability = result, reason, probability


class Agent:
    """Belongs to the thread that advances the loop. `steps` is how many were done so far."""

    def __init__(
        self,
        context: Context,
        robot: Robot,
        questioner: Questioner,
        planner: Planner,
        policy: Policy,
        operator: Operator,
        cancel: StopToken,
        max_steps: int,
        budget: Callable[[], RemainingBudget],
    ) -> None:
        self.robot, self.questioner, self.planner = robot, questioner, planner
        self.operator, self.cancel = operator, cancel
        self.follow(policy)
        self.max_steps, self.budget, self.steps = max_steps, budget, 0
        self.names = tuple(o.name for o in context.problem.all_objects)
        self.boxes = robot if isinstance(robot, ProvidesBoxes) else None
        self.watcher = robot if isinstance(robot, NoticesSituations) else None
        self.viewpoint_source = robot if isinstance(robot, SupportsViewpoints) else None
        self.ground_truth = robot if isinstance(robot, GroundTruth) else None
        self.context = context
        self.noticed: set[str] = set()  # sentences of the robot that were told already
        self.frame = Frame("")
        self.fault = ""  # a failure of the policy, until a person has been asked
        self.alert = ""  # why a situation that was told is of no use, until a person has been asked
        # Corrections, overrides and domain changes since the last motion, each as what takes it back.
        self.undo: list[BeliefRestored] = []

    # --- the policy --------------------------------------------------------------------------------------

    def learn(self) -> None:
        """Let a learning policy replace itself; if it fails, a person is asked."""
        if self.learner is None:
            return
        try:
            self.follow(self.learner.learn(self.context))
        except Exception as error:
            self.fault = describe_failure(error)

    def follow(self, policy: Policy) -> None:
        """Use this policy from now on, and cache its optional protocols (isinstance on one takes 20 us)."""
        self.policy = policy
        self.learner = policy if isinstance(policy, LearningPolicy) else None
        self.truth_user = policy if isinstance(policy, UsesGroundTruth) else None
        self.handler = policy if isinstance(policy, HandlesSituations) else None
        self.scene_user = isinstance(policy, UsesScene) and policy.uses_scene
        self.looker = policy if isinstance(policy, LooksForSituations) else None

    def refresh(self) -> None:
        """Update what may have changed in the context outside the policy."""
        now = self.context
        given = self.budget()
        left = RemainingBudget(self.max_steps - self.steps, given.calls, given.dollars)
        viewpoints = self.viewpoint_source.viewpoints if self.viewpoint_source else ()
        levels = self.operator.supervision
        if (left, viewpoints, levels) != (now.remaining, now.viewpoints, now.supervision):
            self.context = replace(now, remaining=left, supervision=levels, viewpoints=viewpoints)

    def next_action(self) -> Action:
        """Return what the policy wants next; a policy that failed, or gets no answers, asks for help.

        Raises Cancelled.
        """
        if silence := self.questioner.silence:
            return GiveUp(Reason(Cause.NO_ANSWER, note=silence))
        if self.alert:
            return GiveUp(Reason(Cause.OTHER, turn=self.context.turn, note=self.alert))
        if not self.fault:
            self.refresh()
            try:
                with Work(ACT_UNITS, cancel=self.cancel):
                    action = self.policy.act(self.context)
            except Cancelled:
                raise
            except Exception as error:
                self.fault = describe_failure(error)
            else:
                return self.unless_unseen(action) if isinstance(action, ClaimGoal) else action
        return GiveUp(Reason(Cause.FAULT, note=f"The method {self.policy.name} broke: {self.fault}"))

    def unless_unseen(self, claim: ClaimGoal) -> Action:
        """Return the claim, or first ask again what failed calls left open about the goal."""
        answers = self.questioner.answers
        if queries := answers.open_queries(self.context):
            return AskQuestions(queries)
        if fault := answers.claim_fault(self.context):
            return GiveUp(Reason(Cause.NO_ANSWER, turn=self.context.turn, note=fault))
        return claim

    def apply_observation(
        self, observation: Observation, contradictions: tuple[Contradiction, ...] = ()
    ) -> Iterator[ev.Event]:
        """Update the policy's belief with an observation."""
        old = self.context.belief
        new = (
            observation.belief
            if isinstance(observation, BeliefRestored)
            else self.updated_belief(observation)
        )
        self.context = advance(self.context, observation, new)
        changes = new.changes_since(old)
        hypotheses = new.hypotheses if new.hypotheses != old.hypotheses else None
        if changes or contradictions or hypotheses is not None:
            yield ev.BeliefChanged(self.context.turn, changes, contradictions, hypotheses)

    def updated_belief(self, observation: Observation) -> Belief:
        try:
            return self.policy.update(self.context, observation)
        except Exception as error:  # the belief stays, and a person is asked
            self.fault = describe_failure(error)
            return self.context.belief

    # --- seeing, asking and planning ---------------------------------------------------------------------

    def see(self, turn: int, frame: Frame, from_elsewhere: bool = False) -> Iterator[ev.Event]:
        """Take this picture in."""
        self.frame = frame
        boxes = self.boxes.boxes(self.names) if self.boxes else ()
        yield ev.FrameCaptured(turn, frame, boxes)
        yield from self.apply_observation(GotPicture(turn, frame.id, frame.viewpoint, not from_elsewhere))

    def read_sensors(self) -> Iterator[ev.Event]:
        turn = self.context.turn
        known = {o.name for o in self.context.problem.all_objects}  # a robot may sense more
        sensed = tuple(
            Answer(atom, Verdict.from_bool(holds), BeliefSource.SENSOR, turn=turn, by=self.robot.name)
            for atom, holds in sorted(self.robot.sense().items())
            if known.issuperset(atom.args)
        )
        if self.truth_user:
            state = self.context.belief.state
            sensed += tuple(
                ground_truth_answers(self.robot, self.truth_user.ground_truth_predicates, state, turn)
            )
        if sensed:
            yield ev.SensorsRead(turn, sensed)
            yield from self.apply_observation(GotSenses(sensed))
        if self.scene_user:
            yield from self.see_scene()
        for sentence in self.watcher.situations() if self.watcher else ():
            if sentence not in self.noticed:
                self.noticed.add(sentence)
                yield from self.notice(sentence, self.robot.name)

    def notice(self, sentence: str, by: str) -> Iterator[ev.Event]:
        """Take in a situation. One that is of no use is reported to people and has no effect.

        For an empty sentence, a method that can do so has the model look for one.
        """
        if not sentence.strip():
            if self.looker is None:
                yield ev.Notice("doubt", f"The method {self.policy.name} has no model look: tell a sentence.")
                return
            looked = look_for_situation(self.looker, self.policy, self.context, self.frame, self.questioner)
            if (seen := (yield from looked)) is None:
                return
            sentence, by = seen
        if self.handler is None:
            fault = f"The method {self.policy.name} can use no situations: choose one that can, such as cowp."
            report = SituationReport(sentence, by=by, fault=fault)
        else:
            try:
                report = self.handler.read_situation(self.context, sentence, by)
            except Exception as error:
                report = SituationReport(sentence, by=by, fault=describe_failure(error))
        yield ev.SituationNoticed(self.context.turn, report)
        if report.fault:
            yield ev.Notice("doubt", report.fault)
            if self.handler is not None:  # what was not understood may concern the robot: it waits
                self.alert = report.fault
        else:
            yield from self.apply_observation(GotSituation(report))

    def undo_latest(self) -> Iterator[ev.Event]:
        """Take back the latest correction, or the latest change of the domain."""
        restored = self.undo.pop()
        if restored.problem is not None and restored.knowledge is not None:
            before = restored.knowledge
            yield ev.DomainChanged(
                self.context.turn,
                "the domain as before",
                "",
                True,
                Reason(Cause.UNDONE, turn=self.context.turn),
                before.changes,
                before.refused,
            )
        yield from self.apply_observation(restored)

    def ask(self, action: AskQuestions) -> Iterator[ev.Event]:
        try:
            answers, found, by_model = yield from self.questioner.ask(self.context, self.frame, action)
        except AnswererError as error:
            raise EpisodeOver(ev.EpisodeResult.ENDED, str(error)) from error
        pairs = zip(answers.answers, by_model, strict=True)
        if overrides := tuple(a for a, m in pairs if is_override(a, m)):
            without = self.updated_belief(replace(answers, answers=by_model))
            self.undo.append(BeliefRestored(without, overrides))
        yield from self.apply_observation(answers, found)

    def consult(self, action: AskModel) -> Iterator[ev.Event]:
        reply = yield from self.questioner.consult(self.context, self.frame, action, self.policy)
        yield from self.apply_observation(reply)

    def see_scene(self) -> Generator[ev.Event, None, Scene | None]:
        """Take in where things are, if the robot can tell."""
        if not isinstance(self.robot, ProvidesScene):
            return None
        try:
            scene = self.robot.scene()
        except NoPicture as error:  # a person sees why, and looks again or ends the episode
            self.cancel.stop(halt_if_in_control(self.robot), str(error))
            raise Cancelled(self.cancel.reason) from error
        yield ev.SceneSeen(self.context.turn, scene)
        yield from self.apply_observation(GotScene(scene))
        return scene

    def plan(self, action: MakePlan) -> Iterator[ev.Event]:
        scene = (yield from self.see_scene()) if action.wish is not None else None
        got = yield from make_plan(self.context, action, self.planner, self.operator, self.cancel, scene)
        yield from self.apply_observation(got)

    def adopt_steps(self, action: DoSteps) -> Generator[ev.Event, None, bool]:
        """Return True if these steps are the plan; a plan of the policy's own is offered to the operator
        first."""
        plan = Plan(PlanStatus.FOUND, action.steps, self.policy.name)
        if same_plan(self.context.plan, plan):
            return True
        got = yield from adopt_plan(self.context, plan, action.reason, self.operator, self.cancel)
        yield from self.apply_observation(got)
        return got.accepted
