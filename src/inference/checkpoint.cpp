#include "inference/checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <system_error>

#include "m3lak/error.h"

namespace m3lak {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view opening = "m3lak checkpoint 1\n";

/// What is wrong with a file. Caught where its name is known.
struct Damage {
  std::string what;
};

fs::path previous(const fs::path& file) {
  fs::path name = file;
  name += ".previous";
  return name;
}

/// A checkpoint of any format.
bool begins_as_one(std::string_view bytes) {
  return bytes.starts_with(opening.substr(0, opening.rfind(' ')));
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// A file that is something else must not be replaced.
void check_is_ours(const fs::path& file) {
  std::error_code ignored;
  if (!is_there(file) || is_there(previous(file)) || fs::file_size(file, ignored) == 0) return;
  if (begins_as_one(MappedFile(file).text())) return;
  throw BadUsage(
      fmt::format("--checkpoint {}: is there already and is something else; it is not "
                  "replaced: give another name",
                  file.string()));
}

/// How a fit differs from the one that a checkpoint is of, in words; empty if it does not.
std::string difference(const Identity& saved, const Identity& now) {
  const auto value_in = [](const Identity& all, const std::string& name) -> std::string {
    const auto at = std::ranges::find(all, name, &Identity::value_type::first);
    return at == all.end() ? "not there" : at->second;
  };
  std::vector<std::string> words;
  const auto look_at = [&](const std::string& name) {
    const std::string before = value_in(saved, name), after = value_in(now, name);
    if (before != after) words.push_back(fmt::format("{} was {} and is {}", name, before, after));
  };
  for (const auto& [name, value] : saved) look_at(name);
  for (const auto& [name, value] : now) {
    if (value_in(saved, name) == "not there") look_at(name);
  }
  return fmt::format("{}", fmt::join(words, "; "));
}

/// What a program that was killed left behind.
void remove_leftovers(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const std::string begin = fmt::format(".{}.", file.stem().string());
  const std::string end = fmt::format(".part{}", file.extension().string());
  std::error_code ignored;
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.size() <= begin.size() + end.size() || !name.starts_with(begin) ||
        !name.ends_with(end)) {
      continue;
    }
    int process = 0;
    const char* last = name.data() + name.size() - end.size();
    const auto result = std::from_chars(name.data() + begin.size(), last, process);
    if (result.ptr == last && ::kill(process, 0) != 0 && errno == ESRCH) {
      found.push_back(entry.path());
    }
  }
  for (const fs::path& each : found) fs::remove(each, ignored);
}

}  // namespace

Checkpoint::Checkpoint(CheckpointPlan plan, Identity identity,
                       std::function<void(const std::string&)> warn, Cluster* cluster,
                       DrawStore* store)
    : plan_(std::move(plan)),
      identity_(std::move(identity)),
      warn_(std::move(warn)),
      cluster_(cluster),
      store_(store) {
  std::string chosen;
  if (is_first()) {
    AtomicFiles().stage(plan_->file);
    check_is_ours(plan_->file);
    remove_leftovers(plan_->file);
    remove_leftovers(previous(plan_->file));
    if (plan_->resume) chosen = choose().string();
  }
  if (!cluster_) return;
  share_first(*cluster_, chosen);
  if (is_first() || chosen.empty()) return;
  try {
    load(chosen);
  } catch (const Damage& damage) {
    throw BadData(
        fmt::format("{}: process {} does not see it as the first one does ({}): it must "
                    "be where all processes read and write",
                    chosen, cluster_->share().rank, damage.what));
  }
}

/// Loads what is to be resumed, and says from where; nothing if there is nothing yet.
fs::path Checkpoint::choose() {
  const fs::path& file = plan_->file;
  if (!is_there(file) && !is_there(previous(file))) return {};
  std::string wrong;
  for (const fs::path& each : {file, previous(file)}) {
    try {
      if (!is_there(each)) continue;
      load(each);
      if (!wrong.empty() && warn_) {
        warn_(fmt::format("{}; going on from the one before it, {}", wrong, each.string()));
      }
      return each;
    } catch (const Damage& damage) {
      is_intact_ = false;
      wrong += fmt::format("{}{}: is damaged or cut short ({})", wrong.empty() ? "" : "; ",
                           each.string(), damage.what);
    }
  }
  throw BadData(
      fmt::format("{}; there is no other checkpoint: remove it, or leave out --resume, to "
                  "start afresh",
                  wrong));
}

void Checkpoint::load(const fs::path& file) {
  std::unique_ptr<MappedFile> mapped;
  try {
    mapped = std::make_unique<MappedFile>(file);
  } catch (const BadData& error) {
    throw Damage{error.what()};
  }
  const std::string_view bytes = mapped->text();
  if (!begins_as_one(bytes)) throw Damage{"it does not begin as a checkpoint does"};
  const auto body = checked(bytes);
  if (!body) throw Damage{"its checksum does not fit its contents"};
  if (!body->starts_with(opening)) {
    throw BadData(
        fmt::format("{}: is of another m3lak; finish it with that one, or leave out "
                    "--resume to start afresh",
                    file.string()));
  }
  try {
    ArchiveReader reader(body->substr(opening.size()));
    Identity identity;
    std::uint64_t count = 0;
    for (reader(count); count > 0; --count) {
      auto& [name, value] = identity.emplace_back();
      reader(name, value);
    }
    if (identity != identity_) {
      throw BadData(
          fmt::format("{}: is a checkpoint of another fit: {}. Give the same data and "
                      "settings, or another --checkpoint, or leave out --resume to start "
                      "afresh",
                      file.string(), difference(identity, identity_)));
    }
    for (reader(count); count > 0; --count) {
      std::string name;
      std::uint64_t size = 0;
      reader(name, size);
      saved_[name] = reader.take(size);
    }
  } catch (const std::out_of_range& error) {
    throw Damage{error.what()};
  }
  file_ = std::move(mapped);
}

