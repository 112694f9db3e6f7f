"""`reask`: ask another model, wording or prompt about logged pictures."""

from __future__ import annotations

import sys
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

Answerer = Annotated[str, typer.Option(help="A preset, PRESET:MODEL, a URL, a file, or several joined by +.")]


def add_reask(cli: typer.Typer) -> None:
    """Add the command to the command line."""

    @cli.command()
    def reask(
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
        from app.cli.budget_prompt import budget_prompt
        from app.cli.episodes import open_to_read
        from app.cli.output.printing import PlainConsole
        from app.cli.reask import ask_all, logged_exchanges_of, show
        from app.cli.reask_prompts import compare_prompts, model_for_episode, reask_prompts, show_prompts
        from core.cancel import Cancel
        from core.errors import LogError
        from core.planning import domain_library
        from core.text.untrusted_text import sanitise
        from core.vqa.budget import Meter, ModelBudget
        from core.vqa.registry import ModelSettings, make_answerer
        from core.vqa.resize import check_size

        console = PlainConsole(stderr=True)

        def notify(text: str) -> None:
            console.print(f"  {sanitise(text)}", style="yellow", soft_wrap=True)

        with report_errors(), open_to_read(log_path(database)) as store:
            folder = domain_library.load_domain_spec(wording) if wording else None
            meter = Meter(ModelBudget(max_calls, max_tokens, max_dollars, max_seconds))
            if sys.stdin.isatty():
                meter.on_exceeded = budget_prompt(meter, console, False, notify)
            check_size(picture_size)
            kept = Path(cache) if cache else None
            asking = ModelSettings(model, prompt, picture_size, cache=kept, notify=notify)
            if prompts:
                model_of = model_for_episode(answerer, asking, meter)
                again = compare_prompts(reask_prompts(store, episode or (), limit, model_of, Cancel()), to)
                if not again.asked:
                    raise LogError("The log has no prompt of a method: run an episode with cowp first.")
                show_prompts(again, as_json)
                raise typer.Exit(1 if again.stopped else 0)
            other = make_answerer(answerer, asking=asking, meter=meter)
            try:
                compared = ask_all(
                    logged_exchanges_of(store, episode or (), limit), other, folder, to, console
                )
            finally:
                if close := getattr(other, "close", None):
                    close()
            if not compared.exchanges:
                raise LogError("The log has no picture that a model was asked about: run an episode first.")
            show(compared, other.name, as_json)
        raise typer.Exit(1 if compared.stopped else 0)
