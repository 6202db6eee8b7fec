"""The tables of a club in PostgreSQL, and who may do what with them.

PostgreSQL itself proves what a board sends: triggers compute the chain of `store.chain` again, and
refuse an entry that does not follow the last one. Row level security lets a board append to its own
branch, read its own, and do nothing else. JSON is kept as `text`, because `jsonb` reorders keys,
which would break the chain.

A board's ledger is a *branch*. Another one is opened if the ledger starts over, or goes on
differently from what the club has: after an older backup, on a new card.
"""

from __future__ import annotations

from typing import Any, Final, LiteralString

from psycopg import Connection
from psycopg.sql import SQL, Identifier

from pochboard.errors import ClubError
from pochboard.text.lazy import lazy_gettext

_LEDGERS: Final = """
CREATE SCHEMA club;

CREATE TABLE club.version (version int NOT NULL);

CREATE TABLE club.boards (
  board int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE,
  role name NOT NULL UNIQUE,
  added timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE club.branches (
  branch int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  board int NOT NULL REFERENCES club.boards,
  ledger bytea CHECK (octet_length(ledger) = 32),
  opened timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX branches_by_board ON club.branches (board, branch);

-- One ledger, one board: a copied card must not pass for the board that it was copied from.
CREATE TABLE club.ledgers (
  ledger bytea PRIMARY KEY,
  board int NOT NULL REFERENCES club.boards
);

CREATE TABLE club.nights (
  branch int NOT NULL,
  number bigint NOT NULL,
  started_ms bigint NOT NULL,
  ruleset text NOT NULL,
  heard text NOT NULL,
  imported bigint NOT NULL,
  origin text,
  PRIMARY KEY (branch, number)
);

-- No foreign keys: the triggers refuse more than these would, with the rows that they read anyway.
CREATE TABLE club.entries (
  branch int NOT NULL,
  position bigint NOT NULL,
  night bigint NOT NULL,
  number bigint NOT NULL,
  time_ms bigint NOT NULL,
  command text NOT NULL,
  id text,
  ref bigint,
  postings text NOT NULL,
  chain bytea NOT NULL,
  received timestamptz NOT NULL,
  PRIMARY KEY (branch, position),
  UNIQUE (branch, night, number)
);

CREATE TABLE club.remarks (
  branch int NOT NULL,
  number bigint NOT NULL,
  time_ms bigint NOT NULL,
  remark text NOT NULL,
  chain bytea NOT NULL,
  received timestamptz NOT NULL,
  PRIMARY KEY (branch, number)
);

CREATE FUNCTION club.check_night() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NEW.number IS DISTINCT FROM
    (SELECT coalesce(max(number), 0) + 1 FROM club.nights WHERE branch = NEW.branch)
  THEN
    RAISE EXCEPTION 'night % does not follow the last one', NEW.number USING ERRCODE = 'PB001';
  END IF;
  RETURN NEW;
END $$;

-- As `link` in pochboard/store/chain.py. With the rights of the owner, which is twice as fast as
-- row level security in each of its queries; so it checks itself whose branch that is.
CREATE FUNCTION club.check_entry() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  before bytea;
  night record;
BEGIN
  IF NOT EXISTS (SELECT FROM club.branches JOIN club.boards USING (board)
    WHERE branch = NEW.branch AND role = session_user)
  THEN
    RAISE EXCEPTION 'another board has branch %', NEW.branch USING ERRCODE = '42501';
  END IF;
  IF NEW.position = 1 THEN
    SELECT ledger INTO before FROM club.branches WHERE branch = NEW.branch;
  ELSE
    SELECT chain INTO before FROM club.entries
    WHERE branch = NEW.branch AND position = NEW.position - 1;
  END IF;
  IF before IS NULL THEN
    RAISE EXCEPTION 'entry % does not follow the last one', NEW.position USING ERRCODE = 'PB001';
  END IF;
  IF NEW.number = 1 THEN
    SELECT * INTO night FROM club.nights WHERE branch = NEW.branch AND number = NEW.night;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'night % is missing', NEW.night USING ERRCODE = 'PB001';
    END IF;
    before := before || convert_to(
      format('%s,%s,b%s,b%s,%s', night.number, night.started_ms, octet_length(night.ruleset),
        octet_length(night.heard), night.imported)
      || coalesce(',b' || octet_length(night.origin), '') || E'\\n'
      || night.ruleset || night.heard || coalesce(night.origin, ''), 'UTF8');
  ELSIF NOT EXISTS (SELECT FROM club.entries
    WHERE branch = NEW.branch AND entries.night = NEW.night AND number = NEW.number - 1)
  THEN
    RAISE EXCEPTION 'night % lacks entry %', NEW.night, NEW.number - 1 USING ERRCODE = 'PB001';
  END IF;
  IF NEW.chain IS DISTINCT FROM sha256(before || convert_to(
    format('%s,%s,%s,%s,%s,%s,%s,%s', NEW.position, NEW.night, NEW.number, NEW.time_ms,
      octet_length(NEW.command), coalesce(octet_length(NEW.id), -1),
      coalesce(NEW.ref::text, 'None'), octet_length(NEW.postings))
    || E'\\n' || NEW.command || coalesce(NEW.id, '') || NEW.postings, 'UTF8'))
  THEN
    RAISE EXCEPTION 'the chain does not hold at entry %', NEW.position USING ERRCODE = 'PB002';
  END IF;
  NEW.received := now();
  RETURN NEW;
END $$;

CREATE FUNCTION club.check_remark() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  before bytea;
BEGIN
  IF NEW.number = 1 THEN
    SELECT ledger INTO before FROM club.branches WHERE branch = NEW.branch;
  ELSE
    SELECT chain INTO before FROM club.remarks
    WHERE branch = NEW.branch AND number = NEW.number - 1;
  END IF;
  IF before IS NULL THEN
    RAISE EXCEPTION 'remark % does not follow the last one', NEW.number USING ERRCODE = 'PB001';
  END IF;
  IF NEW.chain IS DISTINCT FROM sha256(before || convert_to(
    format('%s,%s,b%s', NEW.number, NEW.time_ms, octet_length(NEW.remark))
    || E'\\n' || NEW.remark, 'UTF8'))
  THEN
    RAISE EXCEPTION 'the chain does not hold at remark %', NEW.number USING ERRCODE = 'PB002';
  END IF;
  NEW.received := now();
  RETURN NEW;
END $$;

-- With the rights of the owner, because no board sees the ledgers of others.
CREATE FUNCTION club.check_ledger() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO club.ledgers VALUES (NEW.ledger, NEW.board) ON CONFLICT DO NOTHING;
  IF NEW.board IS DISTINCT FROM (SELECT board FROM club.ledgers WHERE ledger = NEW.ledger) THEN
    RAISE EXCEPTION 'another board has this ledger' USING ERRCODE = 'PB003';
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION club.never() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'what the club has is never changed' USING ERRCODE = 'PB004';
END $$;

CREATE FUNCTION club.wake() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_catalog.pg_notify('club', '');
  RETURN NULL;
END $$;

CREATE TRIGGER check_night BEFORE INSERT ON club.nights
  FOR EACH ROW EXECUTE FUNCTION club.check_night();
CREATE TRIGGER check_entry BEFORE INSERT ON club.entries
  FOR EACH ROW EXECUTE FUNCTION club.check_entry();
CREATE TRIGGER check_remark BEFORE INSERT ON club.remarks
  FOR EACH ROW EXECUTE FUNCTION club.check_remark();
CREATE TRIGGER check_ledger BEFORE UPDATE ON club.branches
  FOR EACH ROW EXECUTE FUNCTION club.check_ledger();
CREATE TRIGGER wake AFTER INSERT ON club.entries
  FOR EACH STATEMENT EXECUTE FUNCTION club.wake();
CREATE TRIGGER wake AFTER INSERT ON club.remarks
  FOR EACH STATEMENT EXECUTE FUNCTION club.wake();
CREATE TRIGGER never BEFORE UPDATE OR DELETE OR TRUNCATE ON club.nights
  FOR EACH STATEMENT EXECUTE FUNCTION club.never();
CREATE TRIGGER never BEFORE UPDATE OR DELETE OR TRUNCATE ON club.entries
  FOR EACH STATEMENT EXECUTE FUNCTION club.never();
CREATE TRIGGER never BEFORE UPDATE OR DELETE OR TRUNCATE ON club.remarks
  FOR EACH STATEMENT EXECUTE FUNCTION club.never();

ALTER TABLE club.ledgers ENABLE ROW LEVEL SECURITY;
ALTER TABLE club.boards ENABLE ROW LEVEL SECURITY;
ALTER TABLE club.branches ENABLE ROW LEVEL SECURITY;
ALTER TABLE club.nights ENABLE ROW LEVEL SECURITY;
ALTER TABLE club.entries ENABLE ROW LEVEL SECURITY;
ALTER TABLE club.remarks ENABLE ROW LEVEL SECURITY;

CREATE POLICY own ON club.boards FOR SELECT TO {boards} USING (role = current_user);
CREATE POLICY own ON club.branches FOR SELECT TO {boards}
  USING (board = (SELECT board FROM club.boards));
CREATE POLICY begin ON club.branches FOR UPDATE TO {boards}
  USING (ledger IS NULL AND board = (SELECT board FROM club.boards))
  WITH CHECK (board = (SELECT board FROM club.boards));
CREATE POLICY own ON club.nights FOR SELECT TO {boards}
  USING (branch IN (SELECT branch FROM club.branches));
CREATE POLICY append ON club.nights FOR INSERT TO {boards}
  WITH CHECK (branch = (SELECT max(branch) FROM club.branches));
CREATE POLICY own ON club.entries FOR SELECT TO {boards}
  USING (branch IN (SELECT branch FROM club.branches));
CREATE POLICY append ON club.entries FOR INSERT TO {boards}
  WITH CHECK (branch = (SELECT max(branch) FROM club.branches));
CREATE POLICY own ON club.remarks FOR SELECT TO {boards}
  USING (branch IN (SELECT branch FROM club.branches));
CREATE POLICY append ON club.remarks FOR INSERT TO {boards}
  WITH CHECK (branch = (SELECT max(branch) FROM club.branches));

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA club FROM PUBLIC;
GRANT USAGE ON SCHEMA club TO {boards};
GRANT SELECT ON club.version, club.boards, club.branches, club.nights, club.entries, club.remarks
  TO {boards};
GRANT UPDATE (ledger) ON club.branches TO {boards};
GRANT INSERT ON club.nights, club.entries, club.remarks TO {boards};
"""

