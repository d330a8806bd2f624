// SPDX-License-Identifier: Apache-2.0
#include "base/sqlite.h"

#include <sqlite3.h>

#include <utility>

namespace kp {
namespace {

ErrorCode code_of(int sqlite_code) {
  switch (sqlite_code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return ErrorCode::kCorrupt;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return ErrorCode::kBusy;
    case SQLITE_FULL:
      return ErrorCode::kLimit;
    case SQLITE_CANTOPEN:
      return ErrorCode::kNotFound;
    default:
      return ErrorCode::kIo;
  }
}

std::string hint_for(ErrorCode code) {
  switch (code) {
    case ErrorCode::kCorrupt:
      return "the file is damaged or of another kind; restore it from a copy, or make it again";
    case ErrorCode::kBusy:
      return "another process is writing; try again when it has finished";
    case ErrorCode::kLimit:
      return "the disk is full: free some space, then go on";
    default:
      return "check that the folder exists and can be written";
  }
}

tl::unexpected<Error> failure(sqlite3* database, int sqlite_code) {
  const ErrorCode code = code_of(sqlite_code);
  const char* text = database ? sqlite3_errmsg(database) : sqlite3_errstr(sqlite_code);
  return fail(code, std::string("SQLite: ") + text, hint_for(code));
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
void Sqlite::Close::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

Statement& Statement::bind(std::int64_t value) {
  bind_code_ |= sqlite3_bind_int64(statement_.get(), ++bound_, value);
  return *this;
}
Statement& Statement::bind(double value) {
  bind_code_ |= sqlite3_bind_double(statement_.get(), ++bound_, value);
  return *this;
}
Statement& Statement::bind(std::string_view value) {
  bind_code_ |= sqlite3_bind_text64(statement_.get(), ++bound_, value.data(), value.size(),
                                    SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}
Statement& Statement::bind_null() {
  bind_code_ |= sqlite3_bind_null(statement_.get(), ++bound_);
  return *this;
}

Result<bool> Statement::step() {
  sqlite3* database = sqlite3_db_handle(statement_.get());
  if (bind_code_ != SQLITE_OK) return failure(database, bind_code_);
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return failure(database, code);
}

Result<void> Statement::run() {
  KP_TRY([[maybe_unused]] const bool row, step());
  return {};
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}
double Statement::real(int column) const { return sqlite3_column_double(statement_.get(), column); }
std::string Statement::text(int column) const {
  const auto* bytes = sqlite3_column_text(statement_.get(), column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return bytes ? std::string(reinterpret_cast<const char*>(bytes), size) : std::string();
}
bool Statement::null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

Result<Sqlite> Sqlite::open(const Path& file, Access access) {
  // A reader may have to undo what a killed writer left half done; it writes nothing else.
  const int flags = SQLITE_OPEN_READWRITE | (access == Access::kRead ? 0 : SQLITE_OPEN_CREATE);
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(file.c_str(), &raw, flags, nullptr);
  Sqlite opened;
  opened.database_.reset(raw);
  if (code != SQLITE_OK) return failure(raw, code);
  sqlite3_busy_timeout(raw, 5'000);
  if (access == Access::kRead) KP_TRY_VOID(opened.execute("PRAGMA query_only = 1"));
  // The first read shows whether the file is a database at all.
  KP_TRY_VOID(opened.execute("SELECT count(*) FROM sqlite_master"));
  return opened;
}

Result<Statement> Sqlite::prepare(std::string_view sql) {
  sqlite3_stmt* raw = nullptr;
  const int code =
      sqlite3_prepare_v2(database_.get(), sql.data(), static_cast<int>(sql.size()), &raw, nullptr);
  if (code != SQLITE_OK) return failure(database_.get(), code);
  Statement statement;
  statement.statement_.reset(raw);
  return statement;
}

Result<void> Sqlite::execute(const std::string& sql) {
  const int code = sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return failure(database_.get(), code);
  return {};
}

std::int64_t Sqlite::last_row() const { return sqlite3_last_insert_rowid(database_.get()); }

Result<Transaction> Transaction::begin(Sqlite& database) {
  KP_TRY_VOID(database.execute("BEGIN IMMEDIATE"));
  return Transaction(database);
}

Transaction::~Transaction() {
  if (database_) (void)database_->execute("ROLLBACK");
}

Result<void> Transaction::commit() {
  KP_TRY_VOID(database_->execute("COMMIT"));
  database_ = nullptr;
  return {};
}

}  // namespace kp
