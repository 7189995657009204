// Two real hosts with a browser each and a network between them that a test cuts and mends. Knows the API, no screen.
import { expect } from 'vitest'
import type { FaultProxy } from '../support/fault-proxy.ts'
import { startFaultProxy } from '../support/fault-proxy.ts'
import type { ConsoleBench } from './open-console.ts'
import { openBench } from './open-console.ts'

/** Two hosts, not paired yet. */
export interface TwoBenches {
  /** The host that founds the workspace. */
  readonly desk: ConsoleBench
  readonly laptop: ConsoleBench
  /** Stands in front of the desk once it listens. @throws Error while it does not */
  network(): Promise<FaultProxy>
  /** Lets the laptop know no other way to the desk than the network. */
  tie(): Promise<void>
  /** Cuts the network; resolves when both know. */
  part(): Promise<void>
  /** Mends the network and tries it at once. */
  join(): Promise<void>
  /** What both hold of a record, without what each keeps for itself. */
  records(object: string, id: string): Promise<readonly unknown[]>
  /** How many conflicts each of the two has to decide. */
  open(): Promise<readonly number[]>
  stop(): Promise<void>
}

interface Peers {
  readonly peers: readonly { readonly id: string; readonly state: string }[]
}

/** Starts them. */
export async function openTwoBenches(): Promise<TwoBenches> {
  const [desk, laptop] = [await openBench(), await openBench()]
  let proxy: FaultProxy | undefined

  const others = async (bench: ConsoleBench): Promise<Peers['peers']> =>
    (await bench.api<Peers>('GET', '/sync/peers')).peers
  const areLinked = async (): Promise<boolean[]> =>
    Promise.all([desk, laptop].map(async (bench) => (await others(bench))[0]?.state === 'connected'))

  const self: TwoBenches = {
    desk,
    laptop,
    async network() {
      if (proxy !== undefined) return proxy
      const { listening } = await desk.api<{ listening: string[] }>('GET', '/sync/settings')
      const port = Number(listening[0]?.split(':').at(-1))
      if (!(port > 0)) throw new Error('The desk does not listen.')
      proxy = await startFaultProxy(port)
      return proxy
    },
    async tie() {
      const address = `127.0.0.1:${(await self.network()).port}`
      const [peer] = await others(laptop)
      await laptop.api('PATCH', `/sync/peers/${peer!.id}`, { address })
    },
    async part() {
      ;(await self.network()).refuse()
      await expect.poll(areLinked, { timeout: 20_000 }).toEqual([false, false])
    },
    async join() {
      ;(await self.network()).heal()
      const [peer] = await others(laptop)
      await laptop.api('POST', `/sync/peers/${peer!.id}/reconnect`)
      await expect.poll(areLinked, { timeout: 20_000 }).toEqual([true, true])
    },
    async records(object, id) {
      return Promise.all(
        [desk, laptop].map(async (bench) => {
          const { record } = await bench.api<{ record: object }>('GET', `/data/${object}/${id}`)
          return { ...record, updated_at: '' }
        }),
      )
    },
    async open() {
      return Promise.all(
        [desk, laptop].map(async (bench) => (await bench.api<{ total: number }>('GET', '/sync/conflicts')).total),
      )
    },
    async stop() {
      await laptop.stop()
      await desk.stop()
      await proxy?.close()
    },
  }
  return self
}