# What the keeper makes of the ledgers, and what the club's owner says about people. All of it but
# the latter can be made again.
_KEPT: Final = """
CREATE SEQUENCE club.changes;

CREATE TABLE club.summaries (
  number int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  identity text NOT NULL UNIQUE,
  branch int NOT NULL REFERENCES club.branches,
  night bigint NOT NULL,
  changed bigint NOT NULL,
  version int NOT NULL,
  received timestamptz NOT NULL,
  clock_is_wrong boolean NOT NULL,
  summary text NOT NULL,
  remarks text NOT NULL,
  statistics text
);
CREATE INDEX summaries_by_change ON club.summaries (changed);
CREATE INDEX summaries_by_night ON club.summaries (branch, night);

CREATE TABLE club.kept (
  branch int PRIMARY KEY REFERENCES club.branches,
  position bigint NOT NULL,
  remarks bigint NOT NULL,
  called text NOT NULL
);

CREATE TABLE club.people (
  number int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  board int REFERENCES club.boards,
  name text NOT NULL,
  called text NOT NULL,
  said timestamptz NOT NULL DEFAULT now()
);

ALTER TABLE club.summaries ENABLE ROW LEVEL SECURITY;
ALTER TABLE club.kept ENABLE ROW LEVEL SECURITY;
ALTER TABLE club.people ENABLE ROW LEVEL SECURITY;
CREATE POLICY read ON club.boards FOR SELECT TO {readers} USING (true);
CREATE POLICY read ON club.branches FOR SELECT TO {readers} USING (true);
CREATE POLICY read ON club.nights FOR SELECT TO {readers} USING (true);
CREATE POLICY read ON club.entries FOR SELECT TO {readers} USING (true);
CREATE POLICY read ON club.remarks FOR SELECT TO {readers} USING (true);
CREATE POLICY keep ON club.summaries TO {readers} USING (true);
CREATE POLICY keep ON club.kept TO {readers} USING (true);
CREATE POLICY read ON club.people FOR SELECT TO {readers} USING (true);

GRANT USAGE ON SCHEMA club TO {readers};
GRANT SELECT ON ALL TABLES IN SCHEMA club TO {readers};
REVOKE ALL ON club.ledgers FROM {readers};
GRANT INSERT, UPDATE ON club.summaries, club.kept TO {readers};
GRANT USAGE ON SEQUENCE club.changes TO {readers};
GRANT EXECUTE ON FUNCTION club.wake() TO {readers};
CREATE TRIGGER wake AFTER INSERT ON club.people
  FOR EACH STATEMENT EXECUTE FUNCTION club.wake();
"""

