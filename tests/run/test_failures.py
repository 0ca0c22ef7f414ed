"""Every status that stops a run has a sentence and an advice."""

from types import SimpleNamespace

import numpy as np
import pytest

import livens as lv
from livens.kernels import status
from livens.kernels.contact.arrays import LOG_FIRST, LOG_SECOND, LOG_TIME, LOG_WIDTH
from livens.run.failures import FAILURES, Place, sentence


def test_every_status_that_stops_a_run_is_in_the_table():
    codes = {name: code for name, code in vars(status).items() if name.isupper()}
    assert len(set(codes.values())) == len(codes)
    assert set(FAILURES) == set(codes.values()) - {status.OK, status.AGAIN}


def test_sentences_are_templates_of_known_facts():
    for failure in FAILURES.values():
        assert failure.advice.endswith(".")
        facts = [part.partition("}")[0] for part in (failure.sentence + failure.advice).split("{at.")[1:]]
        assert facts
        assert all(hasattr(Place, fact.partition("!")[0].partition(":")[0]) for fact in facts)


def test_an_error_has_the_motion_as_data_and_not_in_its_text():
    m = lv.Model()
    m.add(lv.Body(lv.MassProperties(1.0, (1, 1, 1)), body_rates=(0, 0, 50.0), name="spinner"))
    with pytest.raises(lv.StepFailed) as caught:
        lv.simulate(m, h=0.1, until=1.0)
    assert len(caught.value.trajectory) == 1
    assert "trajectory" not in str(caught.value)


def test_too_many_impacts_name_the_bodies_that_hit_each_other_most():
    m = lv.Model()
    for k in range(3):
        m.add(lv.Body(lv.Ball(0.1, mass=1.0), at=(k, 0, 0), name=f"ball {k}"))
    log = np.zeros((9, LOG_WIDTH))
    log[:4, LOG_FIRST], log[:4, LOG_SECOND] = 1, 2  # in the step before
    log[4:, LOG_TIME] = 0.3 + 1e-3 * np.arange(5)
    log[4:, LOG_FIRST], log[4:, LOG_SECOND] = (1, 3, 3, 3, 1), (3, 2, 2, 2, 2)
    law = np.array([[0.0], [0.0]])
    run = SimpleNamespace(
        model=m, t0=0.0, h=0.1, impacts=[log], system=SimpleNamespace(contacts=SimpleNamespace(law=law))
    )
    said = sentence(run, status.BOUNCES, 0, 3, None, None)
    assert said == (
        "bodies 'ball 2' and 'ball 1' (3 impacts at contact points) hit each other too often in one step at t = 0.3 s "
        "(step 4); try h ≤ 3e-02 s."
    )
    law[1] = 0.5
    assert sentence(run, status.BOUNCES, 0, 3, None, None).endswith("try h ≤ 3e-02 s, or a smaller restitution.")
    run.impacts = []
    assert sentence(run, status.BOUNCES, 0, 3, None, None).startswith("bodies hit each other too often")
