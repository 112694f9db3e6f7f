"""Files that a person names: ours by their names, and any other by its path."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.errors import UnknownName


@dataclass(frozen=True)
class ShippedFiles:
    """The TOML files of one `kind` in a folder."""

    kind: str
    folder: Path

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the shipped files, sorted."""
        return tuple(sorted(file.stem for file in self.folder.glob("*.toml")))

    def path(self, named: str) -> Path:
        """Return the absolute path of a shipped file, given its name, or of any. Raises UnknownName."""
        path = self.folder / f"{named}.toml" if named in self.names else Path(named).absolute()
        if path.suffix != ".toml":
            raise UnknownName(self.kind, named, self.names)
        return path

    def beside(self, file: Path, named: str) -> str:
        """Return a shipped file's name as it is, and a path as seen from `file`, which names it."""
        return named if named in self.names else str(file.parent / named)
