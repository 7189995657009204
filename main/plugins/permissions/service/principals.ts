// Whom a record can be shared with, and what those are called who have a share. Knows no record and no right.
import type { AuthService } from '#main/plugins/auth/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'

/** Somebody, a role or a team. */
export interface Principal {
  readonly principalType: 'user' | 'role' | 'team'
  readonly principalId: string
  readonly name: string
  /** What tells people of one name apart: the address of an account. */
  readonly detail?: string
}

/** The principals of one host. */
export interface Principals {
  /** Those whose name holds the text, by name; people and teams of the organization where organizations are on. */
  find(organizationId: string | null, text: string): { principals: Principal[]; hasMore: boolean }
  /** What a principal is called; undefined when it is gone. */
  nameOf(type: Principal['principalType'], id: string): string | undefined
  /** Whether there is such a principal; people and teams in the organization where organizations are on. */
  exists(organizationId: string | null, type: Principal['principalType'], id: string): boolean
}

/** Principals answered at once. */
const offered = 20

/** Makes the principals. @param auth accounts; absent where nobody but the local owner exists */
export function createPrincipals(
  metadata: Pick<MetadataService, 'get' | 'list'>,
  auth: () => AuthService | undefined,
  userExists: (id: string) => boolean,
): Principals {
  const labelOf = (name: string): string | undefined => {
    const label = metadata.get('role', name)?.item['label']
    return typeof label === 'string' ? label : undefined
  }

  const isMember = (organizationId: string | null, userId: string): boolean => {
    const accounts = auth()
    if (accounts?.hasOrganizations !== true) return true
    return accounts.memberships(userId).some((membership) => membership.organizationId === organizationId)
  }

  const isTeam = (organizationId: string | null, id: string): boolean => {
    const team = auth()?.team(id)
    return team !== undefined && (auth()?.hasOrganizations !== true || team.organizationId === organizationId)
  }

  const people = (organizationId: string | null, text: string): Principal[] => {
    const found = (auth()?.users({ query: text }) ?? []).filter(
      ({ id, banned }) => !banned && isMember(organizationId, id),
    )
    return found.map(({ id, name, email }) => ({
      principalType: 'user',
      principalId: id,
      name: name === '' ? email : name,
      detail: email,
    }))
  }

  const roles = (): Principal[] =>
    metadata.list('role').map(({ name }) => ({ principalType: 'role', principalId: name, name: labelOf(name) ?? name }))

  const teams = (organizationId: string | null): Principal[] =>
    organizationId === null
      ? []
      : (auth()?.teams(organizationId) ?? []).map(({ id, name }) => ({ principalType: 'team', principalId: id, name }))

  return {
    find(organizationId, text) {
      const searched = text.trim().toLowerCase()
      const named = [...roles(), ...teams(organizationId)].filter(({ name }) => name.toLowerCase().includes(searched))
      const all = [...people(organizationId, searched), ...named].toSorted((one, other) =>
        one.name.localeCompare(other.name),
      )
      return { principals: all.slice(0, offered), hasMore: all.length > offered }
    },
    nameOf(type, id) {
      if (type === 'role') return metadata.get('role', id) === undefined ? undefined : (labelOf(id) ?? id)
      if (type === 'team') return auth()?.team(id)?.name
      const account = auth()?.user(id)
      return account === undefined ? undefined : account.name === '' ? account.email : account.name
    },
    exists: (organizationId, type, id) =>
      type === 'role'
        ? metadata.get('role', id) !== undefined
        : type === 'team'
          ? isTeam(organizationId, id)
          : userExists(id) && isMember(organizationId, id),
  }
}
