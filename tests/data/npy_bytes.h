// The bytes of an .npy file, for tests that need one of a certain kind.
#pragma once

#include <Eigen/Core>
#include <string>

#include "data/formats/npy/npy_header.h"

namespace m3lak {

/// `stored` in its own order; rows × columns is what the header says.
template <class T>
std::string npy_bytes(const std::string& type, const Eigen::MatrixX<T>& stored, Eigen::Index rows,
                      Eigen::Index columns, bool by_columns = false) {
  std::string header =
      npy_header(type, {static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(columns)});
  if (by_columns) header.replace(header.find("False"), 5, " True");
  return header.append(reinterpret_cast<const char*>(stored.data()),
                       static_cast<std::size_t>(stored.size()) * sizeof(T));
}

}  // namespace m3lak
