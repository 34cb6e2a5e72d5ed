"""Multi-view classification with a learned kernel and honest uncertainty.

>>> from m3lak import M3LAKClassifier, simulate
>>> views, y = simulate(instances=120, views=(8, 5), random_state=1)
>>> model = M3LAKClassifier(iterations=60, burn_in=30, calibrate=False).fit(views, y)
>>> model.predict_proba(views).shape
(120, 2)
"""

from m3lak._core import version as _version
from m3lak._views import join
from m3lak.classifier import M3LAKClassifier, preset
from m3lak.data import read, simulate
from m3lak.mixture import DirichletProcessMixture
from m3lak.rivals import (
    BEMKLClassifier,
    BM2SMVLClassifier,
    MMHClassifier,
    MVMEDClassifier,
    VMRMLClassifier,
)

__version__ = _version()
__all__ = [
    "BEMKLClassifier",
    "BM2SMVLClassifier",
    "DirichletProcessMixture",
    "M3LAKClassifier",
    "MMHClassifier",
    "MVMEDClassifier",
    "VMRMLClassifier",
    "join",
    "preset",
    "read",
    "simulate",
]
