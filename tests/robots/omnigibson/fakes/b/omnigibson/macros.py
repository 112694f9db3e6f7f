"""The global settings, with one path for all data."""

import os

from contract_package import settings

gm = settings(DATA_PATH=os.getenv("OMNIGIBSON_DATA_PATH", ""))
