// What belongs to instances, in an archive: of all of them in their order, whoever has them. So an
// archive that many processes wrote is the same as that of one.
#pragma once

#include <Eigen/SparseCore>
#include <numeric>
#include <span>
#include <stdexcept>

#include "numeric/cluster.h"

namespace m3lak {

/// Numbers of this process's instances, which all have as many bytes as they should when they are
/// read.
template <class Kind>
void transfer_instances(Kind& archive, std::span<std::byte> own) {
  Cluster* cluster = archive.cluster();
  std::vector<std::uint64_t> sizes{own.size()};
  if (cluster) sizes = values_of(*cluster, sizes.front());
  const std::uint64_t all = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  std::uint64_t size = all;
  archive(size);
  if constexpr (Kind::reads) {
    if (size != all) throw std::out_of_range("it is of other instances");
    const auto rank = cluster ? cluster->share().rank : 0;
    const auto first = std::accumulate(sizes.begin(), sizes.begin() + rank, std::uint64_t{0});
    const std::string_view taken = archive.take(all).substr(static_cast<std::size_t>(first));
    if (!own.empty()) std::memcpy(own.data(), taken.data(), own.size());
  } else if constexpr (std::is_same_v<Kind, ArchiveSizer>) {
    archive.raw(nullptr, static_cast<std::size_t>(all));
  } else {
    const std::string_view bytes(reinterpret_cast<const char*>(own.data()), own.size());
    if (cluster && !cluster->is_first()) return cluster->send(0, bytes);
    archive.raw(bytes.data(), bytes.size());
    for (int from = 1; from < static_cast<int>(sizes.size()); ++from) {
      std::string theirs;
      cluster->receive(from, theirs);
      archive.raw(theirs.data(), theirs.size());
    }
  }
}

/// One column an instance.
template <class Kind>
void transfer_instances(Kind& archive, Eigen::MatrixXd& columns) {
  transfer_instances(archive, std::as_writable_bytes(std::span(
                                  columns.data(), static_cast<std::size_t>(columns.size()))));
}

/// One row an instance; the values alone: who reads them knows where they belong.
template <class Kind, class Place>
void transfer_instances(Kind& archive, Eigen::SparseMatrix<double, Eigen::RowMajor, Place>& rows) {
  rows.makeCompressed();
  transfer_instances(archive, std::as_writable_bytes(std::span(
                                  rows.valuePtr(), static_cast<std::size_t>(rows.nonZeros()))));
}

}  // namespace m3lak
