// Who belongs to the workspace: the document `w/roster`, read into memory after each change, and the way it is written.
// Knows no link and no screen.
import type { KeyObject } from 'node:crypto'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Tx } from '#main/kernel/database.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { AuthUser } from '#main/plugins/auth/api.ts'
import { openDocument } from '#main/replication/core/sync-document.ts'
import type { Json } from '#main/replication/core/types.ts'
import { publicKeyOf } from '#main/replication/wire/device-key.ts'
import type { DocKindHandler, DocWriter } from '../engine/docs.ts'
import { createListeners } from '../engine/log-state.ts'
import type { Devices, KnownDevice } from '../engine/replica.ts'
import { readRosterState } from '../store/doc-store.ts'
import { readIncarnations } from '../store/log-store.ts'
import {
  deviceEntry,
  deviceKey,
  leaseKey,
  narrowedKey,
  nameKey,
  readRoster,
  revokedKey,
  signKeyOf,
  userKey,
} from './roster-entries.ts'
import type { Lease, RosterContent, RosterDevice } from './roster-entries.ts'

const rosterDoc = { kind: 'workspace', part: 'roster' } as const

/** The devices and users of the workspace. Answers come from memory. */
export type Roster = ReturnType<typeof createRoster>

/**
 * Makes the roster of what is stored.
 * @param known devices that are trusted without an entry: the founder, or those handed over while pairing
 */
