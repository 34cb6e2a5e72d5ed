"""Ctrl-C, threads, and progress."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest
from m3lak import BEMKLClassifier, M3LAKClassifier, simulate

LONG = dict(scaling="standardize", calibrate=False, iterations=1_000_000, burn_in=2, thin=1000)


@pytest.fixture(autouse=True)
def ctrl_c():
    """As in a terminal, also where the tests run in the background, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupt_after(seconds):
    threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()


def test_ctrl_c_stops_and_keeps_what_was_drawn(task):
    views, y = task
    model = M3LAKClassifier(**LONG)
    begin = time.monotonic()
    interrupt_after(1.5)
    with pytest.raises(KeyboardInterrupt):
        model.fit(views, y)
    assert time.monotonic() - begin < 20
    assert model.model_.stopped_early
    assert model.predict_proba(views).shape == (80, 2)


def test_ctrl_c_stops_rivals():
    views, y = simulate(instances=1000, views=(20, 30), random_state=1)
    model = BEMKLClassifier()
    interrupt_after(1)
    with pytest.raises(KeyboardInterrupt):
        model.fit(views, y)
    assert not hasattr(model, "classifier_")


def test_other_threads_go_on_while_it_fits(task):
    """The interpreter's lock is free: a thread that counts gets most of a second a second."""
    views, y = task
    count = 0
    done = threading.Event()

    def work():
        nonlocal count
        while not done.is_set():
            time.sleep(0.01)
            count += 1

    threading.Thread(target=work).start()
    begin = time.monotonic()
    M3LAKClassifier(iterations=300, burn_in=10, scaling="standardize", calibrate=False,
                    n_jobs=1).fit(views, y)  # fmt: skip
    passed = time.monotonic() - begin
    done.set()
    assert count > 0.2 * passed / 0.01


def test_fits_in_several_threads_at_once(quick, task):
    views, y = task
    expected = quick().fit(views, y).predict_proba(views).tobytes()
    found = []

    def fit():
        found.append(quick(n_jobs=1).fit(views, y).predict_proba(views).tobytes())

    threads = [threading.Thread(target=fit) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


def test_progress_and_the_end_of_a_script(tmp_path):
    """A bar on standard error if it is asked for; a second Ctrl-C is not needed to leave."""
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent("""
        from m3lak import M3LAKClassifier, simulate
        views, y = simulate(instances=200, views=(5, 5))
        print("ready", flush=True)
        M3LAKClassifier(iterations=1_000_000, burn_in=2, thin=1000, scaling="standardize",
                        calibrate=False, verbose=1).fit(views, y)
        """)
    )
    process = subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert "sampling" in err
    assert "KeyboardInterrupt" in err
    assert process.returncode in (130, -signal.SIGINT, 1)


def test_silence_by_default(quick, task, capfd):
    quick().fit(*task)
    captured = capfd.readouterr()
    assert captured.out == captured.err == ""
