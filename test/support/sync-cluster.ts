// Several hosts and a relay as processes of their own, in one workspace, each way between two of them through a failing
// network. Knows how they are started, joined and hurt, nothing of what is written.
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChildServer } from '../safety/child-server.ts'
import type { ChildServer } from '../safety/child-server.ts'
import { startFaultProxy } from './fault-proxy.ts'
import type { FaultProxy } from './fault-proxy.ts'
import { findFreePort } from './free-port.ts'
import { startRelayProcess } from './relay-process.ts'
import type { RelayProcess } from './relay-process.ts'
import type { Invited, PairingHost } from './synced-hosts.ts'
import { beginPairing, until } from './synced-hosts.ts'

/** A parsed answer. */
export interface NodeAnswer {
  readonly status: number
  // oxlint-disable-next-line no-explicit-any -- tests reach into bodies freely
  readonly body: any
}

/** One of the hosts. */
export interface ClusterNode {
  readonly name: string
  readonly dataDir: string
  readonly database: string
  /** The process now; another one after each start. */
  readonly server: () => ChildServer
  /** A call below `/api/v1`. @throws Error when the connection breaks */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<NodeAnswer>
  /** Ends the process. */
  end(signal: NodeJS.Signals): Promise<void>
  start(): Promise<void>
  /** Every way to and from this host, that to the relay included. */
  readonly ways: () => readonly FaultProxy[]
}

/** The hosts and what is between them. */
export interface SyncCluster {
  readonly nodes: readonly ClusterNode[]
  endRelay(signal: NodeJS.Signals): Promise<void>
  startRelay(): Promise<void>
  /** Every way in the network. */
  readonly ways: () => readonly FaultProxy[]
  readonly waysToRelay: () => readonly FaultProxy[]
  stop(): Promise<void>
}

const startMs = 120_000

/** How a cluster may differ. */
export interface ClusterOptions {
  /** Of the hosts; three by default. */
  readonly names?: readonly string[]
  /** What is started as a host; the program itself by default. */
  readonly entry?: string
  /** Whose machine each but the first is; one of the same person by default. */
  readonly invited?: (name: string) => Invited
}

