"""The hub's cache of the tests: the packages read its variable when they are imported."""

import os
from tempfile import TemporaryDirectory

FOLDER = TemporaryDirectory(prefix="truebleu-hub-")
os.environ["HF_HUB_CACHE"], os.environ["HF_HUB_OFFLINE"] = FOLDER.name, "1"
# Threads that wait for each other would only be slower on models as small as these.
os.environ.setdefault("OMP_NUM_THREADS", "1")
