"""A bar while a model is fitted, in a terminal or a notebook."""

from __future__ import annotations

from typing import Any

from tqdm.auto import tqdm


class Bar:
    """To be called with stage, done, total and training accuracy."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._stage = ""

    def __call__(self, stage: str, done: int, total: int, accuracy: float) -> None:
        if self._bar is None or stage != self._stage:
            self.close()
            self._bar = tqdm(total=total, desc=stage, unit="it")
            self._stage = stage
        self._bar.total = total
        if accuracy >= 0:
            self._bar.set_postfix(accuracy=f"{accuracy:.3f}", refresh=False)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
