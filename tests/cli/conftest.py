"""What the tests of the commands share: small data, quick settings, and calls that must fail."""

import pytest


@pytest.fixture
def refuses(m3lak, tmp_path):
    """That a call fails with this code, and a message (no crash, no half file) with these words."""

    def check(code, words, *arguments):
        before = sorted(tmp_path.rglob("*"))
        result = m3lak(*arguments, good=False)
        assert result.code == code, (result.code, result.err)
        assert result.err.startswith("m3lak: ") or "\nm3lak: " in result.err
        for word in words:
            assert word in result.err, f"no {word!r} in: {result.err}"
        assert sorted(tmp_path.rglob("*")) == before

    return check


@pytest.fixture
def tiny():
    """Settings with which training takes a moment."""
    return [
        *("--iterations", 60, "--burn-in", 30, "--latent", 3, "--features", 10),
        *("--thin", 1, "--label-weight", 1, "--scaling", "standardize", "--calibrate", "no"),
    ]


@pytest.fixture
def data(m3lak):
    """A file of simulated data: a linear boundary, two views, 80 instances."""
    m3lak("simulate", "-o", "data.npz", "--instances", 80, "--views", "6,8", "--latent", 3)
    return "data.npz"


@pytest.fixture
def model(m3lak, data, tiny):
    """A model that was trained on `data`."""
    m3lak("train", data, "-o", "model.m3lak", "--quiet", *tiny)
    return "model.m3lak"


@pytest.fixture
def three_classes(tmp_path):
    """Options that name a table of 60 instances with names, in three classes."""
    lines = ["id,f1,f2,f3,label"]
    for n in range(60):
        a, b = n % 3, (n * 7) % 10 / 10
        lines.append(f"p{n},{a + b},{a * a - b},{b},{'abc'[a]}")
    (tmp_path / "three.csv").write_text("\n".join(lines) + "\n")
    return ["three.csv", "--label-column", "label"]
