// Real hosts that take part in one workspace: paired over the API, connected with TLS on loopback.
import { corePlugins, optionalPlugins } from '#main/host.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { TestHost } from './create-test-host.ts'
import { createTestHost } from './create-test-host.ts'

/**
 * Leaves out backups: each starts a process, before sync is turned on, before an invite and before a join. That they are
 * made is for the tests of the API to prove.
 */
export function withoutBackups<T extends { readonly id: string }>(plugins: readonly T[]): T[] {
  return plugins.filter(({ id }) => id !== 'backup')
}

/** Starts a host for tests of what machines share; it makes no backups. */
export function createSyncedHost(options: { readonly clock?: Clock } = {}): Promise<TestHost> {
  return createTestHost({ ...options, plugins: withoutBackups([...corePlugins, ...optionalPlugins]) })
}

/** Waits until `look` answers something; fails with `what` after `ms`. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false | null> | T | undefined | false | null,
  ms = 20_000,
): Promise<T> {
  const end = Date.now() + ms
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false && found !== null) return found
    if (Date.now() > end) throw new Error(`Waited too long: ${what}.`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

/** Starts a host that has founded a workspace and listens on loopback. */
export async function startFounder(name = 'Study'): Promise<TestHost> {
  const host = await createSyncedHost()
  await listen(host)
  const { status, body } = await host.post('/sync/enable', { deviceName: name })
  if (status !== 202) throw new Error(`Sync could not be turned on: ${JSON.stringify(body)}`)
  return host
}

/** Lets a host be reached on loopback at a port of the system's choice. */
export async function listen(host: TestHost): Promise<void> {
  const { status, body } = await host.patch('/sync/settings', { listen: true, interfaces: ['127.0.0.1'], port: 0 })
  if (status !== 200) throw new Error(`Nobody can connect: ${JSON.stringify(body)}`)
}

/** What pairing asks of a host: calls below `/api/v1` in the name of its owner. */
export interface PairingHost {
  // oxlint-disable-next-line no-explicit-any -- tests reach into bodies freely
  get(path: string): Promise<{ readonly body: any }>
  // oxlint-disable-next-line no-explicit-any -- tests reach into bodies freely
  post(path: string, body?: unknown): Promise<{ readonly status: number; readonly body: any }>
}

/** Whom an invite is for, where that is not another machine of the inviting person. */
export interface Invited {
  readonly role?: 'admin' | 'member'
  readonly user?: string
}

/** A pairing that waits for both people. */
export interface OpenPairing {
  readonly invite: { pairingId: string; code: string; link: string; addresses: string[]; fingerprint: string }
  readonly inviterId: string
  readonly joinerId: string
}

/** Invites and joins, until both have the number to compare: the joiner is answered before the inviter has it. */
export async function beginPairing(
  inviter: PairingHost,
  joiner: PairingHost,
  name = 'Laptop',
  invited: Invited = {},
  own: { readonly keepOwn?: boolean } = {},
): Promise<OpenPairing> {
  const { status: made, body: invite } = await inviter.post('/sync/pairing', invited)
  if (made !== 201) throw new Error(`Nobody was invited: ${JSON.stringify(invite)}`)
  const { status, body } = await joiner.post('/sync/pairing/join', { link: invite.link, deviceName: name, ...own })
  if (status !== 202) throw new Error(`The workspace could not be joined: ${JSON.stringify(body)}`)
  await until('the inviter compares', async () => {
    const { state } = (await inviter.get(`/sync/pairing/${invite.pairingId}`)).body
    return state !== 'waiting'
  })
  return { invite, inviterId: invite.pairingId, joinerId: body.pairingId }
}

/** Pairs two hosts; resolves when the joiner has all the workspace holds. */
export async function pair(
  inviter: PairingHost,
  joiner: PairingHost,
  name = 'Laptop',
  invited: Invited = {},
  own: { readonly keepOwn?: boolean } = {},
): Promise<OpenPairing> {
  const open = await beginPairing(inviter, joiner, name, invited, own)
  const sides = [
    [inviter, open.inviterId],
    [joiner, open.joinerId],
  ] as const
  for (const [host, id] of sides) {
    const { status, body } = await host.post(`/sync/pairing/${id}/confirm`, { matches: true })
    if (status !== 200) throw new Error(`The pairing could not be confirmed: ${JSON.stringify(body)}`)
  }
  for (const [host, id] of sides) {
    const end = await until('the pairing ends', async () => {
      const { body } = await host.get(`/sync/pairing/${id}`)
      return ['done', 'failed', 'expired'].includes(body.state) ? body : undefined
    })
    if (end.state !== 'done') throw new Error(`The pairing came to nothing: ${JSON.stringify(end)}`)
  }
  return open
}

/** Waits until hosts have the same; conflicts may be open. */
export async function inStep(hosts: readonly TestHost[]): Promise<void> {
  await until('all are in step', async () => {
    const states = await Promise.all(hosts.map(async (host) => (await host.get('/sync/status')).body))
    return states.every(({ state, reason }) => state === 'up_to_date' || reason === 'conflicts')
  })
}

/** Cuts a host off from the others, or lets it meet them again; resolves when that counts. */
export async function pause(host: TestHost, paused: boolean): Promise<void> {
  await host.patch('/sync/settings', { paused })
  const isOffline = async (): Promise<boolean> => (await host.get('/sync/status')).body.state === 'offline'
  await until('the pause counts', async () => (await isOffline()) === paused)
}

/** Works while one host is cut off from the others, then waits until they have the same. */
export async function apart(cutOff: TestHost, others: readonly TestHost[], work: () => Promise<void>): Promise<void> {
  await cutOff.patch('/sync/settings', { paused: true })
  await work()
  await cutOff.patch('/sync/settings', { paused: false })
  await inStep([cutOff, ...others])
}
