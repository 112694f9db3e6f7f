"""`confidence`: calibrate a model's log-probabilities on answers that people judged."""

from __future__ import annotations

from pathlib import Path

from typer import Argument, Option

from app.cli.help_text import CommandLine
from app.cli.log_file import open_to_read
from app.cli.options import Database, Json
from app.cli.output.json_output import json_object, print_json
from app.cli.output.printing import print_text
from core.log.labels import judged_confidences
from core.vqa.calibration import default_path, fit_calibration, write_calibration

cli = CommandLine()


@cli.command()
def confidence(
    model: str = Argument(..., help="The model, as named in the log."),
    to: Path | None = Option(None, help="A TOML file; by default where it is found by itself."),
    database: Database = None,
    as_json: Json = False,
) -> None:
    """Calibrate a model's confidence on judged answers; from now on its answers carry the result.

    The raw confidence is kept as well, and neither changes a belief.
    """
    with open_to_read(database) as store:
        made = fit_calibration(model, judged_confidences(store, model))
        path = to or default_path(model)
        write_calibration(made, path)
        if as_json:
            print_json({**json_object(made), "file": str(path)})
            return
        own = ", ".join(made.predicates) or "none has answers enough"
        print_text(f"{made.about}; with a curve of their own: {own}. It is in {path}")
