// A host in a process of its own as the steps of sync ask it: calls of the API, its status, and waiting for it. Knows no
// measure and no goal.
import { setTimeout as pause } from 'node:timers/promises'
import { openWire, wireRequest } from './load.ts'
import type { RunningServer } from './servers.ts'
import { createTarget } from './targets.ts'
import type { Target } from './targets.ts'

/** A parsed body. */
// oxlint-disable-next-line no-explicit-any -- steps reach into bodies freely; the API's own tests guard their shape
export type Loose = any

/** A running host. */
export interface SyncHost {
  readonly server: RunningServer
  readonly target: Target
  readonly url: string
  /** One call below `/api/v1`. @throws Error with the body when it is refused */
  call(method: string, path: string, body?: unknown): Promise<Loose>
  /** The same, answered as the status and the body whatever they are. */
  tryCall(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: Loose }>
  /** Closes the connection of these calls. */
  close(): void
  /** The same, and ends the process. */
  stop(): Promise<void>
}

/** Makes the calls of a server, over one connection of its own that takes one after the other. */
export async function createSyncHost(server: RunningServer): Promise<SyncHost> {
  let wire = await openWire(server.port)
  let last: Promise<unknown> = Promise.resolve()
  const tryCall: SyncHost['tryCall'] = (method, path, body) => {
    const bytes = wireRequest({
      method,
      path: `/api/v1${path}`,
      port: server.port,
      headers: { authorization: `Bearer ${server.token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer = last.then(async () => {
      // A host ends connections on which nothing was asked for a while.
      if (!wire.isOpen) wire = await openWire(server.port)
      const response = await wire.send(bytes)
      const text = response.body.toString()
      return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
    })
    last = answer.catch(() => undefined)
    return answer
  }
  return {
    server,
    target: createTarget(server),
    url: `http://127.0.0.1:${server.port}`,
    tryCall,
    async call(method, path, body) {
      const answer = await tryCall(method, path, body)
      if (answer.status < 400) return answer.body
      throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body).slice(0, 600)}`)
    },
    close: () => wire.close(),
    async stop() {
      wire.close()
      await server.stop()
    },
  }
}

/** How long anything may take before a step gives up. */
const limitMs = 180_000

/** Looks until there is something to see; answers it. @throws Error with `what` after `ms`, three minutes unless given */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false>,
  everyMs = 20,
  ms = limitMs,
): Promise<T> {
  const end = performance.now() + ms
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (performance.now() > end) throw new Error(`waited too long: ${what}`)
    await pause(everyMs)
  }
}

/** The other device as this host sees it. */
export async function otherDevice(host: SyncHost): Promise<Loose> {
  const { peers } = await host.call('GET', '/sync/peers')
  return peers.find(({ kind }: { kind: string }) => kind === 'device')
}

/** Whether a connected host has applied all its peers have told it of. */
export async function hasApplied(host: SyncHost): Promise<boolean> {
  const { state, incoming, counts } = await host.call('GET', '/sync/status')
  if (counts.quarantined > 0) throw new Error(`changes lie aside: ${JSON.stringify(counts)}`)
  // What waits for a definition is tried again by itself.
  if (counts.parked > 0) return false
  if (state === 'offline' || incoming.remaining > 0 || incoming.partial === true) return false
  const { peers } = await host.call('GET', '/sync/peers')
  const connected = peers.filter((peer: Loose) => peer.state === 'connected')
  return connected.length > 0 && connected.every((peer: Loose) => peer.behindThem === 0)
}

/** Waits until hosts have proved that all documents are equal. */
export async function upToDate(...hosts: readonly SyncHost[]): Promise<void> {
  for (const host of hosts) {
    await until('all documents are proved to be equal', async () => {
      const { proof } = await host.call('GET', '/sync/status')
      return proof !== undefined
    })
  }
}
