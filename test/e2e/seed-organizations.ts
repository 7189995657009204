// What the organized workspace of the screens holds: two organizations, members, an invitation, teams.
import type { ConsoleBench } from './open-console.ts'
import { makePerson, password, widenLimits } from './seed-access.ts'

/** Calls the API as a person with {@link password}. */
export type CallAs = <T = Record<string, unknown>>(method: string, path: string, body?: unknown) => Promise<T>

/** Signs a person in and answers calls in their name. */
export async function callAs(bench: ConsoleBench, username: string): Promise<CallAs> {
  const { token } = await bench.api<{ token: string }>('POST', '/auth/login', { username, password })
  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await fetch(`${bench.host.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    const parsed: unknown = await answer.json()
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(parsed)}`)
    return parsed as T
  }
}

/** Makes an account whose address counts as confirmed: only such a one can answer an invitation. */
export async function makeConfirmed(bench: ConsoleBench, name: string, username: string): Promise<string> {
  const userId = await makePerson(bench, name, username)
  await bench.api('POST', '/auth/admin/update-user', { userId, data: { emailVerified: true } })
  return userId
}

/** Ada owns Analytical Engines and is in Bletchley; Grace is in the first with her; Alan owns the second. */
export async function seedOrganizations(bench: ConsoleBench): Promise<void> {
  await widenLimits(bench)
  for (const [name, username] of [
    ['Ada Lovelace', 'ada'],
    ['Grace Hopper', 'grace'],
    ['Alan Turing', 'alan'],
    ['Kay McNulty', 'kay'],
  ] as const)
    await makeConfirmed(bench, name, username)
  const ada = await callAs(bench, 'ada')
  const { id } = await ada<{ id: string }>('POST', '/auth/organization/create', {
    name: 'Analytical Engines',
    slug: 'engines',
  })
  const join = async (from: CallAs, username: string): Promise<void> => {
    const email = `${username}@example.org`
    const made = await from<{ id: string }>('POST', '/auth/organization/invite-member', { email, role: 'member' })
    await (
      await callAs(bench, username)
    )('POST', '/auth/organization/accept-invitation', { invitationId: made.id })
  }
  await join(ada, 'grace')
  const team = await ada<{ id: string }>('POST', '/auth/organization/create-team', { name: 'Weavers' })
  const { members } = await ada<{ members: { userId: string }[] }>(
    'GET',
    `/auth/organization/get-full-organization?organizationId=${id}`,
  )
  for (const { userId } of members) await ada('POST', '/auth/organization/add-team-member', { teamId: team.id, userId })
  await ada('POST', '/auth/organization/invite-member', { email: 'charles@example.org', role: 'admin' })
  const alan = await callAs(bench, 'alan')
  await alan('POST', '/auth/organization/create', { name: 'Bletchley', slug: 'bletchley' })
  await join(alan, 'ada')
  await ada('POST', '/auth/organization/set-active', { organizationId: id })
}
