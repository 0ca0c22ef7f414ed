"""The small sizes of endurance tests that are no programs of their own in the suite: changed models."""

import numpy as np

from benchmarks import mutations


def test_a_finished_motion_does_not_change_with_its_model():
    done = mutations.soak(6, report=lambda text: None)
    assert done.tried == 6
    assert not done.failed


def test_changes_of_models_are_noticed():
    """The test can fail: a motion of the changed model differs."""
    model = mutations.model_of(3)
    before = mutations.run(model)
    assert mutations.mutate(model, np.random.default_rng(1))
    model.joints.clear()
    model.forces.clear()
    after = mutations.run(model)
    assert after.record.a[-1, 1].tobytes() != before.record.a[-1, 1].tobytes()
