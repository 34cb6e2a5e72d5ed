// What a long fit has done so far, on disk, so that it can go on after an end that nobody wanted.
//
// The file, format 1:
//
//   "m3lak checkpoint 1\n"
//   whose it is: names and values (settings, data), as strings in an archive (see archive.h)
//   number of sections, 8 bytes; of each its name, its size (8 bytes) and its contents
//   CRC-32 of everything before it, 4 bytes
//
// A new one appears whole or not at all, and the one before it stays as FILE.previous.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/checksum.h"
#include "data/file.h"
#include "m3lak/model.h"
#include "numeric/instances_archive.h"

namespace m3lak {

/// Names and values that tell one fit from another.
using Identity = std::vector<std::pair<std::string, std::string>>;

class Checkpoint {
 public:
  /// Keeps nothing.
  Checkpoint() = default;

  /// Reads what is to be resumed, if there is any. Throws BadUsage if the folder cannot be written
  /// to, BadData if the file cannot be read, and neither that before it, or if it is another's.
  /// Where there are several processes, they keep one checkpoint together: each of them makes the
  /// same calls in the same order, and the first reads, writes and tells. Draws are read into the
  /// store.
  Checkpoint(CheckpointPlan plan, Identity identity, std::function<void(const std::string&)> warn,
             Cluster* cluster = nullptr, DrawStore* store = nullptr);

  /// From now on `part` is what is saved under this name; it must stay where it is until it is
  /// removed, and may change only while it is held. Reads what was saved of it, if there is any,
  /// and says whether there was.
  template <class Part>
  bool add(const std::string& name, Part& part) {
    if (!plan_) return false;
    const auto all = hold_all();
    live_[name] = {[&part, cluster = cluster_] {
                     ArchiveSizer sizer(cluster);
                     sizer(part);
                     return sizer.bytes();
                   },
                   [&part, cluster = cluster_](CheckedOutput& output) {
                     ArchiveWriter<CheckedOutput>{output, cluster}(part);
                   },
                   [&part, cluster = cluster_](Nowhere& output) {
                     ArchiveWriter<Nowhere>{output, cluster}(part);
                   }};
    const auto found = saved_.find(name);
    if (found == saved_.end()) return false;
    read(found->second, [&part](ArchiveReader& reader) { reader(part); });
    saved_.erase(found);
    return true;
  }

  /// Whether something was saved under this name that has not been asked for yet.
  bool has(const std::string& name) const { return saved_.contains(name); }

  void remove(const std::string& name);

  /// While one of these is there, parts may change, and nothing is saved.
  std::shared_lock<std::shared_mutex> hold();

  /// After an iteration of a chain, or anything else that is worth being kept (0).
  void save_if_due(int iteration = 0);

  /// What cannot be written is warned of: the work goes on, and an older checkpoint stays.
  void save();

 private:
  /// Nowhere: a process other than the first has its instances to send, and nothing to write.
  struct Nowhere {
    void bytes(const void*, std::size_t) {}
  };
  struct Section {
    std::function<std::uint64_t()> size;
    std::function<void(CheckedOutput&)> write;
    std::function<void(Nowhere&)> send;
  };
  using Clock = std::chrono::steady_clock;

  std::pair<std::unique_lock<std::mutex>, std::unique_lock<std::shared_mutex>> hold_all();
  bool is_first() const { return !cluster_ || cluster_->is_first(); }
  bool agreed(bool first_says) const;
  std::filesystem::path choose();
  void load(const std::filesystem::path& file);
  void read(std::string_view bytes, const std::function<void(ArchiveReader&)>& read) const;
  bool is_due(int iteration) const;
  void write_all();
  void replace();
  void write(const std::filesystem::path& file);
  void send();
  void warn(const std::exception& error) const;

  std::optional<CheckpointPlan> plan_;
  Identity identity_;
  std::function<void(const std::string&)> warn_;
  Cluster* cluster_ = nullptr;
  DrawStore* store_ = nullptr;
  std::unique_ptr<MappedFile> file_;  // what is resumed
  bool is_intact_ = true;             // plan_->file: else it is not worth being kept
  std::map<std::string, std::string_view> saved_;
  std::map<std::string, Section> live_;
  Clock::time_point last_ = Clock::now();
  std::chrono::duration<double> took_{0};  // the last one

  std::mutex turnstile_;  // whoever wants to save keeps others from beginning anew
  std::shared_mutex parts_;
};

}  // namespace m3lak
