"""A local Dask cluster with two worker processes, one of which is killed."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import livens as lv
from tests.helpers.studies import Noted, double_pendulum, tip

dask = pytest.importorskip("dask", reason="clusters need dask")
xarray = pytest.importorskip("xarray", reason="studies need xarray")
distributed = pytest.importorskip("distributed", reason="clusters need dask.distributed")


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1", silence_logs=50
    ) as running:
        yield running


def test_a_study_continues_after_a_worker_dies(cluster, tmp_path):
    rates, log = {"rate": np.linspace(0.5, 2.0, 150)}, tmp_path / "log"
    killed = []

    def kill(client):
        while not log.exists() or len(log.read_text().split()) < 40:
            time.sleep(0.01)
        killed.append(next(iter(client.run(os.getpid).values())))
        os.kill(killed[0], signal.SIGKILL)

    with distributed.Client(cluster) as client:
        thread = threading.Thread(target=kill, args=(client,))
        thread.start()
        runs = lv.ensemble(double_pendulum, rates, h=1e-3, until=0.3, keep=Noted(log), executor=client)
        thread.join()
    assert killed
    assert killed[0] != os.getpid()
    assert (runs.error == "").all()
    assert runs.identical(lv.ensemble(double_pendulum, rates, h=1e-3, until=0.3, keep=tip))


def test_a_scheduler_address_and_local_functions(cluster):
    end = double_pendulum(0.0)["fore"].point(0.4, 0, 0)
    arguments = {"h": 1e-3, "until": 0.1, "keep": lambda motion: {"tip": motion.position(end)[-1]}}
    rates = {"rate": [0.5, 1.0, 1.5]}
    there = lv.ensemble(double_pendulum, rates, **arguments, cluster=cluster.scheduler_address)
    assert there.identical(lv.ensemble(double_pendulum, rates, **arguments))


def test_the_store_is_written_by_the_caller(cluster, tmp_path):
    """While a client exists, xarray would write the file on its workers."""
    rates, arguments = {"rate": [0.5, 1.0, 1.5]}, {"h": 1e-3, "until": 0.1, "keep": tip}
    with distributed.Client(cluster) as client:
        lv.ensemble(double_pendulum, rates, **arguments, executor=client, store=tmp_path / "study.nc")
    stored = xarray.load_dataset(tmp_path / "study.nc", engine="h5netcdf")
    assert (stored.drift == lv.ensemble(double_pendulum, rates, **arguments).drift).all()


def test_a_member_that_kills_its_workers_fails_alone(cluster):
    def deadly(motion):
        if motion.model["fore"].body_rates[1] == 1.0:
            os.kill(os.getpid(), signal.SIGKILL)
        return tip(motion)

    with (
        distributed.Client(cluster) as client,
        pytest.warns(lv.ModelWarning, match="1 of 3 members failed; the first error is: the workers that ran it died"),
    ):
        runs = lv.ensemble(double_pendulum, {"rate": [0.5, 1.0, 1.5]}, h=1e-3, until=0.1, keep=deadly, executor=client)
    assert runs.drift.isnull().values.tolist() == [False, True, False]


def test_a_missing_scheduler_is_an_error():
    quickly = dask.config.set({"distributed.comm.timeouts.connect": "1s"})
    with quickly, pytest.raises(lv.LivensError, match=r"no Dask scheduler answers at tcp://127.0.0.1:1"):
        lv.ensemble(double_pendulum, {"rate": [1.0]}, h=1e-3, until=0.1, keep=tip, cluster="tcp://127.0.0.1:1")
