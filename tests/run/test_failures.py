"""Every status that stops a run has a sentence and an advice."""

import pytest

import livens as lv
from livens.kernels import status
from livens.run.failures import FAILURES, Place


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
