"""python -m attn_helpers.museum: train what is missing, write data/museum.json (make models)."""

from pathlib import Path

import attn_helpers
from attn_helpers.museum.first_faults import FAULTS
from attn_helpers.museum.measure import measure_all

if __name__ == "__main__":
    measure_all(FAULTS, Path(attn_helpers.__file__).parent / "data" / "museum.json")
