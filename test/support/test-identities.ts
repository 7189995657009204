// People for tests of rights: a plugin in the place of `auth` that knows the users a test names and takes
// `Bearer test-user-N` for the N-th of them. Everything behind it, from the credential on, is the real host.
import { corePlugins, optionalPlugins } from '#main/host.ts'
import type { Caller, CredentialScope } from '#main/kernel/identity.ts'
import type { PluginDefinition } from '#main/kernel/plugin.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import type { AuthService, AuthUser, Membership } from '#main/plugins/auth/api.ts'
import { absenceFrom } from '#main/plugins/auth/service/absence.ts'
import type { Answer, TestHost } from './create-test-host.ts'
import { createTestHost } from './create-test-host.ts'

/** What a test says of one user. */
export interface TestUser {
  readonly email?: string
  /** The active organization of the session. */
  readonly organizationId?: string
  readonly memberships?: readonly Membership[]
  /** Makes the credential an API key of this scope. */
  readonly scope?: CredentialScope
  /** Acts as the user of this number, with a scope of its own: another credential of the same person. */
  readonly sameAs?: number
}

/** Whether organizations are on, and who there is. */
export interface TestPeople {
  readonly users: readonly TestUser[]
  readonly organizations?: boolean
}

/** The id of the N-th user. */
export function testUserId(number: number): string {
  return `0190f2a4-0000-7000-8000-${String(number).padStart(12, '0')}`
}

/** The header that makes a call one of the N-th user. */
export function asTestUser(number: number): Record<string, string> {
  return { authorization: `Bearer test-user-${number}` }
}

/** Every plugin, with these people in the place of accounts. */
export function testIdentityPlugins(people: TestPeople): PluginDefinition[] {
  const idOf = (number: number): string => testUserId(people.users[number]?.sameAs ?? number)
  const users = people.users.map((user, number): AuthUser => ({
    id: idOf(number),
    name: `Test user ${number}`,
    email: user.email ?? `user-${number}@example.org`,
    username: null,
    image: null,
    banned: false,
  }))
  const teams = people.users.flatMap(({ memberships = [] }) =>
    memberships.flatMap(({ organizationId, teams: ids }) => ids.map((id) => ({ id, organizationId, name: id }))),
  )
  const caller = (token: string): Caller | null => {
    const number = /^test-user-(\d+)$/.exec(token)?.[1]
    const user = number === undefined ? undefined : people.users[Number(number)]
    if (user === undefined) return null
    return {
      actor: { type: 'user', id: idOf(Number(number)) },
      credential: user.scope === undefined ? 'session' : 'api-key',
      organizationId: user.organizationId ?? null,
      credentialId: token,
      byCookie: false,
      ...(user.scope === undefined ? {} : { scope: user.scope }),
    }
  }
  const identities = definePlugin({
    id: 'auth',
    version: '1.0.0',
    register(host) {
      host.setIdentities({ byBearer: caller, byApiKey: caller, byCookie: () => undefined })
      const accounts: AuthService = {
        user: (id) => users.find((user) => user.id === id),
        users: ({ query = '', limit = 50 } = {}) =>
          users.filter(({ name }) => name.toLowerCase().includes(query.toLowerCase())).slice(0, limit),
        keyScope: (_user, key) => people.users[Number(/\d+$/.exec(key)?.[0])]?.scope,
        memberships: (id) => people.users[users.findIndex((user) => user.id === id)]?.memberships ?? [],
        teams: (organizationId) => teams.filter((team) => team.organizationId === organizationId),
        team: (id) => teams.find((team) => team.id === id),
        teamMembers: (id) =>
          people.users.flatMap(({ memberships = [] }, index) =>
            memberships.some((one) => one.teams.includes(id)) ? [users[index]!.id] : [],
          ),
        hasOrganizations: people.organizations === true,
        firstOrganization: () => undefined,
        hasOwnerPassword: () => false,
        waitingMail: () => undefined,
        isSelfMade: () => false,
        endSessions: async () => undefined,
        absence: (id, place) => absenceFrom(accounts, id, place),
      }
      host.provide('auth', accounts)
    },
  })
  return [...corePlugins, ...optionalPlugins.filter(({ id }) => id !== 'auth'), identities]
}

/** Calls as one user. */
export interface UserCalls {
  readonly id: string
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  put(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  patch(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  delete(path: string, headers?: Record<string, string>): Promise<Answer>
}

/** A host with people; calls without a user are those of the local owner. */
export interface PeopledHost extends TestHost {
  as(number: number): UserCalls
  /** Gives a user exactly this; what is left out is the default. */
  assign(
    number: number,
    given: { profile?: string; roles?: readonly string[]; permissionSets?: readonly string[] },
  ): Promise<void>
  /** Saves an item of metadata; fails the test when it is refused. */
  saveItem(type: string, name: string, item: Record<string, unknown>): Promise<void>
}

/** Starts a host with people; `change` may replace plugins. @param options `dataDir`: a folder that stays the caller's */
export async function createPeopledHost(
  people: TestPeople,
  change: (plugins: PluginDefinition[]) => PluginDefinition[] = (plugins) => plugins,
  options: { readonly dataDir?: string } = {},
): Promise<PeopledHost> {
  const host = await createTestHost({ ...options, plugins: change(testIdentityPlugins(people)) })
  const as = (number: number): UserCalls => {
    const mine = asTestUser(number)
    return {
      id: testUserId(people.users[number]?.sameAs ?? number),
      get: (path, headers) => host.get(path, { ...mine, ...headers }),
      post: (path, body, headers) => host.post(path, body, { ...mine, ...headers }),
      put: (path, body, headers) => host.put(path, body, { ...mine, ...headers }),
      patch: (path, body, headers) => host.patch(path, body, { ...mine, ...headers }),
      delete: (path, headers) => host.delete(path, { ...mine, ...headers }),
    }
  }
  const saveItem: PeopledHost['saveItem'] = async (type, name, item) => {
    const answer = await host.put(`/meta/${type}/${name}`, { type, name, item: { name, ...item } })
    if (answer.status !== 200) throw new Error(`${type} ${name} was refused: ${JSON.stringify(answer.body)}`)
  }
  return Object.assign(Object.create(host) as TestHost, {
    as,
    saveItem,
    async assign(number: number, given: Parameters<PeopledHost['assign']>[1]) {
      const body = { profile: 'standard', roles: [], permissionSets: [], ...given }
      const answer = await host.put(`/permissions/assignments/${as(number).id}`, body)
      if (answer.status !== 200) throw new Error(`The assignment was refused: ${JSON.stringify(answer.body)}`)
    },
  })
}
