"""The weights of the composed schemes satisfy their order conditions to the last digit."""

import math

import numpy as np
import pytest

from tests.helpers import schemes

EPS = np.finfo(float).eps
CONDITIONS = {2: [], 4: ["3"], 6: ["3", "5", "113"]}


def word(weights, letters):
    """The coefficient of the word Y_i Y_j … (its indices as letters) in Π exp(Σ wᵏYₖ), the logarithm of each stage."""
    made = [1.0] + [0.0] * len(letters)
    for w in weights:
        for end in range(len(letters), 0, -1):
            for begin in range(end):
                part = letters[begin:end]
                made[end] += made[begin] * w ** sum(map(int, part)) / math.factorial(len(part))
    return made[-1]


@pytest.mark.parametrize("scheme", schemes.SCHEMES, ids=schemes.name)
def test_order_conditions(scheme):
    """Symmetric, of sum one; Σw³ = 0 for order 4; Σw⁵ = 0 and no [Y₁,[Y₁,Y₃]] for order 6 (Yoshida 1990)."""
    w = scheme.weights
    assert np.array_equal(w, w[::-1])
    assert abs(w.sum() - 1.0) <= len(w) * EPS
    for letters in CONDITIONS[scheme.order]:
        assert abs(word(w, letters)) <= len(w) * EPS
    assert scheme.stages == len(w)
