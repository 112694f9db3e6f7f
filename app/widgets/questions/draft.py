"""A person's verdicts about the questions under review, until they are submitted."""

from __future__ import annotations

from collections.abc import Iterable

from core.belief import Answer, Atom, BeliefSource, Verdict
from core.episode_state import QuestionCard


class Draft:
    """The verdicts by atom, in the order in which they were given."""

    def __init__(self) -> None:
        self.verdicts: dict[Atom, Verdict] = {}
        self._words: dict[Atom, str] = {}  # whose words a verdict was taken from

    def set(self, atom: Atom, verdict: Verdict, words: str = "") -> None:
        """Set a verdict about an atom. `words` names the model that it was taken from, if any."""
        self.verdicts[atom] = verdict
        self._words[atom] = words

    def undo(self) -> bool:
        """Undo the last verdict. Return False if there is none."""
        if not self.verdicts:
            return False
        self._words.pop(self.verdicts.popitem()[0])
        return True

    def clear(self) -> None:
        self.verdicts.clear()
        self._words.clear()

    def answers(self, cards: Iterable[QuestionCard], by: str) -> tuple[Answer, ...]:
        """Return the answers that count if submitted now, in the order of the cards."""
        return tuple(self._answer(card, card.model, by) for card in cards if card.model is not None)

    def _answer(self, card: QuestionCard, model: Answer, by: str) -> Answer:
        verdict = self.verdicts.get(card.query.atom)
        return model if verdict is None else operator_answer(card, verdict, by, self._words[card.query.atom])


def operator_answer(card: QuestionCard, verdict: Verdict, by: str, words: str = "", turn: int = 0) -> Answer:
    """Return a person's answer to a card's question, in words of their own or those of the question.

    `turn` is when it was given, by default the card's.
    """
    said = words or card.query.text_verdict(verdict).value
    return Answer(card.query.atom, verdict, BeliefSource.OPERATOR, said, turn or card.turn, card.frame, by)
