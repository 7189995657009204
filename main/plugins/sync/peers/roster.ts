// Who belongs to the workspace: the document `w/roster`, read into memory after each change, and the way it is written.
// Knows no link and no screen.
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { DocKindHandler, DocWriter } from '../engine/docs.ts'
import { loadDoc } from '#main/replication/core/record-doc.ts'
import { readRegister, setEntries } from '#main/replication/core/register.ts'
import type { Json } from '#main/replication/core/types.ts'
import { deviceEntry, deviceKey, nameKey, readRoster, revokedKey, userKey } from './roster-entries.ts'
import type { DeviceRole, RosterContent, RosterDevice } from './roster-entries.ts'

const rosterDoc = { kind: 'workspace', part: 'roster' } as const

/** A device's key as the log checks it. */
export interface KnownKey {
  readonly device: string
  /** Ed25519, 32 bytes. */
  readonly publicKey: Uint8Array
  readonly revoked: boolean
  readonly role: DeviceRole
}

/** What a roster works with. */
export interface RosterParts {
  readonly read: Pick<Reads, 'all' | 'get'>
  readonly log: Pick<Logger, 'error'>
  /** Devices that are trusted without an entry: the founder, or those handed over while pairing. */
  readonly known: readonly RosterDevice[]
}

/** The devices and users of the workspace. Answers come from memory. */
export interface Roster {
  /** Takes part in the projection of documents. */
  readonly handler: DocKindHandler
  /** Every device there ever was, unpaired ones included. */
  devices(): readonly RosterDevice[]
  device(id: string): RosterDevice | undefined
  /** The device with a certificate, unpaired or not. */
  deviceOf(fingerprint: string): RosterDevice | undefined
  publicKeysOfKnown(): readonly KnownKey[]
  nameOfUser(id: string): string | undefined
  /** Whether a device may change the roster and metadata: it is an admin and takes part. */
  isAdmin(device: string): boolean
  /** The device that gives numbers; the first admin where none was named. */
  issuer(): string | null
  /** The device that runs what is done once in the workspace. */
  runner(): string | null
  /** Whether an incarnation was used by anybody. */
  isTaken(inc: number): boolean
  /**
   * Lets a device in. Of one that was there before, under the same keys and rights, only what was changed is written.
   * @source design of sync, section 14
   */
  putDevice(tx: Tx, ctx: RequestContext, docs: DocWriter, device: RosterDevice): void
  /** Writes what a device is called, and when it was unpaired. */
  changeDevice(
    tx: Tx,
    ctx: RequestContext,
    docs: DocWriter,
    device: string,
    change: { readonly name?: string; readonly revokedAt?: string },
  ): void
  /** Writes names of users, and who gives numbers and runs what is done once. */
  put(
    tx: Tx,
    ctx: RequestContext,
    docs: DocWriter,
    entries: { readonly users?: ReadonlyMap<string, string>; readonly issuer?: string; readonly runner?: string },
  ): void
  /** Hears of every change. Answers how to stop. */
  onChange(listener: () => void): () => void
}

/** Makes the roster of what is stored. */
export function createRoster(parts: RosterParts): Roster {
  const { read, log, known } = parts
  const listeners = new Set<() => void>()
  let isBlank = true
  let content: RosterContent = readRoster(new Map(), known, () => undefined)

  function reload(): void {
    try {
      const row = read.get(
        statement<{ state: Uint8Array }>("SELECT state FROM sync_doc WHERE name = 'w/roster' AND length(state) > 0"),
      )
      const authors = new Map(
        read
          .all(statement<{ inc: number; device: string }>('SELECT inc, device FROM sync_inc'))
          .map(({ inc, device }) => [inc, device]),
      )
      isBlank = row === undefined
      const register = row === undefined ? new Map() : readRegister(loadDoc(row.state))
      content = readRoster(register, known, (inc) => authors.get(inc))
    } catch (error) {
      // What was known before stays in force: an unreadable roster must neither let anybody in nor lock everybody out.
      log.error({ err: error }, 'The list of devices cannot be read.')
      return
    }
    for (const listener of listeners) listener()
  }

  const write = (tx: Tx, ctx: RequestContext, docs: DocWriter, patch: Readonly<Record<string, Json>>): void => {
    docs.edit(tx, ctx, rosterDoc, ({ doc, hlc, inc }) => setEntries(doc, patch, hlc, inc))
    tx.afterCommit(reload)
  }

  reload()
  return {
    handler: {
      kind: 'workspace',
      project(tx) {
        tx.afterCommit(reload)
        return 'done'
      },
    },
    devices: () => [...content.devices.values()],
    device: (id) => content.devices.get(id),
    deviceOf: (fingerprint) => [...content.devices.values()].find((one) => one.fingerprint === fingerprint),
    publicKeysOfKnown: () =>
      [...content.devices.values()].map(({ device, signKey, revokedAt, role }) => ({
        device,
        publicKey: new Uint8Array(Buffer.from(signKey, 'base64')),
        revoked: revokedAt !== null,
        role,
      })),
    nameOfUser: (id) => content.users.get(id) ?? namesOfOwners(content).get(id),
    isAdmin(id) {
      const device = content.devices.get(id)
      return device !== undefined && device.role === 'admin' && device.revokedAt === null
    },
    issuer: () => content.issuer ?? known[0]?.device ?? null,
    runner: () => content.runner ?? known[0]?.device ?? null,
    isTaken: (inc) => read.get(statement('SELECT 1 FROM sync_inc WHERE inc = ?', [inc])) !== undefined,
    putDevice(tx, ctx, docs, device) {
      const { device: id, name } = device
      // The founder is known before there is any entry.
      const before = isBlank ? undefined : content.devices.get(id)
      if (before === undefined || !isLetInAlike(before, device)) {
        write(tx, ctx, docs, { [deviceKey(id)]: deviceEntry(device) })
        if (before === undefined) return
      }
      write(tx, ctx, docs, { [nameKey(id)]: { name }, [revokedKey(id)]: { at: null } })
    },
    changeDevice(tx, ctx, docs, id, { name, revokedAt }) {
      write(tx, ctx, docs, {
        ...(name === undefined ? {} : { [nameKey(id)]: { name } }),
        ...(revokedAt === undefined ? {} : { [revokedKey(id)]: { at: revokedAt } }),
      })
    },
    put(tx, ctx, docs, { users = new Map<string, string>(), issuer, runner }) {
      write(tx, ctx, docs, {
        ...Object.fromEntries([...users].map(([id, name]) => [userKey(id), { name }])),
        ...(issuer === undefined ? {} : { issuer }),
        ...(runner === undefined ? {} : { runner }),
      })
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

function isLetInAlike(a: RosterDevice, b: RosterDevice): boolean {
  return a.signKey === b.signKey && a.fingerprint === b.fingerprint && a.role === b.role && a.user === b.user
}

/** A device's entry names its owner too. */
function namesOfOwners({ devices }: RosterContent): ReadonlyMap<string, string> {
  return new Map([...devices.values()].filter(({ userName }) => userName !== '').map((one) => [one.user, one.userName]))
}
