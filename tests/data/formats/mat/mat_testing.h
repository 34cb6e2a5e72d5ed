// A MATLAB file with variables of all classes.
#pragma once

#include <matio.h>

#include <array>
#include <filesystem>

namespace m3lak {

/// Matrices 3 × 2 with 1 … 6 in MATLAB's order, and what is no matrix.
inline void write_plain_mat5(const std::filesystem::path& path, matio_compression compression) {
  std::array<std::size_t, 2> shape{3, 2}, one{1, 1}, pair{1, 2};
  std::array<std::uint8_t, 6> bytes{1, 2, 3, 4, 5, 6};
  std::array<float, 6> singles{1, 2, 3, 4, 5, 6};
  std::array<double, 6> doubles{1, 2, 3, 4, 5, 6};
  mat_complex_split_t complex{doubles.data(), doubles.data()};
  std::array<char, 6> letters{'a', 'c', 'd', 'b', ' ', 'e'};  // ab, c, de

  mat_t* file = Mat_CreateVer(path.c_str(), nullptr, MAT_FT_MAT5);
  const auto write = [&](matvar_t* variable) {
    Mat_VarWrite(file, variable, compression);
    Mat_VarFree(variable);
  };
  const auto doubles_named = [&](const char* name) {
    return Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, shape.data(), doubles.data(), 0);
  };
  const auto text_named = [&](const char* name) {
    return Mat_VarCreate(name, MAT_C_CHAR, MAT_T_UTF8, 2, shape.data(), letters.data(), 0);
  };
  const auto cell = [&](const char* name, matvar_t* first, matvar_t* second) {
    std::array<matvar_t*, 2> cells{first, second};
    write(Mat_VarCreate(name, MAT_C_CELL, MAT_T_CELL, 2, pair.data(), cells.data(), 0));
  };
  write(Mat_VarCreate("bytes", MAT_C_UINT8, MAT_T_UINT8, 2, shape.data(), bytes.data(), 0));
  write(Mat_VarCreate("singles", MAT_C_SINGLE, MAT_T_SINGLE, 2, shape.data(), singles.data(), 0));
  write(Mat_VarCreate("complex", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, shape.data(), &complex,
                      MAT_F_COMPLEX));
  write(text_named("text"));
  cell("cells", doubles_named(nullptr), doubles_named(nullptr));
  cell("mixed", doubles_named(nullptr), text_named(nullptr));
  std::array<const char*, 1> fields{"field"};
  matvar_t* record = Mat_VarCreateStruct("record", 2, one.data(), fields.data(), 1);
  Mat_VarSetStructFieldByName(record, "field", 0, doubles_named(nullptr));
  write(record);
  Mat_Close(file);
}

}  // namespace m3lak
