// The tables of packages. SQL only.
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'

type Reader = Pick<Reads, 'all' | 'get'>
type Writer = Pick<Tx, 'run'>

/** An installed package as it is stored; `manifest`, `states` and `history` are JSON, `settings` is sealed JSON. */
export interface PackageRow {
  readonly id: string
  readonly namespace: string
  readonly type: string
  readonly version: string
  readonly previous_version: string | null
  readonly manifest: string
  readonly status: 'installed' | 'disabled' | 'error'
  readonly trust: string
  readonly public_key: string | null
  readonly artifact_ref: string | null
  readonly settings: string | null
  readonly states: string
  /** The version whose records are written; null for none, as of a package that was never enabled. */
  readonly seeded_version: string | null
  readonly history: string
  readonly error_message: string | null
  readonly installed_at: string
  readonly installed_by: string
  readonly updated_at: string
  readonly status_changed_at: string
  /** 1 while its sample records are wanted, 0 from then on. */
  readonly samples: number
}

/** An uploaded archive as it is stored; `manifest` is the JSON of its own manifest without contents. */
export interface ArtifactRow {
  readonly ref: string
  readonly package_id: string
  readonly version: string
  readonly format: 'zip' | 'tgz'
  readonly size: number
  readonly manifest: string
  readonly release_notes: string | null
  readonly uploaded_at: string
  readonly uploaded_by: string
}

/** A snapshot as it is stored; `content` and `backups` are JSON. */
export interface SnapshotRow {
  readonly id: string
  readonly package_id: string
  readonly from_version: string
  readonly to_version: string
  readonly content: string
  readonly backups: string
  readonly size: number
  readonly created_at: string
  readonly expires_at: string
}

/** What a package wrote of a record when it last did, as JSON; `sample` is 0 or 1. */
export interface SeededRow {
  readonly object: string
  readonly record_id: string
  readonly seeded: string
  readonly sample: number
}

/** A trusted key as it is stored. */
export interface KeyRow {
  readonly key_id: string
  readonly public_key: string
  readonly label: string | null
  readonly created_at: string
  readonly created_by: string
  readonly revoked_at: string | null
}

/** All installed packages, by id. */
export function allPackages(read: Reader): PackageRow[] {
  return read.all<PackageRow>(statement('SELECT * FROM packages_package ORDER BY id'))
}

/** An installed package. */
export function getPackage(read: Reader, id: string): PackageRow | undefined {
  return read.get<PackageRow>(statement('SELECT * FROM packages_package WHERE id = ?', [id]))
}

/** Stores a package in place of the one of its id. */
export function putPackage(tx: Writer, row: PackageRow): void {
  const columns = Object.keys(row)
  tx.run(
    statement(
      `INSERT INTO packages_package (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
       ON CONFLICT (id) DO UPDATE SET ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}`,
      Object.values(row),
    ),
  )
}

/** Forgets a package with its snapshots; what it seeded is remembered as long as the records stay. */
export function dropPackage(tx: Writer, id: string): void {
  tx.run(statement('DELETE FROM packages_package WHERE id = ?', [id]))
  tx.run(statement('DELETE FROM packages_snapshot WHERE package_id = ?', [id]))
}

/** Uploaded archives, or those of one package. */
export function artifactsOf(read: Reader, packageId: string): ArtifactRow[] {
  return read.all<ArtifactRow>(statement('SELECT * FROM packages_artifact WHERE package_id = ?', [packageId]))
}

/** All uploaded archives, by package and the time they came. */
export function allArtifacts(read: Reader): ArtifactRow[] {
  return read.all<ArtifactRow>(statement('SELECT * FROM packages_artifact ORDER BY package_id, uploaded_at DESC'))
}

/** An uploaded archive. */
export function getArtifact(read: Reader, ref: string): ArtifactRow | undefined {
  return read.get<ArtifactRow>(statement('SELECT * FROM packages_artifact WHERE ref = ?', [ref]))
}

