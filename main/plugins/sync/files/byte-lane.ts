// The bytes of files between this machine and the others (D-323): brings what somebody opens, gives what others ask for, and
// brings everything where this machine keeps everything. Puts the parts together.
import type { Clock } from '#main/kernel/clock.ts'
import type { Reads } from '#main/kernel/database.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Logger } from '#main/kernel/logger.ts'
import { PlatformError } from '#shared/errors.ts'
import type { Timers } from '#main/replication/channel/timers.ts'
import type { Brought, FilePeers, StorageService } from '#main/plugins/storage/api.ts'
import type { KnownDevice } from '../engine/replica.ts'
import type { Sessions } from '../session/sessions.ts'
import type { Vouching } from '../service/shared/vouched.ts'
import { createByteCarrier } from './byte-carrier.ts'
import { createByteGiving } from './byte-giving.ts'
import type { ByteTaking, Taken } from './byte-taking.ts'
import { takeBytes } from './byte-taking.ts'
import { keepFiles } from './keep-files.ts'

/** What bytes travel with. */
export interface ByteLaneParts {
  readonly read: Reads
  readonly clock: Clock
  readonly log: Logger
  readonly timers: Timers
  readonly device: string
  readonly storage: () => StorageService | undefined
  readonly sessions: () => Sessions
  readonly vouching: Vouching
  readonly deviceOf: (id: string) => KnownDevice | undefined
  readonly others: () => readonly string[]
  readonly nameOf: (device: string) => string | null
  /** Whether a machine may have what is here. */
  readonly mayHave: (device: string) => boolean
  /** Whose rights a person of a machine has here. */
  readonly personOf: (author: string, device: KnownDevice | undefined) => RequestContext | string | undefined
  /** Whether this machine keeps every file. */
  readonly keepsAll: () => boolean
}

/** Files that are brought at the same time. */
const atOnce = 2

/** Makes the lane. */
export function createByteLane(parts: ByteLaneParts) {
  const { read, log, timers, storage, sessions } = parts
  const taking = new Map<string, ByteTaking>()
  const bringing = new Map<string, { readonly done: Promise<Brought>; received: number }>()
  /** Answers that machines may still send. */
  const owed = new Map<string, number>()
  const queue: (() => void)[] = []
  let running = 0
  let ids = 0
  let isStopped = false

  const blame = (device: string, code: string): void => {
    const session = sessions().of(device)
    if (session?.kind === 'device') session.blame(code)
  }
  const carrier = createByteCarrier({
    ...{ sessions, device: parts.device, vouching: parts.vouching, others: parts.others },
    heard(from, file, word) {
      if (word.kind === 'want') return giving.wanted(from, file, word)
      const under = taking.get(file)
      const left = owed.get(from) ?? 0
      if (left === 0) return blame(from, 'file_unasked')
      owed.set(from, left - 1)
      // What was asked for before a machine was given up is no misdeed.
      if (under?.device === from && under.id === word.id) under.hear(word)
    },
  })
  const mayRead = (id: string, file: string): boolean => {
    const device = parts.deviceOf(id)
    const files = storage()
    if (device === undefined || device.isRevoked || files === undefined || !parts.mayHave(id)) return false
    // Such a machine serves all its people by their rights.
    if (device.role === 'admin') return true
    const person = parts.personOf(device.user, device)
    return typeof person !== 'string' && files.isReadable(read, person ?? null, file)
  }
  const giving = createByteGiving({ storage, mayRead, say: carrier.say, blame, log })

  const takeFrom = async (device: string, file: string): Promise<Taken | 'here'> => {
    const arrival = await storage()!.arrival(file)
    if (arrival === undefined) return 'here'
    const had = arrival.received()
    const taken = takeBytes({
      ...{ device, id: (ids = (ids + 1) % 0xff_ff_ff_ff), arrival, timers },
      isLossy: () => carrier.wayTo(device)?.kind === 'relay',
      say(word) {
        owed.set(device, (owed.get(device) ?? 0) + 1)
        return carrier.say(file, word)
      },
      moved() {
        const shown = bringing.get(file)
        if (shown !== undefined) shown.received = arrival.received()
      },
    })
    taking.set(file, taken)
    try {
      const outcome = await taken.done
      if (outcome === 'misbehaved' || (outcome === 'mismatch' && had === 0)) blame(device, `file_${outcome}`)
      // What an earlier machine sent may be what does not fit: once more, all of it from this one.
      return outcome === 'mismatch' && had > 0 ? await takeFrom(device, file) : outcome
    } finally {
      taking.delete(file)
      await arrival.leave()
    }
  }

  const bringNow = async (file: string): Promise<Brought> => {
    const home = storage()?.travelling(read, file)?.home
    const devices = carrier.reachable().toSorted((a, b) => Number(b === home) - Number(a === home))
    let isRefused = false
    const lacking = new Set<string>()
    for (const device of devices) {
      if (isStopped) return 'nobody'
      const taken = await takeFrom(device, file)
      if (taken === 'whole' || taken === 'here') return 'here'
      log.info({ peer: device, file, taken }, 'A machine did not give the bytes of a file.')
      if (taken === 'absent') lacking.add(device)
      else isRefused ||= taken !== 'gone' && taken !== 'busy'
    }
    if (isRefused) return 'refused'
    if (parts.others().every((device) => lacking.has(device))) return 'missing'
    return home !== null && home !== undefined && lacking.has(home) ? 'lacking' : 'nobody'
  }

  const inTurn = async (file: string): Promise<Brought> => {
    if (running >= atOnce) await new Promise<void>((resolve) => queue.push(resolve))
    running += 1
    try {
      return isStopped ? 'nobody' : await bringNow(file)
    } finally {
      running -= 1
      queue.shift()?.()
    }
  }

  const bring = (file: string): Promise<Brought> => {
    const before = bringing.get(file)
    if (before !== undefined) return before.done
    const done = inTurn(file).finally(() => bringing.delete(file))
    bringing.set(file, { done, received: 0 })
    return done
  }

  const stopLook = sessions().onChange(() => {
    for (const one of taking.values()) if (carrier.wayTo(one.device) === null) one.cut()
  })
  const peers: FilePeers = {
    bring,
    progress: (file) => bringing.get(file)?.received ?? null,
    nameOf: parts.nameOf,
  }
  storage()?.setPeers(peers)
  const keeper = keepFiles({
    timers,
    storage,
    wanted: () => parts.keepsAll() && carrier.reachable().length > 0,
    async bring(file) {
      try {
        return await bring(file)
      } catch (error) {
        if (error instanceof PlatformError) return 'refused'
        throw error
      }
    },
    log,
  })

  return {
    /** Takes a frame about a file. @returns false: it is about something else */
    hear: carrier.hear,
    /** The settings or the machines have changed. */
    look: keeper.look,
    async stop() {
      isStopped = true
      storage()?.setPeers(null)
      stopLook()
      giving.stop()
      keeper.stop()
      for (const one of taking.values()) one.cut()
      await Promise.allSettled([...bringing.values()].map(({ done }) => done))
      await keeper.settled()
    },
  }
}
