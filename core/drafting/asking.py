"""Ask a real model about a picture, through the models' common door."""

from __future__ import annotations

from core.drafting.rounds import Ask, prompt
from core.drafting.world import Game, World
from core.errors import AnswererError
from core.ports import ChatMessage
from core.stop_token import StopToken
from core.vqa.registry import ModelSettings, model_answerer


class ModelDrafter:
    """A real model that drafts from one picture, as `SimulatedDrafter` does."""

    def __init__(self, game: Game, answerer: str, png: bytes) -> None:
        self._game, (self.ask, self.name) = game, model_ask(answerer, png)

    def new_problem(self, world: World, finished: str) -> str:
        """Return the reply with the problem of another map, after the finished problem of the draft."""
        values = {"problem": finished, "scene": world.scene, "map": world.name}
        return self.ask("new problem", prompt("new problem", self._game, **values))


def model_ask(answerer: str, png: bytes, cancel: StopToken | None = None) -> tuple[Ask, str]:
    """Return how a model is asked about a picture, until `cancel`, and its name. Raises UnknownName, BadFile.

    What it returns raises AnswererError, for a reply that was cut off, too.
    """
    model = model_answerer(answerer, None, ModelSettings()).model
    ended = cancel or StopToken()

    def ask(purpose: str, text: str) -> str:
        reply = model.ask([ChatMessage("user", text)], [png] if png else [], ended)
        if reply.finish_reason == "length":
            raise AnswererError(
                f"The reply of {model.name} to the prompt {purpose!r} was cut off: give it more max_tokens."
            )
        return reply.text

    return ask, model.name
