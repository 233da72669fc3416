"""One thread for torch in every test and in what it starts: the tests themselves run side by side."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
