// Damaged files of each binary format: whatever is in them, the worst that happens is an error.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <ostream>

#include "data/formats/hdf5/h5mu.h"
#include "data/formats/hdf5/hdf5.h"
#include "data/formats/mat/mat.h"
#include "data/formats/mat/mat_testing.h"
#include "data/formats/npy/npy.h"
#include "data/formats/npy/npz.h"
#include "data/formats/variables/variable_testing.h"

/// HDF5 forgets some of its memory when it stumbles over damage; that is not ours to mend.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5\n"; }

namespace m3lak {
namespace {

struct Format {
  const char* name;
  std::function<void(const std::filesystem::path&)> write;
  ReadFile read;
  DataSource source = {};
};

void PrintTo(const Format& format, std::ostream* out) { *out << format.name; }

DataSource choosing(const std::vector<std::string>& views, const std::string& labels) {
  DataSource source;
  source.view_variables = views;
  source.label_column = labels;
  return source;
}

const std::vector<Format>& formats() {
  using Path = std::filesystem::path;
  const auto plain = choosing({"bytes", "singles", "cells"}, "text");
  static const std::vector<Format> all = {
      {"npy", [](const Path& p) { write_npy(full_dataset(), 0, p); }, read_npy},
      {"npz", [](const Path& p) { write_npz(full_dataset(), p); }, read_npz},
      {"mat5", [](const Path& p) { write_mat(full_dataset(), p, false); }, read_mat},
      {"mat5_plain", [](const Path& p) { write_plain_mat5(p, MAT_COMPRESSION_NONE); }, read_mat,
       plain},
      {"mat73", [](const Path& p) { write_mat(full_dataset(), p, true); }, read_mat},
      {"h5", [](const Path& p) { write_h5(full_dataset(), p); }, read_hdf5},
      {"h5mu", [](const Path& p) { write_h5mu(full_dataset(), p); }, read_h5mu,
       choosing({}, "label")},
  };
  return all;
}

/// A file with one to three changes: cut off, bytes replaced, or a number made extreme.
std::string with_damage(std::string bytes, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return random() % n; };
  for (std::size_t changes = 1 + below(3); changes > 0 && bytes.size() > 8; --changes) {
    const std::size_t at = below(bytes.size() - 8);
    constexpr std::array<std::uint32_t, 6> extremes{0,          1,          0x7FFFFFFF,
                                                    0x80000000, 0xFFFFFFFF, 0x10000};
    const std::uint32_t extreme = extremes[below(extremes.size())];
    switch (below(8)) {
      case 0:
        bytes.resize(at);
        break;
      case 1:
      case 2:
      case 3:
        bytes[at] = static_cast<char>(below(256));
        break;
      case 4:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      default:
        std::memcpy(bytes.data() + (at & ~std::size_t{3}), &extreme, sizeof extreme);
    }
  }
  return bytes;
}

class Damage : public testing::TestWithParam<Format> {};

TEST_P(Damage, NeverDoesWorseThanAnError) {
  const Format& format = GetParam();
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "d";
  format.write(path);
  const std::string good = bytes_of(path);
  EXPECT_NO_THROW(read_with(format.read, path, format.source));
  std::mt19937 random(1);
  int refused = 0;
  constexpr int repeats = 120;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    put_bytes(path, with_damage(good, random));
    try {
      read_with(format.read, path, format.source);
    } catch (const BadData& error) {
      EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos) << error.what();
      ++refused;
    } catch (const std::exception& error) {
      ADD_FAILURE() << "damage " << repeat << ": " << error.what();
    }
  }
  EXPECT_GT(refused, repeats / 10);  // the damage does matter
}

TEST_P(Damage, OfACutIsNoticed) {
  const Format& format = GetParam();
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "d";
  format.write(path);
  const std::string good = bytes_of(path);
  int cuts = 0, noticed = 0;
  for (std::size_t size = 1; size < good.size(); size += good.size() / 100 + 1, ++cuts) {
    put_bytes(path, good.substr(0, size));
    try {
      read_with(format.read, path, format.source);
    } catch (const BadData&) {
      ++noticed;
    }
  }
  // A cut between two variables of a .mat file leaves a sound file with fewer of them.
  EXPECT_GE(noticed, cuts - 10);
}

INSTANTIATE_TEST_SUITE_P(Formats, Damage, testing::ValuesIn(formats()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace m3lak
