"""Start the worker: `python robots/omnigibson/worker`, whose stdin is a socket to the console."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

HERE = Path(__file__).resolve().parent
NAME = "dkprompt_omnigibson_worker"  # its own name: the folders above belong to another program


def load_package() -> None:
    """Import this folder as a package, without making its neighbours importable."""
    spec = spec_from_file_location(NAME, HERE / "__init__.py", submodule_search_locations=[str(HERE)])
    assert spec is not None and spec.loader is not None
    package = module_from_spec(spec)
    sys.modules[NAME] = package
    spec.loader.exec_module(package)


if __name__ == "__main__":
    sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != HERE]
    load_package()
    from importlib import import_module

    sys.exit(import_module(NAME + ".loop").main())
