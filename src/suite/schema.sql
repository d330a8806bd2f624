-- SPDX-License-Identifier: Apache-2.0
-- The results of a suite. Append-only: rows are inserted, never changed or removed; the newest row
-- about a run counts. docs/bench.md explains each column.
CREATE TABLE meta (
  key   TEXT PRIMARY KEY,                 -- 'schema', 'name', 'about'; 'from TASK': the plan that
                                          -- its runs begin with, where it is not the task's own
  value TEXT NOT NULL
);
-- What the runs of an arm are told; never changes within a folder.
CREATE TABLE arm (
  name     TEXT PRIMARY KEY,
  settings TEXT NOT NULL                  -- JSON object
);
-- The runs that the suite wants.
CREATE TABLE wanted (
  arm  TEXT NOT NULL REFERENCES arm (name),
  task TEXT NOT NULL,
  seed INTEGER NOT NULL,
  path TEXT NOT NULL,                     -- of the task
  PRIMARY KEY (arm, task, seed)
);
-- When a node of a run was judged, in seconds of work on the run; pauses between two calls of
-- `bench` do not count.
CREATE TABLE moment (
  id      INTEGER PRIMARY KEY,
  arm     TEXT NOT NULL,
  task    TEXT NOT NULL,
  seed    INTEGER NOT NULL,
  node    INTEGER NOT NULL,
  seconds REAL NOT NULL
);
CREATE TABLE result (
  id            INTEGER PRIMARY KEY,
  arm           TEXT NOT NULL,
  task          TEXT NOT NULL,
  seed          INTEGER NOT NULL,
  at            TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
  state         TEXT NOT NULL CHECK (state IN ('finished', 'quarantined')),
  reason        TEXT NOT NULL,            -- why quarantined, or which rule ended the run
  device        TEXT NOT NULL,            -- all below: of finished runs
  product       TEXT NOT NULL,
  task_digest   TEXT NOT NULL,
  folder        TEXT NOT NULL,            -- of the run, from here
  precision     TEXT NOT NULL,            -- class of the best, else of the task
  grade         TEXT,                     -- 'measured' or 'modelled'; NULL: nothing was correct
  evaluations   INTEGER NOT NULL,
  best_node     INTEGER,                  -- NULL: nothing passed at full depth
  best_ns       REAL,
  speedup       REAL,                     -- over the task's own baseline, at full depth
  speedup_low   REAL,                     -- 95 % interval, where measured
  speedup_high  REAL,
  headroom      REAL,                     -- time of the best over the lower bound; NULL: unknown
  level         TEXT,                     -- 'raw', 'cute', 'cutlass'
  labels        TEXT NOT NULL,            -- JSON list: what kind of win; empty: unknown
  remarks       TEXT NOT NULL,            -- JSON list: what to look at before believing it
  seconds       REAL,                     -- of work on the run; NULL: unknown
  tokens        INTEGER,                  -- of models; NULL: no model
  dollars       REAL                      -- NULL: no model, or nobody knows
);
-- What the best is held against; `plan` is the task's own baseline.
CREATE TABLE yardstick (
  result    INTEGER NOT NULL REFERENCES result (id),
  name      TEXT NOT NULL,                -- 'plan', 'eager', 'compile', 'graph', ...
  precision TEXT NOT NULL,                -- class in which it computes
  grade     TEXT NOT NULL,
  ns        REAL NOT NULL
);
-- Each candidate that was judged, in order; evaluation 1 is the baseline.
CREATE TABLE point (
  result     INTEGER NOT NULL REFERENCES result (id),
  evaluation INTEGER NOT NULL,
  node       INTEGER NOT NULL,
  outcome    TEXT NOT NULL,
  speedup    REAL,                        -- at quick depth, when it was correct
  level      TEXT,
  seconds    REAL,                        -- since the run began; NULL: unknown
  tokens     INTEGER,                     -- of models, up to here
  dollars    REAL
);
CREATE INDEX point_of_result ON point (result);
-- The baseline against itself.
CREATE TABLE noise (
  id      INTEGER PRIMARY KEY,
  task    TEXT NOT NULL,
  device  TEXT NOT NULL,
  product TEXT NOT NULL,
  grade   TEXT NOT NULL,
  ratio   REAL NOT NULL,
  low     REAL,                           -- 95 % interval, where measured
  high    REAL
);
