"""Export episodes in a process of its own: tens of thousands take minutes."""

from __future__ import annotations

from pathlib import Path

from app.runtime.background_process import Report, run_in_process
from core.data_file import replacing
from core.errors import BadValue, LogError
from core.log.export.registry import Counted, export_directly, exporter_for
from core.stop_token import StopToken
from core.text.plural import plural


def export_in_process(log: Path, ids: tuple[str, ...], to: Path, cancel: StopToken, report: Report) -> str:
    """Export these episodes (none: all) and return what was written. A cancel leaves no file, or the old one.

    Raises ConsoleError, Cancelled.
    """
    exporter_for(to)
    with replacing(to.absolute()) as part:
        work, asked = "app.review.export_process:_export", (log, ids, part)
        try:
            written = run_in_process(work, asked, "export", cancel, report)
        except BadValue as error:
            raise LogError(str(error).replace(str(part), str(to))) from None
    return f"{written} in {to}"


# --- the side that exports -------------------------------------------------------------------------------


def _export(asked: tuple[Path, tuple[str, ...], Path], report: Report) -> str:
    from core.log.store import Store

    log, chosen, to = asked
    try:
        with Store.open(log, read_only=True) as store:
            ids = Counted(chosen or (s.episode for s in store.episodes(descending=False, limit=-1)), report)
            return plural(export_directly(store, ids, to), exporter_for(to).unit)
    except OSError as error:
        raise LogError(f"{to}: it cannot be written ({error.strerror}). Choose another file.") from None
