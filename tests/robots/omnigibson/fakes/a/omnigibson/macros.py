"""The global settings, with the paths of 1.1.1."""

import os

from contract_package import settings

gm = settings(
    ASSET_PATH=os.getenv("OMNIGIBSON_ASSET_PATH", ""),
    DATASET_PATH=os.getenv("OMNIGIBSON_DATASET_PATH", ""),
    KEY_PATH=os.getenv("OMNIGIBSON_KEY_PATH", ""),
)
