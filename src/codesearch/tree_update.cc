// SPDX-License-Identifier: Apache-2.0
#include "codesearch/tree_update.h"

#include <time.h>

#include <map>

#include "base/hash.h"
#include "base/text.h"
#include "codesearch/chunk.h"
#include "codesearch/source_files.h"
#include "codesearch/words.h"

namespace kp::codesearch {
namespace {

// A file may change again within one tick of its clock: a time this young proves nothing.
constexpr std::int64_t kYoungNs = 2'000'000'000;

/// By the clock that files are stamped with; only compared with their times.
std::int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

struct Known {
  std::int64_t id = 0, bytes = 0, modified_ns = 0;
  std::string hash;
};

/// The statements that change rows.
class Rows {
 public:
  static Result<Rows> prepare(Sqlite& database) {
    Rows rows(database);
    KP_TRY_VOID(rows.read_known());
    return rows;
  }

  const std::map<std::string, Known>& known() const { return known_; }

  Result<void> remove(const std::string& path) {
    const std::int64_t id = known_.at(path).id;
    KP_TRY_VOID(remove_words(id, path));
    KP_TRY_VOID(run("DELETE FROM chunk WHERE file = ?", id));
    return run("DELETE FROM file WHERE id = ?", id);
  }

  /// The same text with another time, or a file without text that has another size.
  Result<void> touch(std::int64_t id, const Known& now) {
    KP_TRY(Statement update,
           database_.prepare("UPDATE file SET bytes = ?, modified_ns = ? WHERE id = ?"));
    return update.bind(now.bytes).bind(now.modified_ns).bind(id).run();
  }

  Result<void> add(const std::string& path, const Known& file, std::string_view text) {
    KP_TRY(
        Statement insert,
        database_.prepare("INSERT INTO file (path, bytes, modified_ns, hash) VALUES (?, ?, ?, ?)"));
    KP_TRY_VOID(insert.bind(path).bind(file.bytes).bind(file.modified_ns).bind(file.hash).run());
    const std::int64_t id = database_.last_row();
    for (const Chunk& chunk : chunks_of(path, text)) KP_TRY_VOID(add_chunk(id, path, chunk));
    return {};
  }

 private:
  explicit Rows(Sqlite& database) : database_(database) {}

  Result<void> read_known() {
    KP_TRY(Statement select,
           database_.prepare("SELECT path, id, bytes, modified_ns, hash FROM file"));
    for (;;) {
      KP_TRY(const bool row, select.step());
      if (!row) return {};
      known_[select.text(0)] = {select.integer(1), select.integer(2), select.integer(3),
                                select.text(4)};
    }
  }

  Result<void> run(std::string_view sql, std::int64_t id) {
    KP_TRY(Statement statement, database_.prepare(sql));
    return statement.bind(id).run();
  }

  Result<void> add_chunk(std::int64_t file, const std::string& path, const Chunk& chunk) {
    KP_TRY(Statement insert,
           database_.prepare("INSERT INTO chunk (file, first_line, last_line, symbols, body) "
                             "VALUES (?, ?, ?, ?, ?)"));
    const std::string symbols = join(chunk.symbols, "\n");
    KP_TRY_VOID(insert.bind(file)
                    .bind(std::int64_t{chunk.first_line})
                    .bind(std::int64_t{chunk.last_line})
                    .bind(symbols)
                    .bind(chunk.body)
                    .run());
    return index_words("INSERT INTO words (rowid, symbols, path, body) VALUES (?, ?, ?, ?)",
                       {database_.last_row(), symbols, path, chunk.body});
  }

  struct Words {
    std::int64_t chunk = 0;
    std::string_view symbols, path, body;
  };

  Result<void> index_words(std::string_view sql, const Words& words) {
    KP_TRY(Statement statement, database_.prepare(sql));
    return statement.bind(words.chunk)
        .bind(with_words(words.symbols))
        .bind(with_words(words.path))
        .bind(with_words(words.body))
        .run();
  }

  Result<void> remove_words(std::int64_t file, const std::string& path) {
    KP_TRY(Statement select,
           database_.prepare("SELECT id, symbols, body FROM chunk WHERE file = ?"));
    select.bind(file);
    for (;;) {
      KP_TRY(const bool row, select.step());
      if (!row) return {};
      const std::string symbols = select.text(1), body = select.text(2);
      KP_TRY_VOID(
          index_words("INSERT INTO words (words, rowid, symbols, path, body) "
                      "VALUES ('delete', ?, ?, ?, ?)",
                      {select.integer(0), symbols, path, body}));
    }
  }

  Sqlite& database_;
  std::map<std::string, Known> known_;
};

class Update {
 public:
  explicit Update(Rows rows) : rows_(std::move(rows)), gone_(rows_.known()) {}

  Result<void> tree(const Tree& tree) {
    KP_TRY(const auto files, list_sources(tree.root.folder()));
    for (const SourceFile& file : files) KP_TRY_VOID(update(tree, file));
    return {};
  }

  Result<Refreshed> finish() {
    for (const auto& [path, file] : gone_) KP_TRY_VOID(rows_.remove(path));
    done_.removed = static_cast<int>(gone_.size());
    return done_;
  }

 private:
  Result<void> update(const Tree& tree, const SourceFile& file) {
    const std::string path = shown_path(tree.name, file.path);
    ++done_.files;
    gone_.erase(path);
    const auto known = rows_.known().find(path);
    const bool is_known = known != rows_.known().end();
    Known now{0, static_cast<std::int64_t>(file.bytes), file.modified_ns, {}};
    if (is_known && known->second.bytes == now.bytes &&
        known->second.modified_ns == now.modified_ns)
      return {};
    if (now.modified_ns > started_ - kYoungNs) now.modified_ns = 0;
    // What is no text, or cannot be read, is remembered as empty.
    const auto read = tree.root.read(file.path, kMostSourceBytes);
    const std::string_view text = read ? std::string_view(*read) : std::string_view();
    now.hash = to_hex(hash_text(text));
    if (is_known && known->second.hash == now.hash) return rows_.touch(known->second.id, now);
    if (is_known) KP_TRY_VOID(rows_.remove(path));
    ++(is_known ? done_.changed : done_.added);
    return rows_.add(path, now, text);
  }

  std::int64_t started_ = now_ns();
  Rows rows_;
  std::map<std::string, Known> gone_;  // known, and not seen so far
  Refreshed done_;
};

}  // namespace

std::string shown_path(std::string_view name, std::string_view path) {
  return name.empty() ? std::string(path) : std::string(name) + '/' + std::string(path);
}

Result<Refreshed> update_trees(Sqlite& database, const std::vector<Tree>& trees) {
  KP_TRY(Rows rows, Rows::prepare(database));
  Update update(std::move(rows));
  for (const Tree& tree : trees) KP_TRY_VOID(update.tree(tree));
  return update.finish();
}

}  // namespace kp::codesearch
