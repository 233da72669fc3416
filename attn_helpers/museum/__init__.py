"""The bug museum: faults that people really made, switched on in the book's own models. Chapters 3, 5 and 7.

fault.py       a function's faulty twin, and the switch
numbers.py     numbers that a right model meets
measure.py     trainings with each fault, and what they came to: data/museum.json
exhibit.py     a fault with the words beside it
first_room.py  six exhibits; their twins are in first_faults.py. A later room is two more files such as these.
"""

from attn_helpers.museum.exhibit import Exhibit, Met
from attn_helpers.museum.fault import Fault
from attn_helpers.museum.first_room import FIRST_ROOM
from attn_helpers.museum.measure import judged, table, untrained
from attn_helpers.museum.numbers import NUMBERS, Number

__all__ = ["FIRST_ROOM", "NUMBERS", "Exhibit", "Fault", "Met", "Number", "judged", "table", "untrained"]
