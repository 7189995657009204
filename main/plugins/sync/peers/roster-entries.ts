// What a roster says: its entries checked one by one, and only those counted that an admin device wrote. Pure; knows no
// database.
import { z } from 'zod'
import { deviceOf } from '#main/replication/core/device-id.ts'
import type { Register } from '#main/replication/core/register.ts'
import type { Json, RegisterEntry } from '#main/replication/core/types.ts'

const nameSchema = z.string().min(1).max(200)
const deviceIdSchema = z.string().regex(/^[0-9a-f]{32}$/)
const deviceSchema = z.object({
  name: nameSchema,
  user: z.string().min(1).max(100),
  userName: z.string().max(200),
  /** Ed25519, 32 bytes in base64. */
  signKey: z.base64().length(44),
  /** SHA-256 of its certificate. */
  fingerprint: z.string().regex(/^[0-9a-f]{64}$/),
  /** An admin changes the roster and metadata. */
  role: z.enum(['admin', 'member']),
  addedAt: z.string().max(40),
  /** When it was unpaired; null while it takes part. */
  revokedAt: z.string().max(40).nullish(),
})
const leaseSchema = z.object({
  device: deviceIdSchema.nullable(),
  term: z.int().min(1),
  /** Milliseconds since 1970. */
  after: z.int().min(0),
  from: deviceIdSchema.optional(),
})
const userSchema = z.object({ name: nameSchema })
/** Numbers of envelopes by incarnation in decimal digits. */
const seenSchema = z.record(z.string().regex(/^\d{1,10}$/), z.int().min(0))
const narrowedSchema = z.object({ isNarrowed: z.boolean() })
const revokedSchema = z.object({ at: z.string().max(40).nullable(), seen: seenSchema.optional() })

/** A machine of the workspace, as it is handed over while pairing and kept beside the workspace. */
export const rosterDeviceSchema = deviceSchema
  .extend({
    device: deviceIdSchema,
    revokedAt: deviceSchema.shape.revokedAt.transform((at) => at ?? null),
    /** The unpairing after which it was paired anew: its own roster may say that one until it has heard of the end. */
    backFrom: z.string().max(40).nullish(),
    /** How much of its logs counts since it was unpaired (D-386). */
    seen: seenSchema.optional(),
  })
  .refine(hasOwnKey, 'The id of a device is derived from its key.')

/** A machine of the workspace. Its id, 32 hexadecimal digits, is derived from `signKey`. */
export type RosterDevice = Readonly<z.output<typeof rosterDeviceSchema>>

/** What a device may do in its workspace. */
export type DeviceRole = RosterDevice['role']

/**
 * Who may do what only one may do. Only the machine that has it hands it on, so that its terms follow one after the other.
 */
export interface Lease {
  /** Null: whoever has the lease of the workspace. */
  readonly device: string | null
  readonly term: number
  /** What was due until then was for the one before; milliseconds since 1970. */
  readonly after: number
  /** The one before, where it is known not to have been passed over: it makes up for what it missed until then. */
  readonly from?: string | undefined
}

/** What a roster holds. */
export interface RosterContent {
  readonly devices: ReadonlyMap<string, RosterDevice>
  readonly users: ReadonlyMap<string, string>
  /** The device that gives numbers, and the one that runs what is done once; null where nobody was named. */
  readonly issuer: string | null
  readonly runner: string | null
  /** By what they are for; '' for all that has none of its own. */
  readonly leases: ReadonlyMap<string, Lease>
  /** Machines whose person may not read everything, each with the machines that say so. */
  readonly narrowed: ReadonlyMap<string, ReadonlySet<string>>
}

/** The key a device signs with: Ed25519, 32 bytes. */
export function signKeyOf({ signKey }: { readonly signKey: string }): Uint8Array {
  return new Uint8Array(Buffer.from(signKey, 'base64'))
}

/** The register key of a device's entry. */
export const deviceKey = (device: string): string => `device.${device}`

/**
 * The register key of what a device is called by now. Apart from its entry: that says who let it in, and whoever wrote it
 * again would stand for somebody whose own right may come from that very device.
 */
export const nameKey = (device: string): string => `name.${device}`

/** The register key of when a device was unpaired, apart from its entry for the same reason. */
export const revokedKey = (device: string): string => `revoked.${device}`

/** The register key under which one machine says whether the person of another one may read less than everything. */
export const narrowedKey = (device: string, by: string): string => `narrowed.${device}.${by}`

/** The register key of a user's entry. */
export const userKey = (user: string): string => `user.${user}`

/** The register key of a lease; '' is that of the workspace. */
export const leaseKey = (of: string): string => `lease.${of}`

