// SQL of the switch of organizations and of what it makes, and of who sends invitations. Rows in, rows out.
import type { Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'

/** What is remembered of the switch. */
export interface Switch {
  /** The organization that holds what was there before. */
  readonly organizationId: string
  /** ISO instant; null while organizations are on. */
  readonly offSince: string | null
}

/** What is remembered; undefined when organizations were never on. */
export function readSwitch(read: Pick<Tx, 'get'>): Switch | undefined {
  return read.get(
    statement<Switch>(
      'SELECT organization_id AS organizationId, off_since AS offSince FROM auth_organization_switch WHERE only = 1',
    ),
  )
}

/** Remembers where the switch stands. */
export function putSwitch(tx: Tx, { organizationId, offSince }: Switch): void {
  const sql = `INSERT INTO auth_organization_switch (only, organization_id, off_since) VALUES (1, ?, ?)
    ON CONFLICT (only) DO UPDATE SET organization_id = excluded.organization_id, off_since = excluded.off_since`
  tx.run(statement(sql, [organizationId, offSince]))
}

/** Accounts in no organization that were made at an instant or later. */
export function readOutsiders(tx: Tx, since: string): string[] {
  const sql = `SELECT id FROM auth_user WHERE createdAt >= ?
    AND NOT EXISTS (SELECT 1 FROM auth_member m WHERE m.userId = auth_user.id) ORDER BY createdAt, id`
  return tx.all(statement<{ id: string }>(sql, [since])).map(({ id }) => id)
}

/** Stores an organization. @param now ISO instant */
export function insertOrganization(
  tx: Pick<Tx, 'run'>,
  { id, name, slug }: { readonly id: string; readonly name: string; readonly slug: string },
  now: string,
): void {
  const sql = 'INSERT INTO auth_organization (id, name, slug, createdAt) VALUES (?, ?, ?, ?)'
  tx.run(statement(sql, [id, name, slug, now]))
}

/** Stores a member. @param now ISO instant */
export function insertMember(
  tx: Pick<Tx, 'run'>,
  member: { readonly id: string; readonly organizationId: string; readonly userId: string; readonly role: string },
  now: string,
): void {
  const sql = 'INSERT INTO auth_member (id, organizationId, userId, role, createdAt) VALUES (?, ?, ?, ?, ?)'
  tx.run(statement(sql, [member.id, member.organizationId, member.userId, member.role, now]))
}

/** Gives an invitation to another one who sends it. */
export function putInviter(tx: Pick<Tx, 'run'>, invitationId: string, inviterId: string): void {
  tx.run(statement('UPDATE auth_invitation SET inviterId = ? WHERE id = ?', [inviterId, invitationId]))
}
