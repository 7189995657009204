// SQL of preferences. Rows in, rows out.
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'

/** What a user has chosen: preferences and sealed addresses as JSON, the last digest in milliseconds. */
export interface PreferenceRow {
  readonly user_id: string
  readonly preferences: string
  readonly sealed_urls: string
  readonly digest_at: number
}

/** The choices of a user; undefined for one who made none. */
export function readPreference(read: Pick<Reads, 'get'>, userId: string): PreferenceRow | undefined {
  return read.get(statement<PreferenceRow>('SELECT * FROM notifications_preference WHERE user_id = ?', [userId]))
}

/** Those who want a digest per period. */
export function readDigestReaders(read: Pick<Reads, 'all'>, digest: string): PreferenceRow[] {
  return read.all(statement<PreferenceRow>('SELECT * FROM notifications_preference WHERE digest = ?', [digest]))
}

/** Stores the choices of a user. */
export function putPreference(tx: Pick<Tx, 'run'>, row: PreferenceRow & { readonly digest: string }): void {
  tx.run(
    statement(
      `INSERT OR REPLACE INTO notifications_preference (user_id, preferences, sealed_urls, digest, digest_at)
       VALUES (?, ?, ?, ?, ?)`,
      [row.user_id, row.preferences, row.sealed_urls, row.digest, row.digest_at],
    ),
  )
}

/** Notes when a digest was sent. @param at milliseconds */
export function putDigestAt(tx: Pick<Tx, 'run'>, userId: string, at: number): void {
  tx.run(statement('UPDATE notifications_preference SET digest_at = ? WHERE user_id = ?', [at, userId]))
}