void Checkpoint::read(std::string_view bytes,
                      const std::function<void(ArchiveReader&)>& read) const {
  try {
    ArchiveReader reader(bytes, cluster_, store_);
    read(reader);
    if (reader.left() == 0) return;
  } catch (const std::out_of_range&) {
  }
  throw BadData(fmt::format("{}: does not hold what it should; leave out --resume to start afresh",
                            plan_->file.string()));
}

void Checkpoint::remove(const std::string& name) {
  if (!plan_) return;
  const auto all = hold_all();
  live_.erase(name);
  saved_.erase(name);
}

std::shared_lock<std::shared_mutex> Checkpoint::hold() {
  const std::lock_guard turn(turnstile_);
  return std::shared_lock(parts_);
}

std::pair<std::unique_lock<std::mutex>, std::unique_lock<std::shared_mutex>>
Checkpoint::hold_all() {
  std::unique_lock turn(turnstile_);
  return {std::move(turn), std::unique_lock(parts_)};
}

bool Checkpoint::is_due(int iteration) const {
  if (plan_->iterations > 0 && iteration > 0 && iteration % plan_->iterations == 0) return true;
  const std::chrono::duration<double> passed = Clock::now() - last_;
  // Many draws take long to write: that shall not be more than a tenth of the time.
  constexpr double pause = 9;
  const double least = plan_->seconds > 0 ? pause * took_.count() : 0;
  return passed.count() >= std::max(plan_->seconds, least);
}

/// What the first process says, for all.
bool Checkpoint::agreed(bool first_says) const {
  if (cluster_) share_first(*cluster_, first_says);
  return first_says;
}

void Checkpoint::save_if_due(int iteration) {
  if (!plan_) return;
  {
    const std::lock_guard turn(turnstile_);
    if (!agreed(is_due(iteration))) return;
  }
  const auto all = hold_all();
  // Unless another chain of this process has done it meanwhile.
  if (cluster_ || is_due(iteration)) write_all();
}

void Checkpoint::save() {
  if (!plan_) return;
  const auto all = hold_all();
  write_all();
}

void Checkpoint::warn(const std::exception& error) const {
  if (!warn_) return;
  warn_(
      fmt::format("the checkpoint could not be written: {}; the work goes on, and an older "
                  "checkpoint stays as it is",
                  error.what()));
}

void Checkpoint::write_all() {
  const auto begin = Clock::now();
  if (is_first()) {
    replace();
  } else if (agreed(true)) {
    send();
  }
  last_ = Clock::now();
  took_ = last_ - begin;
}

void Checkpoint::replace() {
  const fs::path& file = plan_->file;
  AtomicFiles files;
  fs::path staged;
  try {
    staged = files.stage(file);
  } catch (const std::exception& error) {
    agreed(false);
    return warn(error);
  }
  agreed(true);
  try {
    write(staged);
    std::error_code failed;
    if (is_intact_ && fs::exists(file, failed)) {
      // The old one has two names for a moment: there is no time without a checkpoint.
      const fs::path second = files.stage(previous(file));
      fs::create_hard_link(file, second, failed);
      if (failed) fs::copy_file(file, second);
    }
    files.commit();
    is_intact_ = true;
  } catch (const std::exception& error) {
    warn(error);
  }
}

/// What the first process writes of this one's instances, in the order of `write`.
void Checkpoint::send() {
  Nowhere nowhere;
  for (const auto& [name, section] : live_) {
    section.size();
    section.send(nowhere);
  }
}

void Checkpoint::write(const fs::path& file) {
  errno = 0;
  std::ofstream stream(file, std::ios::binary);
  CheckedOutput output(stream);
  output.text(opening);
  ArchiveWriter<CheckedOutput> archive(output);
  std::uint64_t count = identity_.size();
  archive(count);
  for (auto& [name, value] : identity_) archive(name, value);
  count = live_.size() + saved_.size();
  archive(count);
  const auto begin = [&](std::string name, std::uint64_t size) { archive(name, size); };
  for (const auto& [name, section] : live_) {
    begin(name, section.size());
    section.write(output);
  }
  for (const auto& [name, bytes] : saved_) {
    begin(name, bytes.size());
    output.text(bytes);
  }
  output.finish();
  stream.close();
  if (stream) return;
  const std::string reason = errno != 0 ? std::generic_category().message(errno) : "unknown error";
  throw Error(fmt::format("{}: {}", plan_->file.string(), reason));
}

}  // namespace m3lak
