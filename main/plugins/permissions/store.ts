// SQL of the plugin's tables: assignments, shares, organizations of records. Rows in, rows out.
import type { IdSource } from '#shared/filter/filter.ts'
import type { RecordOrganization } from '#shared/filter/query-env.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { selectMakers } from '#main/database/query/object-rows.ts'
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import type { Assignments } from './api.ts'

type Reader = Pick<Reads, 'all' | 'get'>

/** What a share lets its principal do, as it is stored: the higher the more. */
export const shareLevels = { read: 1, edit: 2, full: 3 } as const

/** A word of {@link shareLevels}. */
export type ShareAccess = keyof typeof shareLevels

/** A share as its row has it. */
export interface ShareRow {
  readonly id: string
  readonly recordId: string
  /** `user:<id>`, `role:<name>` or `team:<id>`. */
  readonly principal: string
  readonly level: number
  readonly reason: string | null
  readonly createdAt: string
  readonly createdBy: string
}

const shareColumns = `id, record_id AS recordId, principal, level, reason, created_at AS createdAt, created_by AS createdBy`

/** Everybody who was given something, by user id; or one of them. */
export function readAssignments(read: Reader, userId: string | null = null): Map<string, Assignments> {
  const sql = `SELECT user_id AS userId, profile, roles, permission_sets AS permissionSets FROM permissions_assignment
    WHERE ? IS NULL OR user_id = ?`
  const rows = read.all<{ userId: string; profile: string; roles: string; permissionSets: string }>(
    statement(sql, [userId, userId]),
  )
  return new Map(
    rows.map(({ userId, profile, roles, permissionSets }) => [
      userId,
      { profile, roles: JSON.parse(roles) as string[], permissionSets: JSON.parse(permissionSets) as string[] },
    ]),
  )
}

/** Gives a user exactly this. */
export function putAssignments(tx: Tx, userId: string, { profile, roles, permissionSets }: Assignments): void {
  tx.run(
    statement(
      `INSERT INTO permissions_assignment (user_id, profile, roles, permission_sets) VALUES (?, ?, ?, ?)
       ON CONFLICT (user_id) DO UPDATE SET profile = excluded.profile, roles = excluded.roles,
         permission_sets = excluded.permission_sets`,
      [userId, profile, JSON.stringify(roles), JSON.stringify(permissionSets)],
    ),
  )
}

/** Gives everybody these instead; who is not among them is as a new account. */
export function replaceAssignments(tx: Tx, assignments: ReadonlyMap<string, Assignments>): void {
  tx.run(statement('DELETE FROM permissions_assignment'))
  for (const [userId, one] of assignments) putAssignments(tx, userId, one)
}

/** The shares of a record, oldest first. */
export function readShares(read: Reader, objectUid: string, recordId: string): ShareRow[] {
  const sql = `SELECT ${shareColumns} FROM permissions_share WHERE object_uid = ? AND record_id = ? ORDER BY id`
  return read.all<ShareRow>(statement(sql, [objectUid, recordId]))
}

/** Shares a record with a principal; one that has a share already keeps its id and gets the new access. */
export function putShare(tx: Tx, objectUid: string, share: ShareRow): ShareRow {
  tx.run(
    statement(
      `INSERT INTO permissions_share (id, object_uid, record_id, principal, level, reason, created_at, created_by)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (object_uid, record_id, principal) DO UPDATE SET level = excluded.level, reason = excluded.reason,
         created_at = excluded.created_at, created_by = excluded.created_by`,
      [
        share.id,
        objectUid,
        share.recordId,
        share.principal,
        share.level,
        share.reason,
        share.createdAt,
        share.createdBy,
      ],
    ),
  )
  return readShares(tx, objectUid, share.recordId).find(({ principal }) => principal === share.principal)!
}

/** Whether the record had such a share, which is gone now. */
export function deleteShare(tx: Tx, objectUid: string, recordId: string, id: string): boolean {
  const sql = 'DELETE FROM permissions_share WHERE id = ? AND object_uid = ? AND record_id = ?'
  return tx.run(statement(sql, [id, objectUid, recordId])).changes > 0
}

/** Takes away everything that was shared with a principal. */
export function deleteSharesOf(tx: Tx, principal: string): void {
  tx.run(statement('DELETE FROM permissions_share WHERE principal = ?', [principal]))
}

