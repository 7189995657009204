// Two paired hosts with a network between them that a test cuts and mends, and what must hold of both once it is mended.
import { startFaultProxy } from './fault-proxy.ts'
import type { FaultProxy } from './fault-proxy.ts'
import type { TestHost } from './create-test-host.ts'
import { createTestHost } from './create-test-host.ts'
import { pair, startFounder, until } from './synced-hosts.ts'

/** Two hosts of one workspace that only reach each other through a network of the test. */
export interface CutHosts {
  readonly desk: TestHost
  readonly laptop: TestHost
  readonly network: FaultProxy
  /** Cuts the network; resolves when both know. */
  part(): Promise<void>
  /** Mends the network; resolves when both hold the same. */
  join(): Promise<void>
  /** Resolves when both have on disk what the other one wrote, and their documents are equal. */
  agree(): Promise<void>
  stop(): Promise<void>
}

/** The port of an address as the host names it. */
const portOf = (address: string): number => Number(address.slice(address.lastIndexOf(':') + 1))

/** Starts and pairs two hosts; `prepare` runs on the first one before. */
export async function startCutHosts(prepare: (desk: TestHost) => Promise<void>): Promise<CutHosts> {
  const desk = await startFounder('Desk')
  const laptop = await createTestHost()
  await prepare(desk)
  await pair(desk, laptop)
  const { listening } = (await desk.get('/sync/settings')).body
  const network = await startFaultProxy(portOf(listening[0]))
  const [other] = (await laptop.get('/sync/peers')).body.peers
  const moved = await laptop.patch(`/sync/peers/${other.id}`, { address: `127.0.0.1:${network.port}` })
  if (moved.status !== 200) throw new Error(`The address was refused: ${JSON.stringify(moved.body)}`)
  // Parted once, they meet again through the network alone.
  await laptop.patch(`/sync/peers/${other.id}`, { paused: true })
  await known('connected', false)
  await laptop.patch(`/sync/peers/${other.id}`, { paused: false })
  await known('connected', true)

  async function known(state: string, is: boolean): Promise<void> {
    for (const host of [desk, laptop])
      await until(`the other one is ${is ? '' : 'not '}${state}`, async () => {
        const { peers } = (await host.get('/sync/peers')).body
        return (peers[0].state === state) === is
      })
  }

  const self: CutHosts = {
    desk,
    laptop,
    network,
    async part() {
      network.refuse()
      await known('connected', false)
    },
    async join() {
      network.heal()
      await laptop.post(`/sync/peers/${other.id}/reconnect`)
      await known('connected', true)
      await self.agree()
    },
    async agree() {
      for (const host of [desk, laptop]) {
        const { body } = await host.post('/sync/barrier', { on: 'all', timeoutMs: 20_000 })
        if (body.reached !== true) throw new Error(`Not everything arrived: ${JSON.stringify(body)}`)
      }
      await until('both hold the same', async () => {
        const [here, there] = await Promise.all(
          [desk, laptop].map(async (host) => (await host.get('/sync/diagnostics')).body),
        )
        return here.digest !== null && here.digest === there.digest
      })
    },
    async stop() {
      await laptop.stop()
      await desk.stop()
      await network.close()
    },
  }
  return self
}
