// SPDX-License-Identifier: Apache-2.0
#include "codesearch/index.h"

#include <fmt/format.h>

#include <algorithm>

#include "assets/schema.h"
#include "base/hash.h"
#include "base/text.h"
#include "codesearch/passage.h"
#include "codesearch/ranking.h"
#include "codesearch/tree_update.h"

namespace kp::codesearch {
namespace {

// Raise it when schema.sql or what is written into it changes.
constexpr std::int64_t kVersion = 1;
// A crash may lose the last refresh, never the index. An index of CUTLASS has 100 MB: read through
// the page cache, with 32 MiB of SQLite's own.
constexpr const char* kSettings =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
    "PRAGMA mmap_size = 268435456; PRAGMA cache_size = -32768";
constexpr std::uint64_t kMostReadBytes = 16ull << 20;

Path default_file(const std::vector<std::string>& roots) {
  return cache_folder() / "code" / (to_hex(hash_text(join(roots, "\n"))) + ".db");
}

Result<std::int64_t> version_of(Sqlite& database) {
  KP_TRY(Statement pragma, database.prepare("PRAGMA user_version"));
  KP_TRY(const bool row, pragma.step());
  return row ? pragma.integer(0) : 0;
}

Result<Sqlite> open_database(const Path& file) {
  KP_TRY_VOID(make_folder(file.has_parent_path() ? file.parent_path() : Path(".")));
  KP_TRY(Sqlite database, Sqlite::open(file, Sqlite::Access::kWrite));
  KP_TRY_VOID(database.execute(kSettings));
  KP_TRY(std::int64_t version, version_of(database));
  if (version == kVersion) return database;
  KP_TRY(Transaction transaction, Transaction::begin(database));
  KP_TRY(version, version_of(database));  // another process may have been faster
  if (version == kVersion) return database;
  Statement tables;
  KP_TRY(tables, database.prepare("SELECT count(*) FROM sqlite_master"));
  KP_TRY(const bool row, tables.step());
  if (version != 0 || !row || tables.integer(0) != 0)
    return fail(ErrorCode::kCorrupt,
                fmt::format("{} is no code index of this version", file.string()),
                "remove it; it is built again");
  tables = {};
  KP_TRY_VOID(database.execute(std::string(assets::schema)));
  KP_TRY_VOID(database.execute(fmt::format("PRAGMA user_version = {}", kVersion)));
  KP_TRY_VOID(transaction.commit());
  return database;
}

/// The index of a cache is made anew when it cannot be used; one that the user named is left alone.
Result<Sqlite> open_or_replace(const Path& file, bool replace) {
  auto opened = open_database(file);
  if (opened || !replace || opened.error().code != ErrorCode::kCorrupt) return opened;
  for (const char* ending : {"", "-wal", "-shm"}) {
    std::error_code absent;
    std::filesystem::remove(file.string() + ending, absent);
  }
  return open_database(file);
}

/// A path's first part names the root; two roots may have the same folder name.
std::string name_among(const std::vector<std::string>& taken, const std::string& wanted) {
  std::string name = wanted.empty() ? "root" : wanted;
  for (int number = 2; std::find(taken.begin(), taken.end(), name) != taken.end(); ++number)
    name = fmt::format("{}-{}", wanted, number);
  return name;
}

}  // namespace

Result<std::vector<Index::Place>> Index::open_places(const std::vector<Path>& roots) {
  std::vector<Place> places;
  std::vector<std::string> names;
  for (const Path& folder : roots) {
    KP_TRY(Root root, Root::open(folder));
    const bool twice = std::any_of(places.begin(), places.end(), [&](const Place& place) {
      return place.root.folder() == root.folder();
    });
    if (twice) continue;
    names.push_back(name_among(names, root.folder().filename().string()));
    places.push_back({std::move(root), names.back()});
  }
  if (places.empty())
    return fail(ErrorCode::kInvalidInput, "no source tree to search",
                "give one with --code-root DIR, or set KERNELPRO_CUTLASS to a checkout of CUTLASS");
  if (places.size() == 1) places.front().name.clear();
  return places;
}

Result<Index> Index::open(const std::vector<Path>& roots, const Path& database) {
  KP_TRY(auto places, open_places(roots));
  std::vector<std::string> folders;
  for (const Place& place : places) folders.push_back(place.root.folder().string());
  const Path file = database.empty() ? default_file(folders) : database;
  auto opened = open_or_replace(file, database.empty()).within("open code index");
  if (!opened) return tl::unexpected<Error>(std::move(opened).error());
  return Index(std::move(places), file, *std::move(opened));
}

Result<Refreshed> Index::refresh() {
  std::vector<Tree> trees;
  for (const Place& place : places_) trees.push_back({place.root, place.name});
  KP_TRY(Transaction transaction, Transaction::begin(database_));
  KP_TRY(const Refreshed refreshed, update_trees(database_, trees));
  KP_TRY_VOID(transaction.commit());
  return refreshed;
}

Result<std::vector<Hit>> Index::search(std::string_view query, int limit) {
  KP_TRY(const Query read, read_query(query));
  return best_hits(database_, read, std::clamp(limit, 1, kMostHits));
}

Result<std::string> Index::read_whole(std::string_view path) const {
  if (places_.size() == 1) return places_.front().root.read(path, kMostReadBytes);
  std::vector<std::string> names;
  for (const Place& place : places_) {
    names.push_back(place.name);
    const std::string prefix = place.name + '/';
    if (path.starts_with(prefix))
      return place.root.read(path.substr(prefix.size()), kMostReadBytes);
  }
  return fail(ErrorCode::kInvalidInput, fmt::format("`{}` begins with the name of no root", path),
              fmt::format("begin with one of {}", join(names, ", ")));
}

/// Where a file of that name is, as a hint; empty when nowhere.
Result<std::string> Index::like(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  KP_TRY(
      Statement select,
      database_.prepare("SELECT path FROM file WHERE path = ?1 OR substr(path, -length(?2)) = ?2 "
                        "ORDER BY length(path), path LIMIT 3"));
  select.bind(name).bind('/' + std::string(name));
  std::vector<std::string> found;
  for (;;) {
    KP_TRY(const bool row, select.step());
    if (!row) break;
    found.push_back('`' + select.text(0) + '`');
  }
  return found.empty() ? std::string() : fmt::format("did you mean {}?", join(found, " or "));
}

Result<Passage> Index::read(std::string_view path, int first_line, int last_line) {
  auto text = read_whole(path);
  if (!text) {
    Error error = std::move(text).error();
    const auto hint = like(path);
    if (error.code == ErrorCode::kNotFound && hint && !hint->empty()) error.hint = *hint;
    return tl::unexpected<Error>(std::move(error));
  }
  return passage_of(path, *text, first_line, last_line);
}

}  // namespace kp::codesearch
