// SQL of accounts: sessions, users, credentials. Instants of the library's tables are ISO texts, booleans 0 and 1.
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import { deleteTokens } from './service/consent-store.ts'
import { deleteLink } from './service/link-store.ts'

type Read = Pick<Reads, 'all' | 'get'>

/** A session with what judging it needs of its user. */
export interface SessionRow {
  readonly id: string
  readonly userId: string
  readonly expiresAt: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly impersonatedBy: string | null
  /** Null too when the user is no longer a member of it. */
  readonly organizationId: string | null
  readonly name: string
  readonly banned: number | null
  readonly banExpires: string | null
}

/** The session of a digest; one statement. */
export function readSession(read: Read, digest: string): SessionRow | undefined {
  return read.get(
    statement<SessionRow>(
      `SELECT s.id, s.userId, s.expiresAt, s.createdAt, s.updatedAt, s.impersonatedBy, m.organizationId,
         u.name, u.banned, u.banExpires
       FROM auth_session s JOIN auth_user u ON u.id = s.userId
       LEFT JOIN auth_member m ON m.organizationId = s.activeOrganizationId AND m.userId = s.userId
       WHERE s.token = ?`,
      [digest],
    ),
  )
}

/** An account as stored. */
export interface UserRow {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly emailVerified: number
  readonly image: string | null
  readonly createdAt: string
  readonly updatedAt: string
  readonly username: string | null
  readonly displayUsername: string | null
  readonly role: string | null
  readonly banned: number | null
  readonly banReason: string | null
  readonly banExpires: string | null
  readonly twoFactorEnabled: number | null
  readonly mustChangePassword: number | null
}

/** An account by id. */
export function readUser(read: Read, id: string): UserRow | undefined {
  return read.get(statement<UserRow>('SELECT * FROM auth_user WHERE id = ?', [id]))
}

/** An account by username or email address, whatever its case. */
export function readUserByName(read: Read, name: string): UserRow | undefined {
  const folded = name.trim().toLowerCase()
  return (
    read.get(statement<UserRow>('SELECT * FROM auth_user WHERE username = ?', [folded])) ??
    read.get(statement<UserRow>('SELECT * FROM auth_user WHERE email = ?', [folded]))
  )
}

/** Columns of an account that may be written. */
export type UserChange = Partial<
  Pick<
    UserRow,
    | 'name'
    | 'email'
    | 'emailVerified'
    | 'image'
    | 'username'
    | 'displayUsername'
    | 'role'
    | 'banned'
    | 'banReason'
    | 'banExpires'
    | 'mustChangePassword'
  >
>

const userColumns: ReadonlySet<string> = new Set([
  'name',
  'email',
  'emailVerified',
  'image',
  'username',
  'displayUsername',
  'role',
  'banned',
  'banReason',
  'banExpires',
  'mustChangePassword',
])

/** Changes an account. */
export function updateUser(tx: Tx, id: string, change: UserChange, now: string): void {
  const entries = Object.entries(change).filter(([column, value]) => userColumns.has(column) && value !== undefined)
  const sets = [...entries.map(([column]) => `${column} = ?`), 'updatedAt = ?'].join(', ')
  tx.run(statement(`UPDATE auth_user SET ${sets} WHERE id = ?`, [...entries.map(([, value]) => value), now, id]))
}

/** What a new account is made of. */
export interface NewUser {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly username: string | null
  readonly image: string | null
  readonly role: string
}

/** Adds an account without a password, whose address its maker vouches for. */
export function insertUser(tx: Tx, user: NewUser, now: string): void {
  tx.run(
    statement(
      `INSERT INTO auth_user (id, name, email, emailVerified, image, createdAt, updatedAt, username, displayUsername, role,
         banned, twoFactorEnabled, mustChangePassword, selfMade) VALUES (?, ?, ?, 0, ?, ?, ?, ?, ?, ?, 0, 0, 0, 0)`,
      [user.id, user.name, user.email, user.image, now, now, user.username, user.username, user.role],
    ),
  )
}

/** Makes every device ask for the second factor again: what the library keeps of a trusted one is the user alone. */
export function forgetDevices(tx: Tx, userId: string): void {
  tx.run(statement('DELETE FROM auth_verification WHERE value = ?', [userId]))
}

