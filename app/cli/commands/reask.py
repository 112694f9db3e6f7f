"""`reask`: ask another model, wording or prompt about logged pictures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from app.cli.commands.run import (
    Cache,
    MaxCalls,
    MaxDollars,
    MaxSeconds,
    MaxTokens,
    Model,
    PictureSize,
    Prompt,
)
from app.cli.options import Database, Json, log_path, report_errors
from app.cli.unused_options import OF_A_MODEL, Unused, refuse_unused

Answerer = Annotated[str, typer.Option(help="A preset, PRESET:MODEL, a URL, a file, or several joined by +.")]


def add_reask(cli: typer.Typer) -> None:
    """Add the command to the command line."""

    @cli.command()
    def reask(
        context: typer.Context,
        answerer: Answerer,
        episode: Annotated[
            list[str] | None, typer.Argument(help="Their ids; none: all, latest first.")
        ] = None,
        model: Model = "",
        prompt: Prompt = "dkprompt",
        picture_size: PictureSize = None,
        wording: Annotated[
            str, typer.Option(help="A domain folder: its questions about the same facts.")
        ] = "",
        prompts: Annotated[
            bool,
            typer.Option(
                "--prompts",
                help="What methods asked a language model in words, such as cowp; the answerer may be a "
                "simulated one: perfect, davinci, ada.",
            ),
        ] = False,
        limit: Annotated[int, typer.Option(help="How many calls at most.", min=1)] = 100,
        max_calls: MaxCalls = None,
        max_dollars: MaxDollars = None,
        max_tokens: MaxTokens = None,
        max_seconds: MaxSeconds = None,
        cache: Cache = "",
        to: Annotated[Path | None, typer.Option(help="Both raw replies of each call, as JSON Lines.")] = None,
        database: Database = None,
        as_json: Json = False,
    ) -> None:
        """Ask logged questions about their pictures again, and compare agreement, duration and cost.

        No episode is changed. Ctrl+C compares what was asked so far. Exit 1: not everything was asked.
        """
        from app.cli.reask import ReaskRequest, compare_logged_answers
        from app.cli.reask_prompts import compare_logged_prompts
        from core.vqa.budget import ModelBudget

        budget = ModelBudget(max_calls, max_tokens, max_dollars, max_seconds)
        request = ReaskRequest(answerer, model, prompt, picture_size, cache, budget, episode or (), limit, to)
        with report_errors():
            if prompts:
                refuse_unused(context, _unused_of_prompts(answerer))
            path = log_path(database)
            if prompts:
                whole = compare_logged_prompts(path, request, as_json)
            else:
                whole = compare_logged_answers(path, request, wording, as_json)
        raise typer.Exit(0 if whole else 1)


def _unused_of_prompts(answerer: str) -> Iterator[Unused]:
    from core.vqa.knower.registry import is_simulated_knower

    yield Unused(("wording", "prompt", "picture_size"), "--prompts asks again in the logged words")
    if is_simulated_knower(answerer):
        yield Unused(OF_A_MODEL, f"{answerer} is no model behind an address")
