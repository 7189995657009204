// Who was given what, in memory: assignments, sets, roles and memberships put together to the rights of a caller. Kept
// until anything of it changes; a change counts on the next request (C5).
import { canonicalHash } from '#main/kernel/canonical-json.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { localOwnerId } from '#main/kernel/context.ts'
import type { Reads, Tx } from '#main/kernel/database.ts'
import type { AuthService } from '#main/plugins/auth/api.ts'
import type { MetadataItem, MetadataService } from '#main/plugins/metadata/api.ts'
import type { Assignments } from '../api.ts'
import { deleteSharesOf, hasShares, putAssignments, readAssignments } from '../store.ts'
import { administratorProfile, guestProfile, standardProfile } from './delivered-profiles.ts'
import type { RightSource, UserRights } from './user-rights.ts'
import { createUserRights } from './user-rights.ts'
import { asksForMoment, rightSetOf } from './right-set.ts'
import { rolesBelow } from './role-tree.ts'

/** What a caller may do, as far as it follows from who it is. */
export interface CallerRights {
  /** Whether the user's profile is that of administrators, which no overlay narrows. */
  readonly isAdministrator: boolean
  readonly own: UserRights
  /** What the credential narrows the rights to; null for nothing. */
  readonly narrowed: UserRights | null
  /** Whether no row rule asks for the moment: then the same records are covered until a right or a record changes. */
  readonly isTimeless: boolean
  /** Text that changes with the rights. */
  readonly fingerprint: string
}

/** The directory; one per host. */
export interface Directory {
  /** The rights of the user in a context; the same value until something changes. */
  rightsOf(ctx: Pick<RequestContext, 'actor' | 'organizationId' | 'scope' | 'permissionEpoch'>): CallerRights
  /** What a role gives by itself; undefined when there is none of that name. */
  rightsOfRole(role: string): { readonly rights: UserRights; readonly permissionSets: readonly string[] } | undefined
  /** @see PermissionsService.assignments */
  assignments(userId: string, tx?: Tx): Assignments
  /** @see PermissionsService.assign */
  assign(tx: Tx, userId: string, assignments: Assignments): void
  /**
   * Takes a profile, role or permission set that goes from everybody who has it; without a profile one is a guest.
   * @returns who had it, what they had before and what they have now
   */
  withdraw(tx: Tx, type: GivenType, name: string): Withdrawn[]
  /** Forgets everything that was worked out. */
  forget(): void
}

/** Types of items that users are given by name. */
export type GivenType = 'profile' | 'role' | 'permission'

/** Somebody from whom something was taken. */
export interface Withdrawn {
  readonly userId: string
  readonly before: Assignments
  readonly next: Assignments
}

/** What the directory works with. */
export interface DirectoryParts {
  readonly read: Reads
  readonly metadata: MetadataService
  readonly auth: () => AuthService | undefined
  /** Called after COMMIT of a change that may concern any right. */
  readonly changed: () => void
}

const maxRemembered = 5_000

