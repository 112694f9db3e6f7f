"""How long a test waits. What takes how long on a quiet machine is measured in `benchmarks/`."""

AT_ONCE = 2.0  # seconds: far above what it takes on a busy machine, far below what it would take otherwise
