// Scaling that is fitted on training data and applied to whatever is classified later.
#pragma once

#include <string>
#include <vector>

#include "m3lak/dataset.h"
#include "m3lak/export.h"

namespace m3lak {

class Workers;

enum class Scaling {
  none,            ///< values as they are
  center,          ///< each feature has mean 0
  standardize,     ///< each feature has mean 0 and variance 1
  equal_variance,  ///< each feature has mean 0, and each view total variance 1 over its features
  /// Each instance of a view is divided by its length, so that only its direction counts (a long
  /// text is like a short one that says the same); then as equal_variance.
  unit_length,
  /// Each value is replaced by its square root first (-9 by -3), then as the scaling of that name:
  /// for counts, amounts and whatever else is many small values and a few large ones.
  root_center,
  root_standardize,
  root_unit_length,
  automatic,  ///< to be decided by cross-validation; no scaler can be fitted with it
};

/// "none", "center", "standardize", "equal-variance", "unit-length", the same with a root
/// ("root-center", …) or "auto"; throws BadUsage for anything else.
M3LAK_API Scaling scaling_of(const std::string& name);
M3LAK_API std::string name_of(Scaling scaling);

/// What is done to each instance before means and variances are looked at.
struct M3LAK_API RowScaling {
  bool root = false;
  bool unit_length = false;

  bool any() const { return root || unit_length; }
};
M3LAK_API RowScaling row_scaling_of(Scaling scaling);

/// x becomes (x - mean) * factor, feature by feature, after its root was taken and it was divided
/// by its length if the scaling says so (unknown cells are taken to be as long as known ones).
/// Means and variances are those of the known cells. A constant feature is centred and otherwise
/// left alone. A sparse view stays sparse: only the factors are applied to its values, and the
/// centre is left in View::offset.
class M3LAK_API Scaler {
 public:
  struct ViewScale {
    std::string name;
    Vector mean;
    Vector factor;
  };

  /// `variances`: the total variance over its features that each view is given at last; empty: as
  /// the scaling leaves them. `none` leaves them as they are.
  static Scaler fit(const Dataset& training, Scaling scaling, const Vector& variances = {});

  /// The same over the instances of all processes that work on them together.
  static Scaler fit(Workers& workers, const Dataset& training, Scaling scaling,
                    const Vector& variances);

  /// As fitted elsewhere, for example read from a model file.
  Scaler(Scaling scaling, std::vector<ViewScale> views);

  /// Scales the data in place. Throws BadData if its views are not those of the training data, and
  /// BadUsage if the data has been scaled before.
  void apply(Dataset& data) const;

  Scaling scaling() const { return scaling_; }
  const std::vector<ViewScale>& views() const { return views_; }

 private:
  Scaling scaling_;
  std::vector<ViewScale> views_;
};

}  // namespace m3lak
