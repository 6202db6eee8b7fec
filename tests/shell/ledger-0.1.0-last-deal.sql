-- A ledger as version 0.1.0 wrote it: on the last deal, `last_deal_to_poch` has moved chips to Poch.
PRAGMA application_id = 1349477224;
PRAGMA user_version = 2;
BEGIN TRANSACTION;
CREATE TABLE entries (
  night INTEGER NOT NULL REFERENCES nights (number),
  number INTEGER NOT NULL,
  time_ms INTEGER NOT NULL,
  command TEXT NOT NULL,
  id TEXT,
  ref INTEGER,
  postings TEXT NOT NULL,
  PRIMARY KEY (night, number)
) STRICT;
INSERT INTO "entries" VALUES(1,1,1795548709035,'{"do":"start","ruleset":"modern","players":["Anna","Ben","Clara"],"options":{"deals":1,"last_deal_to_poch":true}}',NULL,NULL,'[["bank",-150],["seat:1",50],["seat:2",50],["seat:3",50]]');
INSERT INTO "entries" VALUES(1,2,1795548709056,'{"do":"deal"}',NULL,NULL,'[["pool:ace",3],["pool:king",3],["pool:queen",3],["pool:jack",3],["pool:ten",3],["pool:marriage",3],["pool:sequence",3],["pool:poch",3],["pool:pinke",3],["seat:1",-9],["seat:2",-9],["seat:3",-9]]');
INSERT INTO "entries" VALUES(1,3,1795548709068,'{"do":"claim","seat":1,"pool":"ace"}',NULL,NULL,'[["pool:ace",-3],["seat:1",3]]');
INSERT INTO "entries" VALUES(1,4,1795548709076,'{"do":"next"}',NULL,NULL,'[["pool:king",-3],["pool:queen",-3],["pool:jack",-3],["pool:ten",-3],["pool:marriage",-3],["pool:sequence",-3],["pool:poch",18]]');
INSERT INTO "entries" VALUES(1,5,1795548709094,'{"do":"pass","seat":2}',NULL,NULL,'[]');
INSERT INTO "entries" VALUES(1,6,1795548709102,'{"do":"pass","seat":3}',NULL,NULL,'[]');
CREATE TABLE nights (
  number INTEGER PRIMARY KEY,
  started_ms INTEGER NOT NULL,
  ruleset TEXT NOT NULL,
  heard TEXT NOT NULL,
  imported INTEGER NOT NULL CHECK (imported IN (0, 1))
) STRICT;
INSERT INTO "nights" VALUES(1,1795548709035,'{"name":"modern","source":"the modern game, all-in as pagat suggests","players":[3,6],"deck":"auto","hand":"all-but-one","stack":50,"pools":["ace","king","queen","jack","ten","marriage","sequence","poch","pinke"],"ante_pools":["ace","king","queen","jack","ten","marriage","sequence","poch","pinke"],"ante_from":"seats","ante":1,"sequence":"trump-789","bet_pool":"poch","high_card":false,"prove_set":false,"all_in":true,"raises":"free","bluff_penalty":0,"turned_card":"nobody","leader":"poch-winner","run_ends":"nobody-can","shedding":"sequence","centre_to_winner":true,"run_bonus":0,"out_when_broke":false,"deals":1,"last_deal_to_poch":true,"leftover":"bank","direction":"clockwise"}','{}',0);
CREATE TABLE pairings (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  digest BLOB NOT NULL UNIQUE,
  label TEXT NOT NULL,
  paired_ms INTEGER NOT NULL,
  used_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE summaries (
  night INTEGER PRIMARY KEY REFERENCES nights (number),
  ended_ms INTEGER,
  ruleset TEXT NOT NULL,
  players TEXT NOT NULL,
  deals INTEGER NOT NULL,
  entries INTEGER NOT NULL,
  standings TEXT
) STRICT;
CREATE INDEX nights_played ON nights (number) WHERE imported = 0;
CREATE UNIQUE INDEX entries_by_id ON entries (night, id) WHERE id IS NOT NULL;
CREATE TRIGGER nights_insert BEFORE INSERT ON nights
WHEN NEW.number IS NOT (SELECT coalesce(max(number), 0) + 1 FROM nights)
BEGIN SELECT RAISE(ABORT, 'nights are numbered in order'); END;
CREATE TRIGGER nights_update BEFORE UPDATE ON nights
BEGIN SELECT RAISE(ABORT, 'nights are never changed'); END;
CREATE TRIGGER nights_delete BEFORE DELETE ON nights
BEGIN SELECT RAISE(ABORT, 'nights are never deleted'); END;
CREATE TRIGGER entries_insert BEFORE INSERT ON entries
WHEN NEW.number IS NOT
  (SELECT coalesce(max(number), 0) + 1 FROM entries WHERE night = NEW.night)
BEGIN SELECT RAISE(ABORT, 'entries are numbered in order'); END;
CREATE TRIGGER entries_insert_id BEFORE INSERT ON entries
WHEN NEW.id IS NOT NULL
  AND EXISTS (SELECT 1 FROM entries WHERE night = NEW.night AND id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'an id is used once in a night'); END;
CREATE TRIGGER entries_update BEFORE UPDATE ON entries
BEGIN SELECT RAISE(ABORT, 'entries are never changed'); END;
CREATE TRIGGER entries_delete BEFORE DELETE ON entries
BEGIN SELECT RAISE(ABORT, 'entries are never deleted'); END;
DELETE FROM "sqlite_sequence";
COMMIT;