/** Starts everything and resolves once all know each other. */
export async function startSyncCluster(
  define: (founder: ClusterNode) => Promise<void>,
  { names = ['Desk', 'Laptop', 'Phone'], entry, invited = () => ({}) }: ClusterOptions = {},
): Promise<SyncCluster> {
  const root = mkdtempSync(join(tmpdir(), 'cairn-cluster-'))
  const relayPort = await findFreePort()
  const proxies = new Map<string, FaultProxy>()
  let relay: RelayProcess | undefined

  async function startRelay(): Promise<void> {
    const started = await startRelayProcess(['--data', join(root, 'relay'), '--port', String(relayPort)])
    if ('error' in started) throw new Error(`The relay did not start: ${started.error}`)
    relay = started
  }

  const nodes = names.map((name) =>
    createNode({ name, dataDir: join(root, name), ...(entry !== undefined && { entry }) }, proxies),
  )
  const cluster: SyncCluster = {
    nodes,
    async endRelay(signal) {
      await relay?.end(signal)
      relay = undefined
    },
    startRelay,
    ways: () => [...proxies.values()],
    waysToRelay: () => [...proxies].filter(([way]) => way.endsWith('>relay')).map(([, proxy]) => proxy),
    async stop() {
      await Promise.all(nodes.map((node) => node.end('SIGKILL')))
      await relay?.end('SIGKILL')
      for (const proxy of proxies.values()) await proxy.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
  try {
    await startRelay()
    for (const node of nodes) await node.start()
    const ports = new Map<string, number>()
    for (const { name } of nodes) ports.set(name, await findFreePort())
    for (const from of names) {
      for (const to of names) if (from !== to) proxies.set(`${from}>${to}`, await startFaultProxy(ports.get(to)!))
      proxies.set(`${from}>relay`, await startFaultProxy(relayPort))
    }
    await joinAll(nodes, { ports, proxies, relay: relay!, define, invited })
    return cluster
  } catch (error) {
    await cluster.stop()
    throw error
  }
}

function createNode(
  place: { readonly name: string; readonly dataDir: string; readonly entry?: string },
  proxies: ReadonlyMap<string, FaultProxy>,
): ClusterNode {
  const { name, dataDir } = place
  let server: ChildServer | undefined
  const running = (): ChildServer => {
    if (server === undefined) throw new Error(`${name} does not run.`)
    return server
  }
  return {
    name,
    dataDir,
    database: join(dataDir, 'cairn.db'),
    server: running,
    async call(method, path, body, headers) {
      const { status, text } = await (headers === undefined
        ? running().call(method, `/api/v1${path}`, body)
        : callWith(headers, running(), method, path, body))
      return { status, body: text === '' ? undefined : JSON.parse(text) }
    },
    async end(signal) {
      const ending = server
      server = undefined
      await ending?.end(signal)
    },
    async start() {
      server = await startChildServer(place)
    },
    ways: () => [...proxies].filter(([way]) => way.split('>').includes(name)).map(([, proxy]) => proxy),
  }
}

async function joinAll(
  nodes: readonly ClusterNode[],
  {
    ports,
    proxies,
    relay,
    define,
    invited,
  }: {
    readonly ports: ReadonlyMap<string, number>
    readonly proxies: ReadonlyMap<string, FaultProxy>
    readonly relay: RelayProcess
    readonly define: (founder: ClusterNode) => Promise<void>
    readonly invited: (name: string) => Invited
  },
): Promise<void> {
  const [founder, ...others] = nodes as [ClusterNode, ...ClusterNode[]]
  const relayOf = (name: string) => ({
    relayUrl: `wss://127.0.0.1:${proxies.get(`${name}>relay`)!.port}`,
    relayFingerprint: relay.fingerprint,
  })
  for (const node of nodes) {
    const where = { listen: true, interfaces: ['127.0.0.1'], port: ports.get(node.name)! }
    await expectCall(node, 200, 'PATCH', '/sync/settings', where)
  }
  await expectCall(founder, 202, 'POST', '/sync/enable', { deviceName: founder.name })
  const token = { relayToken: relay.token }
  await expectCall(founder, 200, 'PATCH', '/sync/settings', { ...relayOf(founder.name), ...token })
  await define(founder)
  for (const node of others) await pairNode(founder, node, invited(node.name))
  const ids = new Map<string, string>()
  for (const node of nodes) ids.set(node.name, (await node.call('GET', '/sync/status')).body.device.id)
  for (const node of nodes) {
    await until(
      `${node.name} knows the others`,
      async () => {
        const { peers } = (await node.call('GET', '/sync/peers')).body
        return nodes.every(
          ({ name }) => name === node.name || peers.some((one: { id: string }) => one.id === ids.get(name)),
        )
      },
      startMs,
    )
    // From now on every way leads through the network that fails.
    await expectCall(node, 200, 'PATCH', '/sync/settings', { paused: true, ...relayOf(node.name) })
    for (const { name } of nodes) {
      if (name === node.name) continue
      const address = `127.0.0.1:${proxies.get(`${node.name}>${name}`)!.port}`
      await expectCall(node, 200, 'PATCH', `/sync/peers/${ids.get(name)!}`, { address })
    }
  }
  for (const node of nodes) await expectCall(node, 200, 'PATCH', '/sync/settings', { paused: false })
}

const callsOf = (node: ClusterNode): PairingHost => ({
  get: (path) => node.call('GET', path),
  post: (path, body) => node.call('POST', path, body),
})

async function pairNode(founder: ClusterNode, node: ClusterNode, invited: Invited): Promise<void> {
  const { inviterId, joinerId } = await beginPairing(callsOf(founder), callsOf(node), node.name, invited)
  for (const [one, id] of [
    [founder, inviterId],
    [node, joinerId],
  ] as const)
    await expectCall(one, 200, 'POST', `/sync/pairing/${id}/confirm`, { matches: true })
  const state = await until(
    `${node.name} is paired`,
    async () => {
      const { body } = await node.call('GET', `/sync/pairing/${joinerId}`)
      return ['done', 'failed', 'expired'].includes(body.state) ? JSON.stringify(body) : undefined
    },
    startMs,
  )
  if (!state.includes('"done"')) throw new Error(`The pairing came to nothing: ${state}`)
}

/** Calls and answers the body. @throws Error for another status than the one expected */
export async function expectCall(
  node: ClusterNode,
  status: number,
  method: string,
  path: string,
  body?: unknown,
): Promise<NodeAnswer['body']> {
  const answer = await node.call(method, path, body)
  if (answer.status !== status)
    throw new Error(`${node.name}: ${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

async function callWith(
  headers: Record<string, string>,
  { url, token }: ChildServer,
  method: string,
  path: string,
  body: unknown,
): Promise<{ status: number; text: string }> {
  const answer = await fetch(new URL(`/api/v1${path}`, url), {
    method,
    headers: { ...headers, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: answer.status, text: await answer.text() }
}

/** Copies a database nobody has open, or puts a copy back in its place. */
export function copyDatabase(from: string, to: string): void {
  copyFileSync(from, to)
  for (const part of ['-wal', '-shm']) {
    rmSync(to + part, { force: true })
    if (existsSync(from + part)) copyFileSync(from + part, to + part)
  }
}
