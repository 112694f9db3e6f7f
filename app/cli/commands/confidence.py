"""`confidence`: calibrate a model's log-probabilities on answers that people judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from app.cli.options import Database, Json, log_path, report_errors
from app.cli.output.json_output import json_object
from app.cli.output.printing import print_text


def add_confidence(cli: typer.Typer) -> None:
    """Add the command to the command line."""

    @cli.command()
    def confidence(
        model: Annotated[str, typer.Argument(help="The model, as named in the log.")],
        to: Annotated[
            Path | None, typer.Option(help="A TOML file; by default where it is found by itself.")
        ] = None,
        database: Database = None,
        as_json: Json = False,
    ) -> None:
        """Calibrate a model's confidence on judged answers; from now on its answers carry the result.

        The raw confidence is kept as well, and neither changes a belief.
        """
        from app.cli.episodes import open_to_read
        from core.log.labels import judged_confidences
        from core.vqa.calibration import default_path, fit_calibration, write_calibration

        with report_errors(), open_to_read(log_path(database)) as store:
            made = fit_calibration(model, judged_confidences(store, model))
            path = to or default_path(model)
            write_calibration(made, path)
            if as_json:
                print(json.dumps({**json_object(made), "file": str(path)}))
                return
            own = ", ".join(made.predicates) or "none has answers enough"
            print_text(f"{made.about}; with a curve of their own: {own}. It is in {path}")
