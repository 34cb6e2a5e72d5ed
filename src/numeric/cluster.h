// Processes that work on one thing together, each with its share of the instances.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "numeric/archive.h"
#include "numeric/share.h"

namespace m3lak {

/// How processes reach each other. All of them make the same calls in the same order, each from one
/// thread at a time.
class Cluster {
 public:
  virtual ~Cluster() = default;

  virtual Share share() const = 0;
  bool is_first() const { return share().rank == 0; }

  virtual void send(int to, std::string_view bytes) = 0;
  virtual void receive(int from, std::string& bytes) = 0;

  /// All have then what the first had.
  virtual void broadcast(std::string& bytes) = 0;

  /// How much this process has sent so far.
  virtual std::uint64_t bytes_sent() const = 0;
};

/// What can be sent: numbers, and what has a `transfer` (see archive.h).
template <class Value>
concept Sendable = std::is_arithmetic_v<Value> || requires(Value& value, ArchiveSizer& sizer) {
  transfer(sizer, value);
};

template <Sendable Value>
std::string packed(Value& value) {
  ArchiveSizer sizer;
  sizer(value);
  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(sizer.bytes()));
  TextOutput output{bytes};
  ArchiveWriter<TextOutput> writer(output);
  writer(value);
  return bytes;
}

template <Sendable Value>
void unpack(std::string_view bytes, Value& value) {
  ArchiveReader reader(bytes);
  reader(value);
}

/// The first process's value, for all.
template <Sendable Value>
void share_first(Cluster& cluster, Value& value) {
  std::string bytes = cluster.is_first() ? packed(value) : std::string();
  cluster.broadcast(bytes);
  if (!cluster.is_first()) unpack(bytes, value);
}

namespace cluster_parts {

/// The sum over processes first … first + count - 1, left with the first of them: the tree of
/// own_instances.
template <Sendable Value, class Combine>
void gather_sum(Cluster& cluster, int first, int count, Value& value, const Combine& combine) {
  if (count == 1) return;
  const int rank = cluster.share().rank, middle = first + count / 2;
  if (rank < middle) {
    gather_sum(cluster, first, middle - first, value, combine);
  } else {
    gather_sum(cluster, middle, first + count - middle, value, combine);
  }
  if (rank == middle) cluster.send(first, packed(value));
  if (rank != first) return;
  std::string bytes;
  cluster.receive(middle, bytes);
  Value other = value;
  unpack(bytes, other);
  combine(value, other);
}

}  // namespace cluster_parts

/// value becomes the sum over all processes, for all of them, to the same bits.
template <Sendable Value, class Combine>
void sum_over(Cluster& cluster, Value& value, const Combine& combine) {
  cluster_parts::gather_sum(cluster, 0, cluster.share().ranks, value, combine);
  share_first(cluster, value);
}

/// The values of all processes, for all of them, in order.
template <Sendable Value>
std::vector<Value> values_of(Cluster& cluster, Value value) {
  std::vector<Value> all{std::move(value)};
  sum_over(cluster, all, [](std::vector<Value>& into, std::vector<Value>& from) {
    for (Value& each : from) into.push_back(std::move(each));
  });
  return all;
}

}  // namespace m3lak
