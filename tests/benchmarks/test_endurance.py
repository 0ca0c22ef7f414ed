"""The small sizes of endurance tests: models that are changed after a run, runs that end early, reactions of
linkages with redundant constraints."""

import os
import re

import numpy as np
import pytest

from benchmarks import linkage_reactions, mutations, stopped


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


@pytest.mark.skipif(os.name != "posix", reason="processes are forked and limited on POSIX only")
def test_runs_that_end_early_are_on_disk_and_are_resumed():
    """A failed step, an exception, an exit, NaN, SIGKILL and a full disk, twice each."""
    done = stopped.soak(12, report=lambda text: None)
    assert done.tried >= 8
    assert not done.failed
    assert "2 failed step" in done.remark
    resumed = re.search(r"(\d+) resumed", done.remark)
    assert int(resumed[1]) >= 5


def test_a_wrong_motion_on_disk_is_noticed(tmp_path):
    """The test can fail: another run is not the beginning of the undisturbed one."""
    trial = stopped.Trial(1, tmp_path)
    whole = trial.simulate(stopped.Wind())
    assert not trial.differs(whole, whole)
    changed = whole.chosen_states(slice(None))
    changed.record.p[1] += 1e-12
    assert trial.differs(changed, trial.simulate(stopped.Wind()))
    assert trial.differs(None, whole) == "there is no motion so far"


def test_reactions_are_unique_where_the_constraints_determine_them():
    done = linkage_reactions.soak(16, seed=3, report=lambda text: None)
    assert done.tried == 16
    assert not done.failed
    known, every = (int(x.replace(",", "")) for x in re.findall(r"[\d,]+", done.remark)[:2])
    assert 0.4 * every < known < every  # some are determined, and some are not


def test_a_wrong_reaction_is_noticed():
    """The test can fail: with a billionth more gravity the reactions of a linkage on the world differ."""
    assert linkage_reactions.error(3)[0] < 1.0 < linkage_reactions.error(3, heavier=1.0 + 1e-9)[0]
