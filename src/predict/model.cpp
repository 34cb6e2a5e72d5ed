#include "m3lak/model.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "data/file.h"
#include "m3lak/error.h"
#include "predict/model_file.h"
#include "predict/model_parts.h"
#include "predict/turn.h"

namespace m3lak {

Model::Model(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}

const Options& Model::options() const { return parts_->options; }
const Scaler& Model::scaler() const { return parts_->scaler; }
const std::vector<std::string>& Model::classes() const { return parts_->classes; }
const std::vector<std::vector<std::string>>& Model::feature_names() const {
  return parts_->feature_names;
}
const std::vector<Draw>& Model::draws() const { return parts_->draws; }
std::vector<Matrix> Model::turns() const {
  std::vector<Matrix> result;
  for (const Draw& draw : draws()) result.push_back(turn_into(draws().back(), draw));
  return result;
}

std::vector<Matrix> Model::linear_weights() const {
  Matrix mean = Matrix::Zero(draws().back().linear_weights.rows(), draws().back().weights.cols());
  for (const Draw& draw : draws()) mean += draw.linear_weights;
  mean /= static_cast<double>(draws().size());
  std::vector<Matrix> result;
  for (std::size_t i = 0; i < scaler().views().size(); ++i) {
    const Index features = scaler().views()[i].mean.size();
    const bool any = mean.rows() > 0;
    result.push_back(any ? Matrix(parts_->directions[i] * mean)
                         : Matrix::Zero(features, mean.cols()));
  }
  return result;
}

const std::vector<TraceRow>& Model::trace() const { return parts_->trace; }
const std::vector<Tried>& Model::tried() const { return parts_->tried; }
bool Model::stopped_early() const { return parts_->stopped_early; }

double Model::weight() const { return parts_->weight; }

std::vector<Model> Model::members() const {
  std::vector<Model> members = {*this};
  if (!parts_->others.empty()) {
    auto alone = std::make_shared<Parts>(*parts_);
    alone->others.clear();
    members.front() = Model(std::move(alone));
  }
  for (const auto& other : parts_->others) members.push_back(Model(other));
  return members;
}

void Model::save(const std::filesystem::path& file) const {
  AtomicFiles files;
  std::ofstream out(files.stage(file), std::ios::binary);
  write_model(*parts_, out);
  out.close();
  if (!out) {
    throw Error(fmt::format("{}: cannot be written: {}", file.string(),
                            std::generic_category().message(errno)));
  }
  files.commit();
}

Model Model::load(const std::filesystem::path& file) {
  const auto mapped = std::make_shared<const MappedFile>(file);
  return Model(std::make_shared<const Parts>(read_model(mapped->text(), file.string(), mapped)));
}

std::string Model::bytes() const {
  std::ostringstream out;
  write_model(*parts_, out);
  return std::move(out).str();
}

Model Model::from_bytes(std::string_view bytes) {
  return Model(std::make_shared<const Parts>(read_model(bytes, "a model in memory")));
}

}  // namespace m3lak
