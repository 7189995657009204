// The tables of hubs in PostgreSQL. Plain types and keys only, so that other engines with its protocol may follow.

/** Makes the tables where they are not yet. Bodies are sealed, so they are kept as they are rather than compressed again. */
export const storeTables: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS hub_head (
    ws text PRIMARY KEY, epoch bigint NOT NULL, seq bigint NOT NULL, lease_until timestamptz NOT NULL,
    node text, address text, heir text, format integer NOT NULL) WITH (fillfactor = 50)`,
  `CREATE TABLE IF NOT EXISTS hub_log (
    ws text NOT NULL, seq bigint NOT NULL, part integer NOT NULL, epoch bigint NOT NULL, at timestamptz NOT NULL,
    last boolean NOT NULL, body bytea NOT NULL, PRIMARY KEY (ws, seq, part))`,
  `CREATE TABLE IF NOT EXISTS hub_snapshot (
    ws text NOT NULL, seq bigint NOT NULL, epoch bigint NOT NULL, hash bytea NOT NULL, digest text NOT NULL,
    parts integer NOT NULL, at timestamptz NOT NULL, made_by text NOT NULL, verified_by text, PRIMARY KEY (ws, seq))`,
  `CREATE TABLE IF NOT EXISTS hub_base (
    ws text NOT NULL, seq bigint NOT NULL, part integer NOT NULL, body bytea NOT NULL, PRIMARY KEY (ws, seq, part))`,
  `CREATE TABLE IF NOT EXISTS hub_file (
    ws text NOT NULL, name text NOT NULL, version bigint NOT NULL, body bytea NOT NULL, PRIMARY KEY (ws, name))`,
  `CREATE TABLE IF NOT EXISTS hub_node (
    ws text NOT NULL, node text NOT NULL, address text NOT NULL, seen_at timestamptz NOT NULL, seq bigint NOT NULL,
    PRIMARY KEY (ws, node))`,
  'ALTER TABLE hub_log ALTER COLUMN body SET STORAGE EXTERNAL',
  'ALTER TABLE hub_base ALTER COLUMN body SET STORAGE EXTERNAL',
]
