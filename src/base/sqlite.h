// SPDX-License-Identifier: Apache-2.0
// SQLite with Results instead of codes: for run stores, and exports of profilers.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace kp {

/// A prepared statement. Parameters are bound in order; columns are read by index from 0.
class Statement {
 public:
  Statement& bind(std::int64_t value);
  Statement& bind(double value);
  Statement& bind(std::string_view value);
  Statement& bind_null();
  template <class T>
  Statement& bind(const std::optional<T>& value) {
    return value ? bind(*value) : bind_null();
  }
  /// Runs to the next row: true when there is one.
  Result<bool> step();
  /// Runs a statement that gives no rows.
  Result<void> run();
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  bool null(int column) const;

 private:
  friend class Sqlite;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bound_ = 0;
  int bind_code_ = 0;
};

class Sqlite {
 public:
  enum class Access { kRead, kWrite };
  /// Opens an existing file, or creates it with kWrite. kCorrupt when it is no database.
  static Result<Sqlite> open(const Path& file, Access access);
  Result<Statement> prepare(std::string_view sql);
  /// Runs one or more statements without parameters.
  Result<void> execute(const std::string& sql);
  std::int64_t last_row() const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::unique_ptr<sqlite3, Close> database_;
};

/// Rolls back at destruction unless committed.
class Transaction {
 public:
  static Result<Transaction> begin(Sqlite& database);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  ~Transaction();
  Result<void> commit();

 private:
  explicit Transaction(Sqlite& database) : database_(&database) {}
  Sqlite* database_;
};

}  // namespace kp
