-- SPDX-License-Identifier: Apache-2.0
-- What a model used for an ask. Runs of programs before it get the table with their first row.
CREATE TABLE IF NOT EXISTS spending (
  id        INTEGER PRIMARY KEY,
  ask       INTEGER NOT NULL REFERENCES ask (id),
  proposer  TEXT NOT NULL,
  calls     INTEGER NOT NULL,
  tokens    INTEGER NOT NULL,             -- read and written
  dollars   REAL,                         -- NULL: nobody knows
  estimated INTEGER NOT NULL              -- 1: the server did not count tokens
);