/** Takes away everything about a record that is gone for good (D-59). */
export function forgetRecord(tx: Tx, objectUid: string, recordId: string): void {
  tx.run(statement('DELETE FROM permissions_share WHERE object_uid = ? AND record_id = ?', [objectUid, recordId]))
  const sql = 'DELETE FROM permissions_record_organization WHERE object_uid = ? AND record_id = ?'
  tx.run(statement(sql, [objectUid, recordId]))
}

/** Notes the organization of a new record. */
export function putRecordOrganization(tx: Tx, objectUid: string, recordId: string, organizationId: string): void {
  const sql = `INSERT OR REPLACE INTO permissions_record_organization (object_uid, record_id, organization_id)
    VALUES (?, ?, ?)`
  tx.run(statement(sql, [objectUid, recordId, organizationId]))
}

/** The organization of a record; null for none. */
export function readRecordOrganization(read: Pick<Reader, 'get'>, objectUid: string, recordId: string): string | null {
  const sql = 'SELECT organization_id AS id FROM permissions_record_organization WHERE object_uid = ? AND record_id = ?'
  return read.get<{ id: string }>(statement(sql, [objectUid, recordId]))?.id ?? null
}

/** Writes the organization of a record as an expression; one search of the table's key. */
export const recordOrganization: RecordOrganization = (objectUid, recordId, bind) =>
  `(SELECT o."organization_id" FROM "permissions_record_organization" AS o` +
  ` WHERE o."record_id" = ${recordId} AND o."object_uid" = ${bind(objectUid)})`

/** Gives the records of a table that belong to none an organization: the home of their maker, else the given one. */
export function adoptRecords(
  tx: Tx,
  schema: Pick<ObjectSchema, 'uid' | 'table'>,
  organizationId: string,
  homes: Readonly<Record<string, string>>,
): number {
  const sql = `WITH home (user_id, organization_id) AS MATERIALIZED (SELECT key, value FROM json_each(?))
    INSERT INTO permissions_record_organization (object_uid, record_id, organization_id)
    SELECT ?, r.id, coalesce(h.organization_id, ?) FROM (${selectMakers(schema)}) AS r LEFT JOIN home AS h ON h.user_id = r.created_by
    WHERE NOT EXISTS (SELECT 1 FROM permissions_record_organization AS o WHERE o.object_uid = ? AND o.record_id = r.id)`
  return tx.run(statement(sql, [JSON.stringify(homes), schema.uid, organizationId, schema.uid])).changes
}

/** Selects the records shared with any of the principals, with at least this access. Served by an index alone. */
export function sharedRecords(objectUid: string, principals: readonly string[], least: ShareAccess): IdSource {
  const list = JSON.stringify(principals)
  return (bind) =>
    `SELECT s."record_id" FROM "permissions_share" AS s WHERE s."object_uid" = ${bind(objectUid)}` +
    ` AND s."principal" IN (SELECT value FROM json_each(${bind(list)})) AND s."level" >= ${bind(shareLevels[least])}`
}

/** Selects nothing. */
export const noRecords: IdSource = () => 'SELECT NULL WHERE 0'

/** Whether any record of an object is shared with one of the principals. */
export function hasShares(read: Reader, objectUid: string, principals: readonly string[]): boolean {
  const sql = `SELECT 1 FROM permissions_share WHERE object_uid = ? AND principal IN (SELECT value FROM json_each(?)) LIMIT 1`
  return read.get(statement(sql, [objectUid, JSON.stringify(principals)])) !== undefined
}

/** Selects the records of an organization. */
export function organizationRecords(objectUid: string, organizationId: string): IdSource {
  return (bind, own) =>
    `SELECT o."record_id" FROM "permissions_record_organization" AS o WHERE o."object_uid" = ${bind(objectUid)}` +
    ` AND o."organization_id" = ${bind(organizationId)}${own === undefined ? '' : ` AND o."record_id" = ${own}`}`
}

/** A list of ids that may be long. */
export function idList(ids: readonly string[]): IdSource {
  const list = JSON.stringify(ids)
  return (bind) => `SELECT value FROM json_each(${bind(list)})`
}
