// SQL of a restored database: accounts and ways in become what they were before the restore. Rows are copied as they are,
// whatever their columns.
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'

type Row = Readonly<Record<string, unknown>>

/** Rows of the tables of accounts, by table. */
export type AccountRows = ReadonlyMap<string, readonly Row[]>

/** Whoever they belong to is there before them: what opens something, tables that are named by others first. */
const waysIn = [
  'auth_session',
  'auth_account',
  'auth_two_factor',
  'auth_verification',
  'auth_link',
  'auth_mail',
  'auth_device_code',
  'auth_invitation',
  'auth_key',
  'auth_attempt',
  'auth_jwks',
  'auth_oauth_client',
  'auth_oauth_resource',
  'auth_oauth_client_resource',
  'auth_oauth_refresh_token',
  'auth_oauth_access_token',
  'auth_oauth_consent',
  'auth_oauth_client_assertion',
  'auth_last_organization',
] as const

/** What of them holds without a password or a key: it ends where nobody can say whether it did. */
const fleeting = [
  'auth_session',
  'auth_verification',
  'auth_link',
  'auth_mail',
  'auth_device_code',
  'auth_oauth_refresh_token',
  'auth_oauth_access_token',
] as const

/** Kept by id: what only the backup has of them stays, for records belong to it. */
const kept = ['auth_user', 'auth_organization', 'auth_team', 'auth_member', 'auth_team_member'] as const

/** Every table that is copied. Not `auth_organization_switch`, which tells how the records of the backup are kept. */
export const copiedTables: readonly string[] = [...kept, ...waysIn]

/** Columns of accounts and organizations that are one of a kind. */
const unique: Readonly<Record<string, readonly string[]>> = {
  auth_user: ['email', 'username'],
  auth_organization: ['slug'],
}

/** All rows of all copied tables. */
export function readAccountRows(read: Pick<Reads, 'all'>): AccountRows {
  return new Map(copiedTables.map((table) => [table, read.all(statement<Row>(`SELECT * FROM ${table}`))]))
}

/** Makes accounts, members and ways in what they were. Accounts that were gone are shut out, with the reason given. */
export function putAccountRows(tx: Tx, rows: AccountRows, owner: string, reason: string): void {
  const of = (table: string): readonly Row[] => rows.get(table) ?? []
  for (const table of waysIn.toReversed()) tx.run(statement(`DELETE FROM ${table}`))
  // Where nobody noted who made an account, nobody did for an address of somebody else, as in migration 11.
  putById(
    tx,
    'auth_user',
    of('auth_user').map((row) => ({ selfMade: 0, ...row })),
  )
  for (const table of ['auth_organization', 'auth_team']) putById(tx, table, of(table))
  tx.run(
    statement(
      `UPDATE auth_user SET banned = 1, banReason = ?, banExpires = NULL
       WHERE id <> ? AND id NOT IN (SELECT value FROM json_each(?))`,
      [reason, owner, idsOf(of('auth_user'))],
    ),
  )
  for (const [table, parent, column] of [
    ['auth_member', 'auth_organization', 'organizationId'],
    ['auth_team_member', 'auth_team', 'teamId'],
  ] as const) {
    // Those that stay are not taken out in between: an organization without its owner would be given another one.
    const sql = `DELETE FROM ${table} WHERE ${column} IN (SELECT value FROM json_each(?))
      AND id NOT IN (SELECT value FROM json_each(?))`
    tx.run(statement(sql, [idsOf(of(parent)), idsOf(of(table))]))
    putById(tx, table, of(table))
  }
  for (const table of waysIn) for (const row of of(table)) insert(tx, table, row)
}

/** Ends what of the backup would hold by itself, where nothing says what has ended since. */
export function endFleeting(tx: Tx): void {
  for (const table of fleeting.toReversed()) tx.run(statement(`DELETE FROM ${table}`))
}

const idsOf = (rows: readonly Row[]): string => JSON.stringify(rows.map(({ id }) => id))

/** Values that are one of a kind may have gone from one row to another: they are free before they are given. */
function putById(tx: Tx, table: string, rows: readonly Row[]): void {
  for (const column of unique[table] ?? []) {
    const owners = new Map(rows.map((row) => [row[column], row['id']]))
    const sql = `SELECT id, ${column} AS value FROM ${table} WHERE ${column} IS NOT NULL`
    for (const { id, value } of tx.all(statement<{ id: string; value: string }>(sql))) {
      if ((owners.get(value) ?? id) === id) continue
      tx.run(statement(`UPDATE ${table} SET ${column} = ? WHERE id = ?`, [`${value}.${id}`, id]))
    }
  }
  for (const row of rows) {
    const names = Object.keys(row).filter((name) => name !== 'id')
    insert(tx, table, row, ` ON CONFLICT (id) DO UPDATE SET ${names.map((name) => `"${name}" = excluded."${name}"`)}`)
  }
}

function insert(tx: Tx, table: string, row: Row, otherwise = ''): void {
  const names = Object.keys(row).map((name) => `"${name}"`)
  const places = names.map(() => '?').join(', ')
  tx.run(statement(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${places})${otherwise}`, Object.values(row)))
}
