// SPDX-License-Identifier: Apache-2.0
// The index of the room codesearch as a source of code.
#include "codesearch/index.h"
#include "propose/llm/code_source.h"

namespace kp::propose {
namespace {

class CodeIndex final : public CodeSource {
 public:
  explicit CodeIndex(codesearch::Index index) : index_(std::move(index)) {}

  Result<std::vector<CodeHit>> search(const std::string& query, int limit) override {
    KP_TRY(auto found, index_.search(query, limit));
    std::vector<CodeHit> hits;
    for (codesearch::Hit& hit : found) {
      hits.push_back({std::move(hit.path), hit.excerpt_line, std::move(hit.excerpt)});
    }
    return hits;
  }

  Result<std::string> read(const std::string& path, int first, int last) override {
    KP_TRY(auto passage, index_.read(path, first, last));
    return std::move(passage.text);
  }

 private:
  codesearch::Index index_;
};

}  // namespace

Result<std::unique_ptr<CodeSource>> open_code_source(const std::vector<Path>& roots) {
  if (roots.empty()) return std::unique_ptr<CodeSource>();
  KP_TRY(auto index, codesearch::Index::open(roots));
  // While another process brings the same index up to date, the one that there is will do.
  const auto refreshed = index.refresh();
  if (!refreshed && refreshed.error().code != ErrorCode::kBusy) {
    return tl::unexpected<Error>(refreshed.error());
  }
  return std::make_unique<CodeIndex>(std::move(index));
}

}  // namespace kp::propose