/** Makes the directory; reads every assignment once. */
export function createDirectory({ read, metadata, auth, changed }: DirectoryParts): Directory {
  const stored = readAssignments(read)
  let remembered = new Map<string, CallerRights>()
  let metadataEpoch = -1
  let permissionEpoch = 0

  const defaultProfile = (): string =>
    metadata.list('profile').find(({ name, item }) => item['isDefault'] === true && name !== standardProfile)?.name ??
    standardProfile

  const assignments: Directory['assignments'] = (userId, tx) => {
    const known = tx === undefined ? stored : readAssignments(tx, userId)
    const given = known.get(userId) ?? { profile: defaultProfile(), roles: [], permissionSets: [] }
    // The local owner can never be shut out.
    return userId === localOwnerId ? { ...given, profile: administratorProfile } : given
  }

  const itemSource = (
    source: RightSource['source'],
    name: string,
    item: MetadataItem | undefined,
    set?: string,
  ): RightSource[] =>
    item === undefined ? [] : [{ source, name, ...(set === undefined ? {} : { set }), rights: rightSetOf(item.item) }]

  const roleSources = (source: 'role' | 'organization', role: string): RightSource[] =>
    setsOf(metadata.get('role', role)).flatMap((set) => itemSource(source, role, metadata.get('permission', set), set))

  const workOut = ({
    actor,
    organizationId,
    scope,
  }: Pick<RequestContext, 'actor' | 'organizationId' | 'scope'>): CallerRights => {
    const userId = actor.id
    const given = assignments(userId)
    const accounts = auth()
    const membership =
      organizationId === null
        ? undefined
        : accounts?.memberships(userId).find((one) => one.organizationId === organizationId)
    const sources: RightSource[] = [
      ...itemSource('profile', given.profile, metadata.get('profile', given.profile)),
      ...given.permissionSets.flatMap((set) => itemSource('permission', set, metadata.get('permission', set))),
      ...given.roles.flatMap((role) => roleSources('role', role)),
      ...(membership === undefined ? [] : roleSources('organization', `organization_${membership.role}`)),
    ]
    const below = rolesBelow(metadata.list('role'), given.roles)
    const subordinates =
      below.size === 0
        ? []
        : [...stored].flatMap(([id, { roles }]) => (id !== userId && roles.some((role) => below.has(role)) ? [id] : []))
    const principals = [
      `user:${userId}`,
      ...given.roles.map((role) => `role:${role}`),
      ...(membership?.teams ?? []).map((team) => `team:${team}`),
    ]
    const shared = {
      user: {
        id: userId,
        email: accounts?.user(userId)?.email ?? null,
        roles: given.roles,
        profile: given.profile,
        organizationId,
      },
      principals,
      hasShares: (objectUid: string) => hasShares(read, objectUid, principals),
      subordinates,
      schemaOf: metadata.objectSchema,
    }
    const names = scope?.permissionSets ?? null
    const narrowing =
      names === null ? null : names.flatMap((set) => itemSource('permission', set, metadata.get('permission', set)))
    return {
      isAdministrator: given.profile === administratorProfile,
      own: createUserRights({ ...shared, sources }),
      narrowed: narrowing === null ? null : createUserRights({ ...shared, sources: narrowing }),
      isTimeless: ![...sources, ...(narrowing ?? [])].some(({ rights }) => asksForMoment(rights)),
      fingerprint: canonicalHash([
        shared.principals,
        given.profile,
        sources.map(printed),
        narrowing?.map(printed) ?? null,
        scope?.readOnly ?? false,
        organizationId,
      ]).slice(0, 32),
    }
  }

  const forget = (): void => {
    remembered = new Map()
  }

  const assign: Directory['assign'] = (tx, userId, given) => {
    const next = {
      profile: userId === localOwnerId ? administratorProfile : given.profile,
      roles: [...new Set(given.roles)],
      permissionSets: [...new Set(given.permissionSets)],
    }
    putAssignments(tx, userId, next)
    tx.afterCommit(() => {
      stored.set(userId, next)
      forget()
      changed()
    })
  }

  return {
    rightsOf(ctx) {
      if (metadata.epoch() !== metadataEpoch || ctx.permissionEpoch > permissionEpoch) {
        metadataEpoch = metadata.epoch()
        permissionEpoch = Math.max(permissionEpoch, ctx.permissionEpoch)
        forget()
      }
      const key = keyOf(ctx)
      let rights = remembered.get(key)
      if (rights === undefined) {
        if (remembered.size >= maxRemembered) forget()
        remembered.set(key, (rights = workOut(ctx)))
      }
      return rights
    },
    rightsOfRole(role) {
      const item = metadata.get('role', role)
      if (item === undefined) return undefined
      const user = { id: '', email: null, roles: [role], profile: guestProfile, organizationId: null }
      const sources = roleSources('role', role)
      const rights = createUserRights({
        user,
        sources,
        principals: [],
        hasShares: () => false,
        subordinates: [],
        schemaOf: metadata.objectSchema,
      })
      return { rights, permissionSets: setsOf(item) }
    },
    assignments,
    assign,
    withdraw(tx, type, name) {
      // One made under the name later begins with nobody. Read here: more than one may go in a transaction.
      const withdrawn = [...readAssignments(tx)].flatMap(([userId, before]) => {
        const next = withOnly(before, (one, given) => one !== type || given !== name)
        return next === before ? [] : [{ userId, before, next }]
      })
      for (const { userId, next } of withdrawn) assign(tx, userId, next)
      if (type === 'role') deleteSharesOf(tx, `role:${name}`)
      return withdrawn
    },
    forget,
  }
}

/** What is left where only some names may be given; the same value where that is everything. Without a profile one is a guest. */
export function withOnly(given: Assignments, keeps: (type: GivenType, name: string) => boolean): Assignments {
  const profile = keeps('profile', given.profile) ? given.profile : guestProfile
  const roles = given.roles.filter((name) => keeps('role', name))
  const permissionSets = given.permissionSets.filter((name) => keeps('permission', name))
  const count = roles.length + permissionSets.length
  const isSame = profile === given.profile && count === given.roles.length + given.permissionSets.length
  return isSame ? given : { profile, roles, permissionSets }
}

function keyOf({ actor, organizationId, scope }: Pick<RequestContext, 'actor' | 'organizationId' | 'scope'>): string {
  const who = organizationId === null ? actor.id : `${actor.id} ${organizationId}`
  return scope === undefined ? who : `${who} ${scope.readOnly ? 'r' : 'w'} ${JSON.stringify(scope.permissionSets)}`
}

function setsOf(role: MetadataItem | undefined): readonly string[] {
  const sets = role?.item['permissionSets']
  return Array.isArray(sets) ? (sets as string[]) : []
}

function printed({ source, name, set, rights }: RightSource): unknown {
  return [source, name, set ?? null, [...rights.objects], [...rights.fields], [...rights.system], rights.rules]
}