/** Deletes an account with everything that hangs on it; false when there was none. */
export function deleteUser(tx: Tx, id: string): boolean {
  forgetDevices(tx, id)
  tx.run(statement('DELETE FROM auth_link WHERE account = ?', [id]))
  return tx.run(statement('DELETE FROM auth_user WHERE id = ?', [id])).changes > 0
}

/** The row of one way to sign in of a user, named by its provider, by its id there or here, or by both. */
export function readAccountId(
  read: Read,
  userId: string,
  { providerId, accountId }: { readonly providerId?: string | undefined; readonly accountId?: string | undefined },
): string | undefined {
  const [provider, account] = [providerId ?? null, accountId ?? null]
  const sql = `SELECT id FROM auth_account WHERE userId = ? AND (? IS NULL OR providerId = ?)
    AND (? IS NULL OR accountId = ? OR id = ?) ORDER BY createdAt, id LIMIT 1`
  const values = [userId, provider, provider, account, account, account]
  return read.get(statement<{ id: string }>(sql, values))?.id
}

/** The stored hash of an account's password; undefined when it has none. */
export function readPassword(read: Read, userId: string): string | undefined {
  const row = read.get(
    statement<{ password: string | null }>(
      "SELECT password FROM auth_account WHERE userId = ? AND providerId = 'credential'",
      [userId],
    ),
  )
  return row?.password ?? undefined
}

/** Stores the hash of a password, whether or not there was one; `id` names the row when it is new. */
export function putPassword(tx: Tx, userId: string, hash: string, now: string, id: string): void {
  const { changes } = tx.run(
    statement("UPDATE auth_account SET password = ?, updatedAt = ? WHERE userId = ? AND providerId = 'credential'", [
      hash,
      now,
      userId,
    ]),
  )
  if (changes > 0) return
  tx.run(
    statement(
      `INSERT INTO auth_account (id, accountId, providerId, userId, password, createdAt, updatedAt)
       VALUES (?, ?, 'credential', ?, ?, ?, ?)`,
      [id, userId, userId, hash, now, now],
    ),
  )
}

/** A session as lists show it; `token` is the stored digest. */
export interface ListedSession {
  readonly id: string
  readonly userId: string
  readonly token: string
  readonly expiresAt: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly ipAddress: string | null
  readonly userAgent: string | null
  readonly impersonatedBy: string | null
  readonly activeOrganizationId: string | null
  readonly activeTeamId: string | null
}

/** The living sessions of a user, newest first. */
export function readSessions(read: Read, userId: string, now: string): ListedSession[] {
  return read.all(
    statement<ListedSession>('SELECT * FROM auth_session WHERE userId = ? AND expiresAt > ? ORDER BY createdAt DESC', [
      userId,
      now,
    ]),
  )
}

/** One session by its id. */
export function readSessionById(read: Read, id: string): ListedSession | undefined {
  return read.get(statement<ListedSession>('SELECT * FROM auth_session WHERE id = ?', [id]))
}

/** One session by its digest. */
export function readSessionByDigest(read: Read, digest: string): ListedSession | undefined {
  return read.get(statement<ListedSession>('SELECT * FROM auth_session WHERE token = ?', [digest]))
}

