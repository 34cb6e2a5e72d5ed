"""Models, as `inspect` shows them."""

import re

DATA = 3


def test_text(m3lak, model):
    result = m3lak("inspect", model, good=False)
    lines = [line.split() for line in result.out.splitlines()]
    assert ["latent", "3", "auto"] in lines
    assert ["features", "10", "100"] in lines
    assert not any(line[:1] == ["chains"] for line in lines)  # it has its default
    assert any(line[:2] == ["view1", "6"] for line in lines)
    assert any(line[:2] == ["view2", "8"] for line in lines)
    assert "classes: 1, 2" in result.out
    assert re.search(r"^draws +30 of 1 chain$", result.out, re.M)


def test_each_check_has_its_verdict_and_the_exit_status_tells(m3lak, model):
    summary = m3lak("inspect", model, "--json", good=False)
    checks = summary.json()["checks"]
    result = m3lak("inspect", model, good=False)
    for check in checks:
        verdict = "passed" if check["passed"] else "FAILED"
        assert f"{check['name']}: {verdict} (" in result.out
        assert check["meaning"] in result.out
        assert bool(check["remedy"]) != check["passed"]
        assert check["remedy"] in result.out
    failed = not all(check["passed"] for check in checks)
    assert result.code == summary.code == int(failed)
    assert summary.json()["trusted"] != failed
    assert result.err == summary.err == ""


def test_a_chain_that_is_too_short_is_not_trusted(m3lak, data):
    m3lak("train", data, "-o", "short.m3lak", "--iterations", 4, "--burn-in", 1, "--latent", 2,
          "--features", 3)  # fmt: skip
    result = m3lak("inspect", "short.m3lak", good=False)
    assert result.code == 1
    assert "FAILED" in result.out
    assert "What to do: " in result.out


def test_a_model_is_known_by_its_contents(m3lak, model, tmp_path):
    (tmp_path / model).rename(tmp_path / "misnamed.csv")
    assert "classes: 1, 2" in m3lak("inspect", "misnamed.csv", good=False).out


def test_a_model_that_was_cut_off(refuses, model, tmp_path):
    whole = (tmp_path / model).read_bytes()
    (tmp_path / "cut.m3lak").write_bytes(whole[: len(whole) // 2])
    refuses(DATA, ["cut.m3lak"], "inspect", "cut.m3lak")
