"""Have a vision model say what is unusual in the picture. Only a person, or their levels, let it count."""

from __future__ import annotations

from collections.abc import Generator

from core import events as ev
from core.belief import Atom, Query, QueryTopic, Verdict
from core.loop.questioner import Questioner
from core.operator import Addressee
from core.policy import AskQuestions, Context, LooksForSituations, Policy
from core.ports import Frame
from core.supervision import SupervisionLevel

NO_PICTURE = "The model cannot look for what is unusual: there is no picture. Run with pictures."
NOTHING = "The model says that nothing in the picture is unusual."
NOT_SO = "What the model said about the picture is not used: nobody said that it is so."


def look_for_situation(
    looker: LooksForSituations, policy: Policy, context: Context, frame: Frame, questioner: Questioner
) -> Generator[ev.Event, None, tuple[str, str] | None]:
    """Return the sentence that the model sees and the model's name; None, with a notice, if it is not used.

    At the level WATCH of `believe`, which a real robot never has, it counts without a person. Raises
    Cancelled.
    """
    if not frame.png:
        yield ev.Notice("doubt", NO_PICTURE)
        return None
    reply = yield from questioner.consult(context, frame, looker.look_for_situation(context), policy)
    sentence = "" if reply.error else looker.seen_situation(reply)
    if not sentence:
        yield ev.Notice("fault" if reply.error else "info", reply.error or NOTHING)
        return None
    if context.supervision.believe is not SupervisionLevel.WATCH:
        proposition = Atom(QueryTopic.SITUATION.value, tuple(sentence.split()))
        query = Query(proposition, f"The model sees: {sentence}. Is that so?", topic=QueryTopic.SITUATION)
        action = AskQuestions((query,), Addressee.OPERATOR)
        answers, _, _ = yield from questioner.ask(context, frame, action)
        if answers.answers[0].verdict is not Verdict.YES:
            yield ev.Notice("info", NOT_SO)
            return None
    return sentence, questioner.model_name
