// What of a roster counts: entries of admins alone, and nobody in the place of another one.
import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { deviceOf } from '#main/replication/core/device-id.ts'
import { registerOf } from '#main/replication/core/register.ts'
import type { Json, RegisterEntry } from '#main/replication/core/types.ts'
import { rawPublicKey } from '#main/replication/wire/device-key.ts'
import type { DeviceRole, RosterDevice } from './roster-entries.ts'
import {
  deviceEntry,
  deviceKey,
  nameKey,
  narrowedKey,
  readRoster,
  revokedKey,
  rosterDeviceSchema,
} from './roster-entries.ts'

function makeDevice(name: string, role: DeviceRole = 'member'): RosterDevice {
  const signKey = rawPublicKey(generateKeyPairSync('ed25519').publicKey)
  return {
    device: deviceOf(signKey),
    name,
    user: `user-${name}`,
    userName: name,
    signKey: Buffer.from(signKey).toString('base64'),
    fingerprint: 'ab'.repeat(32),
    role,
    addedAt: '2026-01-01T00:00:00.000Z',
    revokedAt: null,
  }
}

const founder = makeDevice('Founder', 'admin')
const second = makeDevice('Second', 'admin')
const third = makeDevice('Third')
const authors = new Map([
  [1, founder.device],
  [2, second.device],
  [3, third.device],
])

/** Entries `[key, value, time, incarnation]`. */
const rosterOf = (...entries: readonly (readonly [string, Json, number, number])[]) =>
  readRoster(
    registerOf(entries.map(([key, value, ms, inc]): RegisterEntry => [key, value, ms, 0, inc])),
    [founder],
    (inc) => authors.get(inc),
  )
const entryOf = (device: RosterDevice, ms: number, inc: number) =>
  [deviceKey(device.device), deviceEntry(device), ms, inc] as const
const idsOf = (content: ReturnType<typeof rosterOf>): string[] => [...content.devices.values()].map(({ name }) => name)

describe('the roster', () => {
  it('knows whom it was handed, before it has any entry', () => {
    expect(idsOf(rosterOf())).toEqual(['Founder'])
  })

  it('counts what an admin wrote, and what those wrote whom an admin made one', () => {
    expect(idsOf(rosterOf(entryOf(second, 1, 1), entryOf(third, 2, 2)))).toEqual(['Founder', 'Second', 'Third'])
  })

  it('counts nothing of a member, of a stranger, or of who made himself an admin', () => {
    const self = { ...third, role: 'admin' as const }
    expect(idsOf(rosterOf(entryOf(third, 1, 3), entryOf(second, 2, 3)))).toEqual(['Founder'])
    expect(idsOf(rosterOf(entryOf(self, 1, 3)))).toEqual(['Founder'])
    expect(idsOf(rosterOf(entryOf(third, 1, 99)))).toEqual(['Founder'])
    const content = rosterOf(entryOf(third, 1, 1), entryOf(self, 2, 3))
    expect(content.devices.get(third.device)!.role).toBe('member')
  })

  it('takes the latest of concurrent entries that counts', () => {
    const revoked = { ...third, revokedAt: '2026-02-01T00:00:00.000Z' }
    const content = rosterOf(entryOf(second, 1, 1), entryOf(third, 2, 1), entryOf(revoked, 3, 2))
    expect(content.devices.get(third.device)!.revokedAt).toBe('2026-02-01T00:00:00.000Z')
  })

  it('takes from an admin that takes part, in its own name, that a person may not read everything', () => {
    const say = (by: RosterDevice, ms: number, inc: number, isNarrowed = true) =>
      [narrowedKey(third.device, by.device), { isNarrowed }, ms, inc] as const
    const all = [entryOf(second, 1, 1), entryOf(third, 2, 1)] as const
    const sayersOf = (content: ReturnType<typeof rosterOf>) => [...(content.narrowed.get(third.device) ?? [])]
    expect(sayersOf(rosterOf(...all, say(second, 3, 2)))).toEqual([second.device])
    expect(sayersOf(rosterOf(...all, say(second, 3, 1)))).toEqual([])
    expect(sayersOf(rosterOf(...all, say(third, 3, 3)))).toEqual([])
    expect(sayersOf(rosterOf(...all, say(second, 3, 2, false)))).toEqual([])
    const unpaired = [revokedKey(second.device), { at: '2026-02-01T00:00:00.000Z' }, 4, 1] as const
    expect(sayersOf(rosterOf(...all, say(second, 3, 2), unpaired))).toEqual([])
  })

  it('counts names and the end of a device beside its entry, so that who let it in stays known', () => {
    const content = rosterOf(
      entryOf(second, 1, 1),
      entryOf(third, 2, 2),
      // Second calls itself otherwise; Third, which is a member, may not.
      [nameKey(second.device), { name: 'Travel' }, 3, 2],
      [nameKey(third.device), { name: 'Chief' }, 3, 3],
      [revokedKey(third.device), { at: '2026-02-01T00:00:00.000Z' }, 4, 2],
    )
    expect(idsOf(content)).toEqual(['Founder', 'Travel', 'Third'])
    expect(content.devices.get(second.device)).toEqual({ ...second, name: 'Travel' })
    expect(content.devices.get(third.device)!.revokedAt).toBe('2026-02-01T00:00:00.000Z')
    const back = rosterOf(entryOf({ ...third, revokedAt: '2026-02-01T00:00:00.000Z' }, 1, 1), [
      revokedKey(third.device),
      { at: null },
      2,
      1,
    ])
    expect(back.devices.get(third.device)!.revokedAt).toBeNull()
  })

  it('counts an unpairing no more that the device has come back from', () => {
    const at = '2026-02-01T00:00:00.000Z'
    const revokedAt = (backFrom: string | null): unknown => {
      const register = registerOf([[revokedKey(third.device), { at }, 1, 0, 1]])
      return readRoster(register, [founder, { ...third, backFrom }], (inc) => authors.get(inc)).devices.get(
        third.device,
      )!.revokedAt
    }
    expect([revokedAt(at), revokedAt(null), revokedAt('2026-01-15T00:00:00.000Z')]).toEqual([null, at, at])
  })

  it('lets no key stand for another device', () => {
    const forged = [deviceKey(second.device), deviceEntry({ ...third, role: 'admin' }), 1, 1] as const
    expect(idsOf(rosterOf(forged))).toEqual(['Founder'])
    expect(rosterDeviceSchema.safeParse({ ...third, device: second.device }).success).toBe(false)
    expect(rosterDeviceSchema.safeParse(third).data).toEqual(third)
  })

  it('passes over what it cannot read', () => {
    const broken: (readonly [string, Json, number, number])[] = [
      [deviceKey(second.device), { name: 'half' }, 1, 1],
      ['device.nobody', deviceEntry(second), 2, 1],
      ['issuer', 'me', 3, 1],
      ['user.one', { name: 'One' }, 4, 1],
      ['user.two', 'Two', 5, 1],
      ['user.three', { name: 'Three' }, 6, 3],
      ['of a later version', { any: 1 }, 7, 1],
    ]
    const content = rosterOf(...broken)
    expect(idsOf(content)).toEqual(['Founder'])
    expect([content.issuer, [...content.users]]).toEqual([null, [['one', 'One']]])
  })

  it('names who gives numbers', () => {
    expect(rosterOf(entryOf(second, 1, 1), ['issuer', second.device, 2, 1]).issuer).toBe(second.device)
  })
})