# Only the owner makes tournaments. Boards have no rights to them: they only play.
_TOURNAMENTS: Final = """
CREATE TABLE club.tournaments (
  tournament int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE,
  ruleset text NOT NULL,
  deals int NOT NULL CHECK (deals > 0),
  begins timestamptz NOT NULL
);

CREATE TABLE club.tables (
  tournament int NOT NULL REFERENCES club.tournaments ON DELETE CASCADE,
  round int NOT NULL CHECK (round > 0),
  number int NOT NULL CHECK (number > 0),
  names text[] NOT NULL CHECK (cardinality(names) BETWEEN 3 AND 6),
  PRIMARY KEY (tournament, round, number)
);

-- How nights went, deal by deal. Version 0 lets the keeper make all summaries again.
ALTER TABLE club.summaries ADD course text;
UPDATE club.summaries SET version = 0;

ALTER TABLE club.tournaments ENABLE ROW LEVEL SECURITY;
ALTER TABLE club.tables ENABLE ROW LEVEL SECURITY;
CREATE POLICY read ON club.tournaments FOR SELECT TO {readers} USING (true);
CREATE POLICY read ON club.tables FOR SELECT TO {readers} USING (true);
GRANT SELECT ON club.tournaments, club.tables TO {readers};
"""

MIGRATIONS: Final[tuple[LiteralString, ...]] = (_LEDGERS, _KEPT, _TOURNAMENTS)
"""Step n makes version n from version n - 1.

`{boards}` is the role that all boards have, `{readers}` that of programs which show all ledgers.
"""

