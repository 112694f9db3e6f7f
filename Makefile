# `make` lists the targets.
.DEFAULT_GOAL := help
PY := .venv/bin/python
CODE := $(wildcard main.py core app robots training)
# Tests need no screen. MUJOCO_GL=osmesa where EGL does not work. A picture is drawn in one thread: others test meanwhile.
HEADLESS := QT_QPA_PLATFORM=offscreen MUJOCO_GL=$(or $(MUJOCO_GL),egl) LP_NUM_THREADS=0
# Each file has its worker to itself.
export WORKERS ?= $(shell expr 2 '*' $$(nproc) + 1)
PARALLEL := --workers $(WORKERS)
# Tests start this program some 200 times, which would compile its files each time.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help setup run arm arm-driver fresh test coverage mutants lint lock bench check-long screenshots reference drive train-eye
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-11s %s\n", $$1, $$2}' Makefile

setup: ## Debian's libraries, .venv, the locked requirements; quick when nothing is missing
	@scripts/setup

run: setup ## the console; without a display, an episode in the terminal
	@$(PY) main.py $(ARGS)

arm: setup ## the console on an emulated UR5e, which starts and ends with it
	@$(PY) main.py --robot ur5e $(ARGS)

arm-driver: setup ## where ur_rtde has no wheel (Python 3.13): build it, which takes minutes, and keep it
	@scripts/arm_driver

fresh: ## the README's commands and the wheel in a bare Debian, SUITE=bookworm or trixie; as root
	@scripts/fresh $(or $(SUITE),bookworm)

test: setup ## every test but the long ones, WORKERS=5 at a time; ARGS go to pytest, WITHOUT=all hides the extras
	$(HEADLESS) $(if $(WITHOUT),PYTHONPATH=tests/without WITHOUT=$(WITHOUT)) scripts/test $(ARGS)

coverage: setup ## as test, and which lines and branches no test reaches; also as pages in htmlcov/
	$(HEADLESS) $(PY) -m pytest -q $(PARALLEL) --cov --cov-report=term-missing --cov-report=html $(ARGS)

mutants: setup ## changes the program in small ways, to see what no test notices; hours; ARGS="--count 5 stop"
	$(HEADLESS) PYTHONPATH=. nice $(PY) scripts/mutants.py $(ARGS)

lint: setup ## ruff, mypy, the import contracts, import circles
	$(PY) -m ruff check .
	$(PY) -m mypy $(CODE)
	.venv/bin/lint-imports --no-cache
	$(PY) scripts/circles.py

check-long: setup ## the long tests, with the figures they print
	$(HEADLESS) $(PY) -m pytest -q -s -m long $(ARGS)

bench: setup ## every benchmark, or ARGS="console --only stop"; ratios within one run
	$(HEADLESS) $(PY) -m benchmarks $(ARGS)

screenshots: setup ## the window in every state, light and dark; ARGS=--docs renews those in docs/
	$(HEADLESS) PYTHONPATH=. $(PY) scripts/screenshots.py $(ARGS)

reference: setup ## docs/reference.md, from the tables of parts
	PYTHONPATH=. $(PY) scripts/reference.py

drive: setup ## the real window on X, driven with real keys: keys and seconds of each thing an operator does
	PYTHONPATH=. $(PY) scripts/drive_console.py $(ARGS); console=$$?; \
	PYTHONPATH=. $(PY) scripts/drive_sheet.py && exit $$console

train-eye: setup ## an eye of ARGS=household or tabletop: pictures, training, report; into EYES=eyes
	@scripts/train_eye $(or $(EYES),eyes) $(or $(ARGS),household)

lock: setup ## pin the requirements again; ARGS=--upgrade takes newer ones
	scripts/lock $(ARGS)
