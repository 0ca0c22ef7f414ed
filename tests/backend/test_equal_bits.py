"""All back ends give the same bits, on random models; `python -m benchmarks.backends 200` does it for many."""

import pytest

from benchmarks import backends
from livens.backend import library
from livens.backend.library import Unusable

try:
    library.load()
except Unusable as reason:
    pytest.skip(str(reason), allow_module_level=True)


@pytest.mark.parametrize("seed", [3, 8])
def test_library_and_plain_python_give_the_same_bits(seed):
    """All schemes; an odd seed has an energy and a force of the user, one divisible by four also a Lagrangian."""
    motions, different = backends.differences(1, seed, ["library", "python"])
    assert motions >= 8
    assert not different
