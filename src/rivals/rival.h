// What a rival method has to be: trained on two classes, with settings to choose among. Labels of
// several classes, the choice of a setting, probabilities and memory are the same for all of them:
// see tuned.h.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "m3lak/dataset.h"
#include "m3lak/model.h"
#include "numeric/parallel.h"

namespace m3lak {

/// What training found.
class Machine {
 public:
  virtual ~Machine() = default;

  /// One score an instance; positive: of the second class. The views are those of training, not
  /// scaled.
  virtual Vector scores(const Dataset& data, Workers& workers) const = 0;
};

/// How large a set of data is.
struct Size {
  Index instances = 0;
  std::vector<Index> features;  ///< of each view
};

Size size_of(const Dataset& data);

/// A method for two classes. It has no state: what it learns is in its machines.
class Rival {
 public:
  virtual ~Rival() = default;

  /// How many settings there are to choose among, and what each is, for messages: "c = 8, f = 1/2".
  virtual std::size_t settings() const = 0;
  virtual std::string describe(std::size_t setting) const = 0;

  /// How many bytes training needs beside the data, at most, all its settings in one call, with so
  /// many threads.
  virtual double bytes(const Size& training, int threads) const = 0;

  /// The same method with so many bytes for what it keeps to be faster, on which its results do not
  /// depend. None: it keeps nothing of the kind.
  virtual std::shared_ptr<const Rival> with_memory(double) const { return nullptr; }

  /// One machine for each of these settings, which may share what they have in common. `y`: +1 or
  /// -1 for each instance, both of which occur; the data is not scaled, and cells or views may be
  /// missing. The result is the same for any number of workers. Throws Stopped if `stop` (which may
  /// be empty) says so.
  virtual std::vector<std::unique_ptr<Machine>> train(const Dataset& training, const Vector& y,
                                                      std::span<const std::size_t> settings,
                                                      Workers& workers,
                                                      const std::function<bool()>& stop) const = 0;
};

/// Throws Stopped if `stop` says so.
void stop_if(const std::function<bool()>& stop);

}  // namespace m3lak
