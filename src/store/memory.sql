-- SPDX-License-Identifier: Apache-2.0
-- Experiences of many runs. docs/search.md explains who reads which.
CREATE TABLE IF NOT EXISTS experience (
  number      INTEGER PRIMARY KEY AUTOINCREMENT,
  run         TEXT NOT NULL,             -- run_id of the run
  node        INTEGER NOT NULL,
  parent      INTEGER NOT NULL,
  task        TEXT NOT NULL,             -- name
  task_digest TEXT NOT NULL,
  device      TEXT NOT NULL,
  boundness   TEXT NOT NULL,
  findings    TEXT NOT NULL,             -- JSON list
  tool        TEXT NOT NULL,
  action      TEXT NOT NULL,
  idea        TEXT NOT NULL,
  outcome     TEXT NOT NULL,
  lesson      TEXT NOT NULL,
  gain        REAL,
  sources     TEXT NOT NULL,             -- JSON list
  UNIQUE (run, node)
);