/** What a device's entry holds. */
export function deviceEntry({ device: _device, seen: _seen, revokedAt, ...rest }: RosterDevice): Json {
  return revokedAt === null ? rest : { ...rest, revokedAt }
}

/**
 * Reads a roster. An entry counts when its author's device is an admin: one of `known`, or made one by an entry that
 * counts. Of concurrent entries the latest that counts is the one.
 * @param known devices that are trusted without an entry: the founder, or those handed over while pairing
 * @param authorOf the device of an incarnation; undefined for one that nobody vouched for
 */
export function readRoster(
  register: Register,
  known: readonly RosterDevice[],
  authorOf: (inc: number) => string | undefined,
): RosterContent {
  const admins = new Set(known.filter(({ role }) => role === 'admin').map(({ device }) => device))
  const counts = (entry: RegisterEntry): boolean => admins.has(authorOf(entry[4]) ?? '')
  const found = new Map<string, RosterDevice>()
  // Whoever an admin made an admin may have made others: until nobody is added.
  for (let before = -1; before !== admins.size;) {
    before = admins.size
    for (const [key, { winner, losers }] of register) {
      if (!key.startsWith('device.')) continue
      const entries = [winner, ...losers].filter(counts)
      const devices = entries.map((entry) => parseDevice(key.slice('device.'.length), entry[1]))
      const latest = devices.find((device) => device !== null)
      if (latest === null || latest === undefined) continue
      found.set(latest.device, latest)
      if (devices.some((device) => device?.role === 'admin')) admins.add(latest.device)
    }
  }
  const latestOf = (key: string): Json | undefined => {
    const value = register.get(key)
    return value === undefined ? undefined : [value.winner, ...value.losers].find(counts)?.[1]
  }
  const users = new Map<string, string>()
  for (const key of register.keys()) {
    if (!key.startsWith('user.')) continue
    const user = userSchema.safeParse(latestOf(key))
    if (user.success) users.set(key.slice('user.'.length), user.data.name)
  }
  const devices = new Map(known.map((device) => [device.device, device]))
  const backFrom = new Map(known.map((device) => [device.device, device.backFrom]))
  for (const [id, device] of found) devices.set(id, device)
  for (const [id, device] of devices) {
    const name = userSchema.safeParse(latestOf(nameKey(id)))
    const revoked = revokedSchema.safeParse(latestOf(revokedKey(id)))
    devices.set(id, {
      ...device,
      ...(name.success ? { name: name.data.name } : {}),
      ...(revoked.success
        ? { revokedAt: revoked.data.at === backFrom.get(id) ? null : revoked.data.at, seen: revoked.data.seen }
        : {}),
    })
  }
  const leases = new Map<string, Lease>()
  for (const [key, { winner, losers }] of register) {
    if (!key.startsWith('lease.')) continue
    const found = [winner, ...losers].filter(counts).flatMap((entry) => leaseSchema.safeParse(entry[1]).data ?? [])
    // Of two at once, when one was taken from a machine that could not be reached, the later term holds for all.
    const [lease] = found.toSorted((a, b) => b.term - a.term)
    if (lease !== undefined) leases.set(key.slice('lease.'.length), lease)
  }
  const narrowed = new Map<string, Set<string>>()
  for (const [key, { winner, losers }] of register) {
    const [word, device = '', by = ''] = key.split('.')
    if (word !== 'narrowed' || devices.get(by)?.revokedAt !== null) continue
    const said = [winner, ...losers].find((entry) => counts(entry) && authorOf(entry[4]) === by)
    if (narrowedSchema.safeParse(said?.[1]).data?.isNarrowed !== true) continue
    narrowed.set(device, (narrowed.get(device) ?? new Set()).add(by))
  }
  return { narrowed, devices, users, issuer: parseId(latestOf('issuer')), runner: parseId(latestOf('runner')), leases }
}

function parseDevice(id: string, value: Json): RosterDevice | null {
  const parsed = deviceSchema.safeParse(value)
  if (!parsed.success) return null
  const device: RosterDevice = { ...parsed.data, device: id, revokedAt: parsed.data.revokedAt ?? null }
  return hasOwnKey(device) ? device : null
}

/** Nobody can take the place of another device: its id is the hash of its key. */
function hasOwnKey(given: { readonly device: string; readonly signKey: string }): boolean {
  const key = signKeyOf(given)
  return key.byteLength === 32 && deviceOf(key) === given.device
}

function parseId(value: Json | undefined): string | null {
  const parsed = deviceIdSchema.safeParse(value)
  return parsed.success ? parsed.data : null
}
