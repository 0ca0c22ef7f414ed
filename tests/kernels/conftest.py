"""These tests also call kernels that Python never calls otherwise; the library does not contain those."""

from pathlib import Path

import pytest

INTERNAL = pytest.mark.filterwarnings("ignore:the compiled library does not contain the kernel:RuntimeWarning")


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(INTERNAL)
