"""Put a question for a reviewer into words, and the progress of a review. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.theme.states import VERDICT
from core.belief import BeliefSource, Verdict
from core.log.labels import AnswerLabel
from core.review.replay import RecordedQuestion
from core.vqa.replies.cleaning import final_words

AnswerKey = tuple[int, int]  # record number and place of an answer
ReviewLine = tuple[str, str, str]  # glyph, tone, words


@dataclass(frozen=True)
class QuestionView:
    """`lines` name the verdicts of model, operator and reviewers; empty while `blind`."""

    number: int
    head: str
    question: str
    blind: bool
    lines: tuple[ReviewLine, ...] = ()


@dataclass(frozen=True)
class ReviewProgress:
    """The progress bar: question `at` of how many, and those that are labelled."""

    at: int
    of: int
    done: frozenset[int]
    text: str
    back: bool = False  # there is a question to go back to


def answer_key(question: RecordedQuestion) -> AnswerKey:
    return question.number, question.place


def latest_labels(labels: tuple[AnswerLabel, ...]) -> dict[AnswerKey, dict[str, AnswerLabel]]:
    """Return the last label of each reviewer for each answer."""
    found: dict[AnswerKey, dict[str, AnswerLabel]] = {}
    for label in labels:
        found.setdefault((label.number, label.place), {})[label.by] = label
    return found


def question_view(
    number: int, question: RecordedQuestion, labels: Mapping[str, AnswerLabel], blind: bool, head: str
) -> QuestionView:
    """Return what a reviewer sees; with `blind` only the question."""
    if blind:
        return QuestionView(number, head, question.query.text, True)
    about = question.query.text_verdict
    lines = [_line("model", question.model.by or "the model", about(question.model.verdict))]
    if question.model.is_unasked:
        lines = [("person", "muted", "no model was asked")]
    if question.model.raw_reply:
        lines[0] = (*lines[0][:2], f"{lines[0][2]}: “{final_words(question.model.raw_reply, 70)}”")
    expected = about(question.query.expected)
    if expected is not Verdict.UNKNOWN:
        surprising = question.model.verdict not in (question.query.expected, Verdict.UNKNOWN)
        lines.append(("forward", "doubt" if surprising else "muted", f"{expected.value} was expected"))
    mine = question.operator
    if mine is None:
        lines.append(("person", "muted", "not reviewed live"))
    else:
        same = mine.verdict is question.model.verdict
        words = "left it unchanged" if same else f"set it to {about(mine.verdict).value}"
        who = mine.by if mine.source is BeliefSource.OPERATOR and mine.by else "the operator"
        lines.append(("person", "muted" if same else "accent", f"{who} {words}"))
    for by, label in labels.items():
        how = "blind" if label.blind else "afterwards"
        icon = VERDICT[about(label.verdict)].icon
        lines.append((icon, "accent", f"{by}, {how}: {about(label.verdict).value}"))
    return QuestionView(number, head, question.query.text, False, tuple(lines))


def _line(icon: str, who: str, verdict: Verdict) -> ReviewLine:
    return "eye", "muted", f"{who}: {verdict.value}"


def agreement(
    questions: tuple[RecordedQuestion, ...], labels: Mapping[AnswerKey, Mapping[str, AnswerLabel]], by: str
) -> str:
    """Return a text such as "you and the model agreed on 18 of 22"; UNKNOWN labels are not counted."""
    both = [
        (q.model.verdict, mine.verdict)
        for q in questions
        if (mine := labels.get(answer_key(q), {}).get(by)) is not None
        and Verdict.UNKNOWN not in (mine.verdict, q.model.verdict)
    ]
    if not both:
        return ""
    return f"you and the model agreed on {sum(a is b for a, b in both)} of {len(both)}"