/** Adds a session. */
export function insertSession(tx: Tx, session: Omit<ListedSession, 'activeOrganizationId' | 'activeTeamId'>): void {
  tx.run(
    statement(
      `INSERT INTO auth_session (id, expiresAt, token, createdAt, updatedAt, ipAddress, userAgent, userId, impersonatedBy)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        session.id,
        session.expiresAt,
        session.token,
        session.createdAt,
        session.updatedAt,
        session.ipAddress,
        session.userAgent,
        session.userId,
        session.impersonatedBy,
      ],
    ),
  )
}

/** Takes back what a user allowed devices that have not come for it yet. */
export function deleteDeviceCodes(tx: Tx, userId: string): void {
  tx.run(statement('DELETE FROM auth_device_code WHERE userId = ?', [userId]))
}

/**
 * Ends sessions of a user, and those in which the user acts as somebody else; `except` names one that stays. Codes of devices
 * that wait would open others. Where none stays, nothing stays that applications hold for the user, nor a link that moves the
 * account to another address. No device is trusted any more.
 * @source D-421
 */
export function deleteSessions(tx: Tx, userId: string, except = ''): number {
  forgetDevices(tx, userId)
  deleteDeviceCodes(tx, userId)
  if (except === '') {
    deleteTokens(tx, userId, null)
    deleteLink(tx, 'address', userId)
  }
  return tx.run(
    statement('DELETE FROM auth_session WHERE (userId = ? OR impersonatedBy = ?) AND id <> ?', [
      userId,
      userId,
      except,
    ]),
  ).changes
}

/** Ends one session. */
export function deleteSession(tx: Tx, id: string): boolean {
  return tx.run(statement('DELETE FROM auth_session WHERE id = ?', [id])).changes > 0
}

/** Prolongs a session. */
export function prolongSession(tx: Tx, id: string, expiresAt: string, now: string): void {
  tx.run(statement('UPDATE auth_session SET expiresAt = ?, updatedAt = ? WHERE id = ?', [expiresAt, now, id]))
}

/** Removes what has expired: sessions, verification values, device codes, links. */
export function sweepExpired(tx: Tx, now: string): void {
  for (const table of ['auth_session', 'auth_verification', 'auth_device_code', 'auth_link'])
    tx.run(statement(`DELETE FROM ${table} WHERE expiresAt < ?`, [now]))
}

/** A user's organizations and roles in them. */
export function readMemberships(read: Read, userId: string): { organizationId: string; role: string }[] {
  return read.all(
    statement<{ organizationId: string; role: string }>(
      'SELECT organizationId, role FROM auth_member WHERE userId = ? ORDER BY createdAt, id',
      [userId],
    ),
  )
}

/** The organization a user works in who has chosen none: the one last worked in, else the one joined first; null for none. */
export function readHome(read: Read, userId: string): string | null {
  return readHomes(read, userId)[0]?.organizationId ?? null
}

/** The same for everybody who is in any, or for one user. */
export function readHomes(read: Read, userId: string | null = null): { userId: string; organizationId: string }[] {
  const sql = `SELECT userId, organizationId FROM (
      SELECT m.userId, m.organizationId, row_number() OVER (
        PARTITION BY m.userId ORDER BY l.user_id IS NULL, m.createdAt, m.id) AS place
      FROM auth_member m
      LEFT JOIN auth_last_organization l ON l.user_id = m.userId AND l.organization_id = m.organizationId
      WHERE ? IS NULL OR m.userId = ?) WHERE place = 1`
  return read.all(statement<{ userId: string; organizationId: string }>(sql, [userId, userId]))
}

/** A session works in no organization, by choice: joining one does not change it. */
export function workInNone(tx: Tx, digest: string): void {
  tx.run(statement("UPDATE auth_session SET activeOrganizationId = '' WHERE token = ?", [digest]))
}

/** A user's teams. */
export function readTeams(read: Read, userId: string): { teamId: string; organizationId: string }[] {
  return read.all(
    statement<{ teamId: string; organizationId: string }>(
      'SELECT t.id AS teamId, t.organizationId FROM auth_team_member m JOIN auth_team t ON t.id = m.teamId WHERE m.userId = ?',
      [userId],
    ),
  )
}

/** The id of an organization that is named by its id or its short name; undefined when there is none. */
export function readOrganizationId(read: Read, by: 'id' | 'slug', name: string): string | undefined {
  return read.get(statement<{ id: string }>(`SELECT id FROM auth_organization WHERE ${by} = ?`, [name]))?.id
}

/** Whether there is any organization. */
export function hasOrganizations(read: Read): boolean {
  return read.get(statement('SELECT 1 FROM auth_organization LIMIT 1')) !== undefined
}

/** A team as stored. */
export interface TeamRow {
  readonly id: string
  readonly organizationId: string
  readonly name: string
}

/** The teams of an organization by name. */
export function readTeamsOf(read: Read, organizationId: string): TeamRow[] {
  return read.all(
    statement<TeamRow>('SELECT id, organizationId, name FROM auth_team WHERE organizationId = ? ORDER BY name, id', [
      organizationId,
    ]),
  )
}

/** One team. */
export function readTeam(read: Read, id: string): TeamRow | undefined {
  return read.get(statement<TeamRow>('SELECT id, organizationId, name FROM auth_team WHERE id = ?', [id]))
}

/** Who is in a team, in the order of joining. */
export function readTeamMembers(
  read: Read,
  teamId: string,
): { id: string; teamId: string; userId: string; createdAt: string | null }[] {
  return read.all(
    statement<{ id: string; teamId: string; userId: string; createdAt: string | null }>(
      'SELECT id, teamId, userId, createdAt FROM auth_team_member WHERE teamId = ? ORDER BY createdAt, id',
      [teamId],
    ),
  )
}
