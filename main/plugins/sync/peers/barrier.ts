// Waits until what this machine wrote is on disk elsewhere. Knows whom a barrier is about, no frame.
import type { z } from 'zod'
import type { SyncBarrier } from '#shared/contracts/sync-parts.ts'
import { relayId } from './peer-store.ts'
import type { Running } from './running.ts'

/** What is waited for. */
export interface BarrierWish {
  readonly on: 'relay' | 'any' | 'all'
  /** On how many of them; one, or all of them for `all`. */
  readonly devices: number | undefined
  readonly timeoutMs: number
}

/** What became of it. */
export type BarrierAnswer = z.output<typeof SyncBarrier>

/** Waits; resolves in time whatever happens. */
export async function waitForPeers(running: Running, wish: BarrierWish): Promise<BarrierAnswer> {
  const { engine, incarnation, sessions } = running
  const position = { inc: incarnation.inc, seq: engine.replica.vector().get(incarnation.inc) ?? 0 }
  const ids = running
    .peers()
    .filter(({ state }) => state !== 'unpaired')
    .map(({ id }) => id)
    // All machines are meant; a relay is none of them.
    .filter((id) => (wish.on === 'relay' ? id === relayId : wish.on === 'any' || id !== relayId))
  // Who said so before it left needs not be asked.
  const had = ids.filter((id) => (running.acked(id).get(position.inc) ?? 0) >= position.seq)
  const asked = ids.filter((id) => !had.includes(id))
  const needed = (wish.devices ?? (wish.on === 'all' ? ids.length : 1)) - had.length
  if (needed <= 0 || asked.length < needed)
    return { reached: ids.length > 0 && needed <= 0, position, durableOn: had, missing: asked, waitedMs: 0 }
  const found = await sessions.barrier(wish.timeoutMs, asked, needed)
  return {
    reached: found.reached,
    position,
    durableOn: [...had, ...found.durableOn],
    missing: [...found.missing],
    waitedMs: found.waitedMs,
  }
}