/** Lists an archive. */
export function addArtifact(tx: Writer, row: ArtifactRow): void {
  const columns = Object.keys(row)
  tx.run(
    statement(
      `INSERT INTO packages_artifact (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      Object.values(row),
    ),
  )
}

/** Snapshots of a package, newest first. */
export function snapshotsOf(read: Reader, packageId: string): SnapshotRow[] {
  return read.all<SnapshotRow>(
    statement('SELECT * FROM packages_snapshot WHERE package_id = ? ORDER BY created_at DESC, id DESC', [packageId]),
  )
}

/** Stores a snapshot and drops those of its package beyond the newest `kept`. */
export function addSnapshot(tx: Writer, row: SnapshotRow, kept: number): void {
  const columns = Object.keys(row)
  tx.run(
    statement(
      `INSERT INTO packages_snapshot (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      Object.values(row),
    ),
  )
  tx.run(
    statement(
      `DELETE FROM packages_snapshot WHERE id IN (
         SELECT id FROM packages_snapshot WHERE package_id = ? ORDER BY created_at DESC, id DESC LIMIT -1 OFFSET ?)`,
      [row.package_id, kept],
    ),
  )
}

/** Drops snapshots whose time is over. */
export function dropExpiredSnapshots(tx: Writer, now: string): void {
  tx.run(statement('DELETE FROM packages_snapshot WHERE expires_at < ?', [now]))
}

/** What the package wrote of a record when it last did, as JSON; undefined when it never did. */
export function getSeeded(read: Reader, packageId: string, object: string, recordId: string): string | undefined {
  return read.get<{ seeded: string }>(
    statement('SELECT seeded FROM packages_seed WHERE package_id = ? AND object = ? AND record_id = ?', [
      packageId,
      object,
      recordId,
    ]),
  )?.seeded
}

/** Remembers what the package wrote of a record, and whether it is a sample. */
export function putSeeded(tx: Writer, packageId: string, row: SeededRow): void {
  tx.run(
    statement(
      'INSERT OR REPLACE INTO packages_seed (package_id, object, record_id, seeded, sample) VALUES (?, ?, ?, ?, ?)',
      [packageId, row.object, row.record_id, row.seeded, row.sample],
    ),
  )
}

/** Sample records of a package that are there as far as is known. */
export function samplesOf(read: Reader, packageId: string): SeededRow[] {
  return read.all<SeededRow>(
    statement('SELECT object, record_id, seeded, sample FROM packages_seed WHERE package_id = ? AND sample = 1', [
      packageId,
    ]),
  )
}

/** How many sample records each package has. */
export function sampleCounts(read: Reader): ReadonlyMap<string, number> {
  const rows = read.all<{ package_id: string; count: number }>(
    statement('SELECT package_id, count(*) AS count FROM packages_seed WHERE sample = 1 GROUP BY package_id'),
  )
  return new Map(rows.map((row) => [row.package_id, row.count]))
}

/** Samples of a package are records like others from now on; that it wrote them stays known. */
export function endSamples(tx: Writer, packageId: string): void {
  tx.run(statement('UPDATE packages_seed SET sample = 0 WHERE package_id = ?', [packageId]))
  tx.run(statement('UPDATE packages_package SET samples = 0 WHERE id = ?', [packageId]))
}

/** Forgets everything a package wrote. */
export function dropSeeded(tx: Writer, packageId: string): void {
  tx.run(statement('DELETE FROM packages_seed WHERE package_id = ?', [packageId]))
}

/** All keys, by id. */
export function allKeys(read: Reader): KeyRow[] {
  return read.all<KeyRow>(statement('SELECT * FROM packages_key ORDER BY key_id'))
}

/** Stores a key in place of the one of its id. */
export function putKey(tx: Writer, row: KeyRow): void {
  tx.run(
    statement(
      `INSERT OR REPLACE INTO packages_key (key_id, public_key, label, created_at, created_by, revoked_at)
       VALUES (?, ?, ?, ?, ?, ?)`,
      [row.key_id, row.public_key, row.label, row.created_at, row.created_by, row.revoked_at],
    ),
  )
}
