"""The other methods as classifiers of scikit-learn's kind."""

import pickle

import numpy as np
import pytest
from m3lak import (
    BEMKLClassifier,
    BM2SMVLClassifier,
    MMHClassifier,
    MVMEDClassifier,
    VMRMLClassifier,
)
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

RIVALS = [BEMKLClassifier, BM2SMVLClassifier, MMHClassifier, MVMEDClassifier, VMRMLClassifier]


@pytest.mark.parametrize("rival", RIVALS)
def test_they_learn(rival, task, stacked):
    views, y = task
    model = rival(tune=False).fit(views, y)
    assert model.score(views, y) > 0.85
    odds = model.decision_function(views)
    np.testing.assert_array_equal(model.classes_[(odds > 0).astype(int)], model.predict(views))
    assert cross_val_score(rival(tune=False, views=[6, 8]), *stacked, cv=3).mean() > 0.7


@pytest.mark.parametrize("rival", RIVALS)
def test_they_tune_several_classes(rival, task):
    views, _ = task
    small = {name: x[:45] for name, x in views.items()}
    y = np.array(["a", "b", "c"])[np.digitize(small["view1"][:, 0], [-0.5, 0.5])]
    model = rival().fit(small, y)
    p = model.predict_proba(small)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert (model.predict(small) == y).mean() > 0.5


@pytest.mark.parametrize("rival", RIVALS)
def test_manners(rival, task):
    views, y = task
    model = rival(tune=False, random_state=3)
    assert clone(model).get_params() == model.get_params()
    assert pickle.loads(pickle.dumps(model)).get_params() == model.get_params()
    model.fit(views, y)
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(model)
    with pytest.raises(ValueError, match="lacks .'view2'.*needs all views"):
        model.predict({"view1": views["view1"]})
    turned = dict(reversed(views.items()))
    np.testing.assert_array_equal(model.predict_proba(turned), model.predict_proba(views))


def test_bemkl_takes_all_widths(task):
    views, y = task
    some, every = (BEMKLClassifier(tune=False, all_widths=a).fit(views, y) for a in (False, True))
    assert clone(every).get_params()["all_widths"]
    assert (some.decision_function(views) != every.decision_function(views)).any()


def test_settings(task):
    model = BM2SMVLClassifier(latent=2, C=3.0, tune=False).fit(*task)
    assert model.get_params()["latent"] == 2
    with pytest.raises(ValueError):
        MMHClassifier(latent=-1, tune=False).fit(*task)