NEWEST: Final = len(MIGRATIONS)

_DATABASE: Final = """
REVOKE ALL ON DATABASE {database} FROM PUBLIC;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT CONNECT ON DATABASE {database} TO {boards}, {readers};
"""
"""Without the right to make objects, nobody can put one of theirs in the way of ours."""


def boards_role(database: str) -> str:
    """The role that all boards of a club have; roles belong to the server, not to a database."""
    return f"{database}_boards"


def version(connection: Connection) -> int:
    """The version of a club's tables; 0 before `init`."""
    if _one(connection, "SELECT to_regclass('club.version') IS NULL")[0]:
        return 0
    return int(_one(connection, "SELECT version FROM club.version")[0])


def require_newest(connection: Connection) -> None:
    """Raises ClubError if the tables are of another version of pochboard."""
    known = version(connection)
    if known != NEWEST:
        raise ClubError(
            lazy_gettext("The club was made by a newer pochboard. Update this one.")
            if known > NEWEST
            else lazy_gettext("The club is of an older version. Run there: pochboard club init")
        )


def migrate(connection: Connection) -> int:
    """Makes or migrates the tables, in one transaction. Returns the version before.

    Raises ClubError if the database cannot be a club.
    """
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(hashtext('club'))")
        (encoding,) = _one(connection, "SHOW server_encoding")
        if encoding != "UTF8":
            raise ClubError(
                lazy_gettext(
                    "The database has the encoding {encoding}. Make one with: createdb"
                    " --template=template0 --encoding=UTF8 NAME",
                    encoding=encoding,
                )
            )
        before = version(connection)
        if before > NEWEST:
            raise ClubError(
                lazy_gettext("The club was made by a newer pochboard. Update this one.")
            )
        (database,) = _one(connection, "SELECT current_database()")
        roles = {"boards": boards_role(database), "readers": f"{database}_readers"}
        names = {key: Identifier(role) for key, role in roles.items()}
        names["database"] = Identifier(database)
        for key, role in roles.items():
            known = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (role,))
            if not known.fetchone():
                connection.execute(SQL("CREATE ROLE {} NOLOGIN").format(names[key]))
        for step in MIGRATIONS[before:]:
            connection.execute(SQL(step).format(**names))
        connection.execute(SQL(_DATABASE).format(**names))
        connection.execute("DELETE FROM club.version")
        connection.execute("INSERT INTO club.version VALUES (%s)", (NEWEST,))
    return before


def _one(connection: Connection, query: LiteralString) -> tuple[Any, ...]:
    row = connection.execute(query).fetchone()
    assert row is not None, "it has one row"
    return row
