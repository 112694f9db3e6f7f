"""Names in the log: what classes and fields are called in its JSON and its SQL.

Earlier versions wrote these names and people's queries use them, so they stay when the code's own names
change. A class or field that is not listed keeps its own name.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_KINDS: Mapping[str, str] = MappingProxyType(
    {
        "ActionProposed": "Proposed",
        "AnswerCounts": "Judged",
        "AnswerLabel": "Label",
        "AnswersReceived": "Answered",
        "AnswersReviewed": "Reviewed",
        "BeliefChanged": "Believed",
        "BeliefEntry": "Entry",
        "BeliefSource": "Source",
        "BoundingBox": "Box",
        "ChatMessage": "Message",
        "DecisionMade": "Decided",
        "EpisodeEnded": "Ended",
        "EpisodeNote": "Note",
        "EpisodeResult": "Result",
        "EpisodeStarted": "Started",
        "EpisodeStatistics": "Statistics",
        "EpisodeSummary": "Summary",
        "FrameCaptured": "Observed",
        "GroundTruthFact": "Fact",
        "GroundTruthRecorded": "Revealed",
        "ModelCall": "Call",
        "ModelConsulted": "Consulted",
        "Notice": "Noted",
        "PlanChange": "Revision",
        "PlanMade": "Planned",
        "PlanOffered": "Offered",
        "Proceed": "Continue",
        "ProposalKind": "Need",
        "QueryTopic": "About",
        "QuestionsAsked": "Asked",
        "SensorsRead": "Sensed",
        "StandstillMeasured": "StopMeasured",
        "StepCandidate": "Option",
        "StepFinished": "Acted",
        "StepResult": "Outcome",
        "StepStarted": "Acting",
        "StepStatus": "Ending",
        "StopRaised": "Interrupted",
        "SupervisionChanged": "Dialled",
    }
)
_FIELDS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "Answer": {"raw_reply": "said"},
        "Belief": {"entries": "table"},
        "BeliefEntry": {"last_unknown_turn": "skipped", "uncertain": "doubtful"},
        "Contradiction": {"reason": "why"},
        "End": {"reason": "why"},
        "EpisodeEnded": {"reason": "why"},
        "EpisodeSummary": {"reason": "why"},
        "Frame": {"timestamp": "taken"},
        "GroundTruthFact": {"is_observable": "seen"},
        "ModelCall": {"raw_reply": "said"},
        "ModelConsulted": {"interpretation": "read", "raw_reply": "said"},
        "Plan": {"reason": "why"},
        "PlanChange": {"new_plan": "new", "old_steps": "old"},
        "PlanMade": {"change": "revision"},
        "PlanOffered": {"change": "revision"},
        "Proceed": {"release_up_to": "up_to"},
        "Proposal": {"candidates": "options", "explanation": "why", "kind": "need", "stop_number": "stop"},
        "Query": {"negated": "opposite", "topic": "about"},
        "QuestionsAsked": {"addressee": "to"},
        "StepCandidate": {"unavailable_reason": "reason_not"},
        "StepFinished": {"result": "outcome"},
        "StepResult": {"status": "ending"},
        "StopRaised": {"reason": "why"},
        "StopRequested": {"reason": "why"},
    }
)


def kind_of(cls: type) -> str:
    """Return the log's name for a class of events or of other values."""
    return _KINDS.get(cls.__name__, cls.__name__)


def field_of(cls: type, name: str) -> str:
    """Return the log's key for a field of a class."""
    return _FIELDS.get(cls.__name__, {}).get(name, name)
