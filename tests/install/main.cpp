// Data goes to and fro between this program and the library, which were compiled with different
// flags: matrices that one side allocates and the other frees.
#include <m3lak/dataset.h>
#include <m3lak/error.h>
#include <m3lak/folds.h>
#include <m3lak/io.h>
#include <m3lak/scaling.h>
#include <m3lak/simulate.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace {

void expect(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "not so: %s\n", what);
    std::exit(1);
  }
}

}  // namespace

int main() {
  m3lak::SimulationOptions options;
  options.instances = 200;
  m3lak::Dataset data = m3lak::simulate(options);
  expect(data.views.size() == 2 && data.instances() == 200, "two views of 200 instances");

  m3lak::Scaler::fit(data, m3lak::Scaling::standardize).apply(data);
  expect(std::abs(data.views[0].dense().col(0).mean()) < 1e-12, "centred");
  data.views[0].values = m3lak::DenseMatrix(2 * data.views[0].dense());
  const m3lak::Folds folds = m3lak::stratified_folds(*data.labels, 5, 1);
  expect(data.select(folds.test(0)).instances() == 40, "a fold of 40");

  const auto file = std::filesystem::temp_directory_path() / "m3lak_outside_program.npz";
  m3lak::write_dataset(data, file, m3lak::format_of(file));
  m3lak::DataSource source;
  source.files = {file};
  const m3lak::Dataset again = m3lak::read_dataset(source).data;
  std::filesystem::remove(file);
  expect(again.views[0].dense() == data.views[0].dense(), "the same after a round trip");

  try {
    source.files = {"no_such_file.npz"};
    m3lak::read_dataset(source);
    expect(false, "a missing file is an error");
  } catch (const m3lak::BadData&) {
  }
  return 0;
}
