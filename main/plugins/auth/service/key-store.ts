// SQL of API keys. Rows in, rows out.
import type { KeyPurpose } from '#shared/contracts/auth.ts'
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'

/** A key as stored; times in milliseconds, the sets as JSON, null for all rights of its maker. */
export interface KeyRow {
  readonly id: string
  readonly user_id: string
  readonly name: string
  readonly prefix: string
  readonly permission_sets: string | null
  readonly read_only: number
  /** What it was made for; null for nothing in particular. */
  readonly purpose: KeyPurpose | null
  readonly created_at: number
  readonly last_used_at: number | null
  readonly expires_at: number | null
}

/** A key with its maker. */
export interface FoundKey extends KeyRow {
  readonly userName: string
  readonly banned: number | null
  readonly banExpires: string | null
  /** Where the key was made, while its maker is in there; for one made in none, the organization its maker joined first. */
  readonly organizationId: string | null
}

/** A key that is stored. */
export type NewKeyRow = Omit<KeyRow, 'last_used_at'> & {
  readonly digest: string
  readonly organization_id: string | null
}

/** Looks a key up by its digest. */
export function findKey(read: Pick<Reads, 'get'>, digest: string): FoundKey | undefined {
  return read.get(
    statement<FoundKey>(
      `SELECT k.*, u.name AS userName, u.banned, u.banExpires,
         (SELECT m.organizationId FROM auth_member m
          WHERE m.userId = k.user_id AND m.organizationId = coalesce(k.organization_id, m.organizationId)
          ORDER BY m.createdAt, m.id LIMIT 1) AS organizationId
       FROM auth_key k JOIN auth_user u ON u.id = k.user_id WHERE k.digest = ?`,
      [digest],
    ),
  )
}

/** The keys of a user, oldest first. */
export function readKeys(read: Pick<Reads, 'all'>, userId: string): KeyRow[] {
  return read.all(statement<KeyRow>('SELECT * FROM auth_key WHERE user_id = ? ORDER BY created_at, id', [userId]))
}

/** How many keys a user has. */
export function countKeys(read: Pick<Reads, 'get'>, userId: string): number {
  const sql = 'SELECT count(*) AS count FROM auth_key WHERE user_id = ?'
  return read.get(statement<{ count: number }>(sql, [userId]))!.count
}

/** Stores a key. */
export function insertKey(tx: Pick<Tx, 'run'>, row: NewKeyRow): void {
  tx.run(
    statement(
      `INSERT INTO auth_key (id, user_id, name, prefix, digest, permission_sets, read_only, created_at, expires_at,
         organization_id, purpose)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        row.id,
        row.user_id,
        row.name,
        row.prefix,
        row.digest,
        row.permission_sets,
        row.read_only,
        row.created_at,
        row.expires_at,
        row.organization_id,
        row.purpose,
      ],
    ),
  )
}

/** Notes when a key was used. @param at milliseconds */
export function noteKeyUse(tx: Pick<Tx, 'run'>, id: string, at: number): void {
  tx.run(statement('UPDATE auth_key SET last_used_at = ? WHERE id = ?', [at, id]))
}

/** Takes a permission set from every key that is narrowed to it; one that is left with none may do nothing. */
export function withdrawSet(tx: Pick<Tx, 'run'>, name: string): void {
  const sql = `UPDATE auth_key SET permission_sets =
      (SELECT json_group_array(value) FROM json_each(auth_key.permission_sets) WHERE value <> ?)
    WHERE EXISTS (SELECT 1 FROM json_each(auth_key.permission_sets) WHERE value = ?)`
  tx.run(statement(sql, [name, name]))
}

/** Takes all keys of a user out and answers their ids. */
export function deleteKeys(tx: Pick<Tx, 'all'>, userId: string): string[] {
  const sql = 'DELETE FROM auth_key WHERE user_id = ? RETURNING id'
  return tx.all(statement<{ id: string }>(sql, [userId])).map(({ id }) => id)
}

/** Takes a key of a user out; false when the user has none of this id. */
export function deleteKey(tx: Pick<Tx, 'run'>, id: string, userId: string): boolean {
  return tx.run(statement('DELETE FROM auth_key WHERE id = ? AND user_id = ?', [id, userId])).changes > 0
}