export function createRoster(parts: {
  readonly read: Pick<Reads, 'all' | 'get'>
  readonly log: Pick<Logger, 'error'>
  readonly known: readonly RosterDevice[]
}) {
  const { read, log, known } = parts
  const listeners = createListeners()
  const keys = new Map<string, KeyObject>()
  let isBlank = true
  let content: RosterContent = readRoster(new Map(), known, () => undefined)

  function reload(): void {
    try {
      const state = readRosterState(read)
      const authors = new Map(readIncarnations(read).map(({ inc, device }) => [inc, device]))
      isBlank = state === undefined
      const { register } = openDocument('w/roster', state ?? null)
      content = readRoster(register, known, (inc) => authors.get(inc))
    } catch (error) {
      // What was known before stays in force: an unreadable roster must neither let anybody in nor lock everybody out.
      log.error({ err: error }, 'The list of devices cannot be read.')
      return
    }
    listeners.tell()
  }

  const write = (tx: Tx, ctx: RequestContext, docs: DocWriter, patch: Readonly<Record<string, Json>>): void => {
    docs.edit(tx, ctx, rosterDoc, (place) => place.set(patch))
    tx.afterCommit(reload)
  }

  /** A device as the log knows it. */
  const knownOf = (found: RosterDevice): KnownDevice => {
    const { device, user, role, revokedAt, seen } = found
    const publicKey = keys.get(device) ?? publicKeyOf(signKeyOf(found))
    keys.set(device, publicKey)
    return { device, user, publicKey, role, isRevoked: revokedAt !== null, seen }
  }

  const devices = (): readonly RosterDevice[] => [...content.devices.values()]
  /** The device that was named while it takes part, else the first admin that does. */
  const chosen = (entry: string | null): string | null => {
    const named = entry ?? known[0]?.device
    if (named !== undefined && content.devices.get(named)?.revokedAt === null) return named
    const admins = devices().filter(({ role, revokedAt }) => role === 'admin' && revokedAt === null)
    const byAge = admins.map(({ addedAt, device }) => ({ device, key: `${addedAt} ${device}` }))
    return byAge.toSorted((a, b) => (a.key < b.key ? -1 : 1))[0]?.device ?? named ?? null
  }
  /** Whether a lease is with a machine of its own, and not with whoever has that of the workspace. */
  const isApart = (of: string): boolean => {
    const own = of === '' ? null : (content.leases.get(of)?.device ?? null)
    return own !== null && content.devices.get(own)?.revokedAt === null
  }
  /** A device's entry names its owner too. */
  const nameOf = (user: string): string | undefined =>
    content.users.get(user) ?? devices().findLast((one) => one.user === user && one.userName !== '')?.userName

  /** How much of the logs of a device is here. */
  const logsOf = (reads: Pick<Reads, 'all' | 'get'>, id: string): Record<string, number> =>
    Object.fromEntries(
      readIncarnations(reads).flatMap(({ inc, device, storedSeq }) =>
        device === id ? [[String(inc), storedSeq]] : [],
      ),
    )

  /** Unpaired devices of whose logs more came here, before that was heard of, than counts so far. */
  const unsaidLogs = (): readonly RosterDevice[] =>
    devices().filter(
      ({ device, revokedAt, seen = {} }) =>
        revokedAt !== null && Object.entries(logsOf(read, device)).some(([inc, seq]) => seq > (seen[inc] ?? 0)),
    )

  /** Says that a device is unpaired, and that what is here of its logs counts (D-386). */
  const unpaired = (tx: Tx, { device, revokedAt, seen = {} }: RosterDevice): readonly [string, Json] => {
    const here = Object.entries(logsOf(tx, device)).map(([inc, seq]) => [inc, Math.max(seq, seen[inc] ?? 0)] as const)
    return [revokedKey(device), { at: revokedAt, seen: { ...seen, ...Object.fromEntries(here) } }]
  }

  reload()
  return {
    /** Takes part in the projection of documents. */
    handler: {
      kind: 'workspace',
      project(tx) {
        tx.afterCommit(reload)
        return 'done'
      },
    } satisfies DocKindHandler as DocKindHandler,
    /** The devices as the log asks for them. */
    known: {
      all: () => devices().map(knownOf),
      find(id) {
        const device = content.devices.get(id)
        return device && knownOf(device)
      },
      nameOf,
    } satisfies Devices as Devices,
    /** Every device there ever was, unpaired ones included. */
    devices,
    device: (id: string) => content.devices.get(id),
    /** The device with a certificate, unpaired or not. */
    deviceOf: (fingerprint: string) => devices().find((one) => one.fingerprint === fingerprint),
    /** The name of a person, as their machine told it. */
    nameOf,
    /** Whether a device may change the roster and metadata: it is an admin and takes part. */
    isAdmin(id: string) {
      const device = content.devices.get(id)
      return device !== undefined && device.role === 'admin' && device.revokedAt === null
    },
    /** The device that gives numbers. */
    issuer: () => chosen(content.issuer),
    /** The device that is to do what only one may do; it does once it has the lease. */
    runner: () => chosen(content.runner),
    /** A lease as it was last handed on; undefined for one that never was. @param of '' for that of the workspace */
    lease: (of: string): Lease | undefined => content.leases.get(of),
    /** The device that has a lease: the last one it was handed to while that takes part. */
    holder: (of: string): string | null =>
      isApart(of) ? content.leases.get(of)!.device : chosen(content.leases.get('')?.device ?? content.runner),
    isApart,
    /** Hands a lease on. */
    putLease(tx: Tx, ctx: RequestContext, docs: DocWriter, of: string, lease: Lease) {
      write(tx, ctx, docs, { [leaseKey(of)]: { ...lease } })
    },
    /**
     * Names nobody told of, and with `renamed` those of people who are called otherwise here. Without it two machines that
     * call one person differently would take turns at every start.
     */
    untoldNames(people: readonly Pick<AuthUser, 'id' | 'name'>[], renamed: boolean): ReadonlyMap<string, string> {
      const untold = people.filter(({ id, name }) => {
        const told = nameOf(id)
        return name !== '' && (told === undefined || (renamed && told !== name))
      })
      return new Map(untold.map(({ id, name }) => [id, name]))
    },
    /**
     * Lets a device in. Of one that was there before, under the same keys and rights, only what was changed is written.
     * @source design of sync, section 14
     */
    putDevice(tx: Tx, ctx: RequestContext, docs: DocWriter, device: RosterDevice) {
      const { device: id, name } = device
      // The founder is known before there is any entry.
      const before = isBlank ? undefined : content.devices.get(id)
      if (before === undefined || !isLetInAlike(before, device)) {
        write(tx, ctx, docs, { [deviceKey(id)]: deviceEntry(device) })
        if (before === undefined) return
      }
      write(tx, ctx, docs, { [nameKey(id)]: { name }, [revokedKey(id)]: { at: null } })
    },
    /** Writes what a device is called, and when it was unpaired. */
    changeDevice(
      tx: Tx,
      ctx: RequestContext,
      docs: DocWriter,
      id: string,
      { name, revokedAt }: { readonly name?: string; readonly revokedAt?: string },
    ) {
      write(tx, ctx, docs, {
        ...(name === undefined ? {} : { [nameKey(id)]: { name } }),
        ...(revokedAt === undefined ? {} : { [revokedKey(id)]: { at: revokedAt, seen: logsOf(tx, id) } }),
      })
    },
    /** Whether a machine that takes part says that the person of a device may not read everything. */
    isNarrowed: (id: string): boolean => content.narrowed.has(id),
    /** The devices of which one machine says so. */
    narrowedBy: (by: string): ReadonlySet<string> =>
      new Set([...content.narrowed].flatMap(([device, sayers]) => (sayers.has(by) ? [device] : []))),
    /** Writes of which devices this machine says so by now. */
    putNarrowed(tx: Tx, ctx: RequestContext, docs: DocWriter, by: string, now: ReadonlySet<string>) {
      const before = [...content.narrowed].flatMap(([device, sayers]) => (sayers.has(by) ? [device] : []))
      const all = new Set([...before, ...now])
      const patch = [...all].map((device) => [narrowedKey(device, by), { isNarrowed: now.has(device) }] as const)
      write(tx, ctx, docs, Object.fromEntries(patch))
    },
    unsaidLogs,
    /** Writes that what is here of their logs counts. */
    sayLogs(tx: Tx, ctx: RequestContext, docs: DocWriter) {
      const patch = unsaidLogs().map((one) => unpaired(tx, one))
      if (patch.length > 0) write(tx, ctx, docs, Object.fromEntries(patch))
    },
    /** Writes that devices were unpaired, as they say it themselves. */
    putUnpaired(tx: Tx, ctx: RequestContext, docs: DocWriter, gone: readonly RosterDevice[]) {
      write(tx, ctx, docs, Object.fromEntries(gone.map((one) => unpaired(tx, one))))
    },
    /** Writes names of users, and who gives numbers and runs what is done once. */
    put(
      tx: Tx,
      ctx: RequestContext,
      docs: DocWriter,
      { users, ...chosen }: { users: ReadonlyMap<string, string>; issuer?: string; runner?: string },
    ) {
      const names = Object.fromEntries([...users].map(([id, name]) => [userKey(id), { name }]))
      write(tx, ctx, docs, { ...names, ...chosen })
    },
    /** Hears of every change. Answers how to stop. */
    onChange: listeners.add,
  }
}

function isLetInAlike(a: RosterDevice, b: RosterDevice): boolean {
  return a.signKey === b.signKey && a.fingerprint === b.fingerprint && a.role === b.role && a.user === b.user
}
