// Measures starts: from the start of the process to the first answered read, and the memory held a moment later.
import { setTimeout as sleep } from 'node:timers/promises'
import { makeTasks } from './rows.ts'
import { makeDataDir, removeDataDir, residentMiB, startServer } from './servers.ts'
import type { ServerKind } from './servers.ts'
import { ask, createTarget, seedSeries } from './targets.ts'

/** What one start cost. */
export interface StartCost {
  /** From spawn to the first answered get of a record, in ms. */
  readonly readyMs: number
  /** Resident memory half a second later, child processes included. */
  readonly idleMiB: number
}

/** A start of each, one after the other. */
export interface StartPair {
  readonly cairn: StartCost
  readonly floor: StartCost
}

const idleMs = 500

async function startOnce(kind: ServerKind, dataDir: string): Promise<StartCost> {
  const server = await startServer(kind, dataDir)
  try {
    await ask(server, createTarget(server).get(makeTasks(seedSeries, 0, 1)[0]!.id))
    const readyMs = performance.now() - server.spawnedAt
    await sleep(idleMs)
    return { readyMs, idleMiB: residentMiB(server.pid) }
  } finally {
    await server.stop()
  }
}

async function initialise(kind: ServerKind): Promise<string> {
  const dataDir = makeDataDir(kind)
  const server = await startServer(kind, dataDir)
  try {
    const target = createTarget(server)
    await target.prepare(['task'])
    await ask(server, target.createMany(makeTasks(seedSeries, 0, 100)))
  } finally {
    await server.stop()
  }
  return dataDir
}

let measured: Promise<StartPair[]> | undefined

/**
 * Starts both servers in turn on data directories that already hold a little data; measured once per run.
 * @param kind the server compared with the floor
 */
export function measureStarts(pairs: number, kind: ServerKind): Promise<StartPair[]> {
  measured ??= (async () => {
    const dirs = { cairn: await initialise(kind), floor: await initialise('floor') }
    const found: StartPair[] = []
    try {
      // The first start of each fills the page cache and is not counted.
      await startOnce('floor', dirs.floor)
      await startOnce(kind, dirs.cairn)
      for (let pair = 0; pair < pairs; pair++) {
        if (pair % 2 === 0) {
          const floor = await startOnce('floor', dirs.floor)
          found.push({ floor, cairn: await startOnce(kind, dirs.cairn) })
        } else {
          const cairn = await startOnce(kind, dirs.cairn)
          found.push({ cairn, floor: await startOnce('floor', dirs.floor) })
        }
      }
    } finally {
      removeDataDir(dirs.cairn)
      removeDataDir(dirs.floor)
    }
    return found
  })()
  return measured
}
