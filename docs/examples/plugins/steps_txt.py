"""An example exporter: the steps of an episode, one per line. docs/write-an-exporter.md explains it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import Field

from core.errors import BadFile
from core.events import StepFinished
from core.log.export.registry import Exporter, ExporterEntry
from core.log.store import Store
from core.registry import Options


class StepsOptions(Options):
    endings: bool = Field(True, description="Write the result of each step.")


def make(options: StepsOptions) -> Exporter:
    def write(store: Store, episodes: Sequence[str], to: Path) -> int:
        """Write the steps of the first episode; return their number. Raises BadFile."""
        acted = [r.event for r in store.records(episodes[0]) if isinstance(r.event, StepFinished)]
        lines = [f"{e.step}{f': {e.result.status.value}' if options.endings else ''}\n" for e in acted]
        try:
            to.write_text("".join(lines), encoding="utf-8")
        except OSError as error:
            raise BadFile(to, f"cannot be written ({error.strerror})") from error
        return len(lines)

    return write


ENTRIES = {
    "exporters": [
        ExporterEntry(
            "txt",
            "Steps",
            "An example: the steps, one per line.",
            make,
            StepsOptions,
            unit="step",
            single_episode=True,
        )
    ]
}
