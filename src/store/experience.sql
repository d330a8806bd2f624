-- SPDX-License-Identifier: Apache-2.0
-- What a proposal answered: the newest diagnosis of the nearest version above it that had one, when
-- the node was entered. With node, proposal and step that is an experience.
CREATE TABLE experience (
  node      INTEGER PRIMARY KEY REFERENCES node (id),
  boundness TEXT NOT NULL,
  findings  TEXT NOT NULL                -- JSON list: tools that had fired, ranked
);
