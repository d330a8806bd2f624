-- SPDX-License-Identifier: Apache-2.0
-- An index over source trees. It is a cache: whoever cannot read it removes it and builds it again.
CREATE TABLE file (
  id          INTEGER PRIMARY KEY,
  path        TEXT NOT NULL UNIQUE,  -- as searches show it
  bytes       INTEGER NOT NULL,
  modified_ns INTEGER NOT NULL,      -- since 1970; 0: too young to be trusted, compare the hash
  hash        TEXT NOT NULL
);
CREATE TABLE chunk (
  id         INTEGER PRIMARY KEY,
  file       INTEGER NOT NULL REFERENCES file (id),
  first_line INTEGER NOT NULL,
  last_line  INTEGER NOT NULL,
  symbols    TEXT NOT NULL,          -- names that are defined here, one a line
  body       TEXT NOT NULL
);
CREATE INDEX chunk_of_file ON chunk (file);
-- Row ids are those of `chunk`. Without content of its own: rows are removed by giving their text again.
CREATE VIRTUAL TABLE words USING fts5 (
  symbols, path, body, content = '', tokenize = 'porter unicode61'
);
