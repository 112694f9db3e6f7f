"""Write an eighth author's replies to several questions at once."""

from __future__ import annotations

from random import Random

from core.belief import Verdict
from tests.core.vqa.corpus.scenes import Batch, Scene, Writers

_WORDS = {Verdict.YES: "Yes", Verdict.NO: "No", Verdict.UNKNOWN: "Unknown"}


def _why(rng: Random, scene: Scene, truth: Verdict) -> str:
    return rng.choice(scene.unclear) if truth is Verdict.UNKNOWN else scene.say(rng, truth)


def _lines(rng: Random, batch: Batch, form: str) -> str:
    """Write one line a question, with its number, question, answer and reason."""
    return "\n".join(
        form.format(i=i, q=scene.question, w=_WORDS[truth], s=_why(rng, scene, truth))
        for i, (scene, truth) in enumerate(zip(batch.scenes, batch.truths, strict=True), 1)
    )


def numbered(rng: Random, batch: Batch) -> str:
    forms = ("{i}. {w}, {s}.", "{i}. {w} - {s}.", "{i}. **{w}** – {s}.", "{i}) {w}. {s}", "Q{i}: {w}, {s}.")
    return _lines(rng, batch, rng.choice(forms))


def with_questions(rng: Random, batch: Batch) -> str:
    forms = ("{i}. {q} {w}.", "{i}. {q} **{w}**, {s}.", "{i}. **{q}**\n   {w}, {s}.")
    return _lines(rng, batch, rng.choice(forms))


def introduced(rng: Random, batch: Batch) -> str:
    return "Based on the image, here are the answers:\n\n" + _lines(rng, batch, "{i}. {w}, {s}.")


def all_unclear(rng: Random, batch: Batch) -> str:
    return f"I can't answer these questions from this image, because {rng.choice(batch.scenes[0].unclear)}."


def questions_again(rng: Random, batch: Batch) -> str:
    return _lines(rng, batch, "{i}. {q}")


MATCHED: Writers = {"numbered": numbered, "with_questions": with_questions, "introduced": introduced}
UNMATCHED: Writers = {"all_unclear": all_unclear, "questions_again": questions_again}
