// What becomes of a workspace when its organizations are switched on or off: one write at the start of the host, so that
// it is done whole or not at all.
import { localOwnerId } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { PermissionsService } from '../../permissions/api.ts'
import { hasOrganizations, readHomes, readMemberships, readOrganizationId } from '../store.ts'
import { insertMember, insertOrganization, putSwitch, readOutsiders, readSwitch } from './organization-store.ts'
import { isAdministrator } from './users.ts'

/** The organization that holds what was there before organizations were switched on; undefined when they never were. */
export function firstOrganization(read: Pick<Tx, 'get'>): string | undefined {
  return readSwitch(read)?.organizationId
}

/**
 * Brings the workspace in line with the switch. On: the owner has a first organization, everybody who is in none is a
 * member of it, administrators as admins, and records that belong to none go there; when they were on before, only
 * accounts and records made since they were off, each record to where its maker works. Off: notes the instant alone.
 * @source D-41
 */
export async function followSwitch(
  host: Pick<PluginHost, 'read' | 'write' | 'clock' | 'ids' | 'log'>,
  permissions: PermissionsService,
  isOn: boolean,
): Promise<void> {
  const before = readSwitch(host.read)
  if (isOn === (before?.offSince === null)) return
  if (!isOn && before === undefined) return
  const now = host.clock.iso()
  const done = await host.write('auth.organizations', (tx) => {
    if (!isOn) {
      putSwitch(tx, { organizationId: before!.organizationId, offSince: now })
      return null
    }
    // Whoever made organizations before this was remembered is in none for a reason.
    const joiningSince = before?.offSince ?? (hasOrganizations(tx) ? null : '')
    const homes = before === undefined ? [] : readHomes(tx)
    const kept = before === undefined ? undefined : readOrganizationId(tx, 'id', before.organizationId)
    const organizationId = kept ?? addOrganization(tx, host.ids.uuid(), now)
    const join = (userId: string, role: string): void =>
      insertMember(tx, { id: host.ids.uuid(), organizationId, userId, role }, now)
    const isIn = readMemberships(tx, localOwnerId).some((one) => one.organizationId === organizationId)
    if (!isIn && (kept === undefined || homes.every(({ userId }) => userId !== localOwnerId)))
      join(localOwnerId, 'owner')
    const joining = joiningSince === null ? [] : readOutsiders(tx, joiningSince)
    for (const userId of joining) join(userId, isAdministrator(permissions, userId) ? 'admin' : 'member')
    const records = permissions.adoptRecords(tx, organizationId, homes)
    putSwitch(tx, { organizationId, offSince: null })
    return { organizationId, members: joining.length, records }
  })
  if (done !== null) host.log.info(done, 'Organizations are on: what was in none is in the first one now.')
}

function addOrganization(tx: Tx, id: string, now: string): string {
  let slug = 'workspace'
  for (let number = 2; readOrganizationId(tx, 'slug', slug) !== undefined; number += 1) slug = `workspace-${number}`
  insertOrganization(tx, { id, name: 'Workspace', slug }, now)
  return id
}
