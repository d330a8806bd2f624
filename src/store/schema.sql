-- SPDX-License-Identifier: Apache-2.0
-- One run. Append-only: rows are inserted, never changed or removed. docs/store.md explains each column.
CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
);
-- The order in which things happened; `ref` is the id in the table that `kind` names.
CREATE TABLE event (
  seq  INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind IN ('ask', 'proposal', 'node', 'close', 'note', 'profile', 'final', 'ending')),
  ref  INTEGER NOT NULL,
  at   TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);
CREATE TABLE ask (
  id   INTEGER PRIMARY KEY,
  node INTEGER NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('seed', 'improve', 'repair')),
  why  TEXT NOT NULL,                     -- why the search chose this node
  volunteered INTEGER NOT NULL            -- 1: somebody chose the node, the search did not
);
CREATE TABLE proposal (
  id        INTEGER PRIMARY KEY,
  ask       INTEGER REFERENCES ask (id),  -- NULL: the baseline
  candidate TEXT NOT NULL,                -- content address of source and tune choice
  action    TEXT NOT NULL,
  tune      TEXT NOT NULL,                -- JSON object name -> integer
  tool      TEXT NOT NULL,
  idea      TEXT NOT NULL,
  gain_low  REAL NOT NULL,
  gain_high REAL NOT NULL,
  sources   TEXT NOT NULL                 -- JSON list: files of code search that were read for it
);
-- Long texts have tables of their own, so that repeating a history reads few pages.
CREATE TABLE source (
  id   INTEGER PRIMARY KEY REFERENCES proposal (id),
  text TEXT NOT NULL
);
CREATE TABLE node (
  id         INTEGER PRIMARY KEY,         -- as in the search tree; 0 is the root
  parent     INTEGER,                     -- NULL for the root
  proposal   INTEGER REFERENCES proposal (id),  -- NULL for a virtual root
  candidate  TEXT NOT NULL,               -- as in proposal
  outcome    TEXT NOT NULL,               -- 'measured', 'wrong answer', ... or 'virtual'
  ns         REAL,                        -- time, when measured
  grade      TEXT,                        -- 'measured' or 'modelled', when measured
  speedup    REAL,                        -- over the baseline, when measured
  at_roof    INTEGER NOT NULL,            -- 1: at the hardware limit, says the diagnosis
  summary    TEXT NOT NULL                -- one line about the evaluation
);
CREATE TABLE verdict (
  id         INTEGER PRIMARY KEY REFERENCES node (id),
  evaluation TEXT,                        -- JSON; NULL for a virtual root
  diagnosis  TEXT                         -- JSON, when measured
);
CREATE INDEX node_of_parent ON node (parent);
CREATE TABLE close (
  id        INTEGER PRIMARY KEY REFERENCES ask (id),
  exhausted INTEGER NOT NULL
);
-- What the proposer says to readers of the run while it answers an ask.
CREATE TABLE note (
  id   INTEGER PRIMARY KEY,
  ask  INTEGER NOT NULL REFERENCES ask (id),
  text TEXT NOT NULL
);
-- All metrics of a node whose first profile held few of them, taken when it was to be improved; the
-- newest row for a node counts.
CREATE TABLE profile (
  id        INTEGER PRIMARY KEY,
  node      INTEGER NOT NULL REFERENCES node (id),
  at_roof   INTEGER NOT NULL,
  profile   TEXT NOT NULL,                -- JSON
  diagnosis TEXT NOT NULL                 -- JSON
);
CREATE INDEX profile_of_node ON profile (node);
-- A node judged at full depth; the newest row for a node counts.
CREATE TABLE final (
  id         INTEGER PRIMARY KEY,
  node       INTEGER NOT NULL REFERENCES node (id),
  evaluation TEXT NOT NULL
);
CREATE TABLE ending (
  id       INTEGER PRIMARY KEY,
  rule     TEXT NOT NULL,
  sentence TEXT NOT NULL
);
-- Each node beside its parent, with what the step from one to the other brought.
CREATE VIEW step AS
  SELECT node.id AS node, node.parent AS parent, node.proposal AS proposal,
         node.outcome AS outcome,
         -- Measured ratios are of pairs in alternation; times of different minutes are not.
         CASE WHEN node.grade = 'measured' THEN node.speedup / above.speedup
              ELSE above.ns / node.ns END AS gain
  FROM node
  JOIN node AS above ON above.id = node.parent;
-- What each tool's prescription was said to bring, and what it brought.
CREATE VIEW ledger AS
  SELECT step.node AS node, step.parent AS parent, proposal.tool AS tool,
         proposal.action AS action, proposal.gain_low AS gain_low,
         proposal.gain_high AS gain_high, step.outcome AS outcome, step.gain AS gain
  FROM step
  JOIN proposal ON proposal.id = step.proposal
  WHERE proposal.tool <> '';
