// Words that a relay passes on: it can neither make nor change one, nor say one twice.
import { generateKeyPairSync } from 'node:crypto'
import { expect, it } from 'vitest'
import { deviceOf } from '#main/replication/core/device-id.ts'
import { signerOf } from '#main/replication/wire/device-key.ts'
import type { Signer } from '#main/replication/wire/device-key.ts'
import type { KnownDevice } from '../../engine/replica.ts'
import { readLetters } from './relay-line.ts'
import { createVouching } from './vouched.ts'
import type { Vouching, VouchingParts } from './vouched.ts'

const doc = 't/o/r/f'
const body = Uint8Array.of(1, 2, 3)
const minute = 60_000

const known = new Map<string, KnownDevice>()
let now = 10 * minute

interface Machine extends Vouching {
  readonly device: string
  readonly signer: Signer
}

function makeMachine(more: Partial<VouchingParts> & { readonly isRevoked?: boolean } = {}): Machine {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const signer = signerOf(privateKey)
  const device = deviceOf(signer.signKey)
  known.set(device, { device, user: 'u', publicKey, role: 'member', isRevoked: more.isRevoked === true })
  const workspace = { id: new Uint8Array(16).fill(7), epoch: 1 }
  const devices = { find: (one: string) => known.get(one) }
  return { ...createVouching({ workspace, device, signer, devices, now: () => now, ...more }), device, signer }
}

it('are heard once, as the word of the machine that said them', () => {
  const [one, two] = [makeMachine(), makeMachine()]
  const words = [one.sign('LIVE', doc, body), one.sign('AWARE', doc, new Uint8Array())]
  expect(two.judge('LIVE', doc, words[0]!)).toEqual({ device: one.device, body: Buffer.from(body) })
  expect(two.judge('AWARE', doc, words[1]!)).toMatchObject({ device: one.device })
  for (const [at, kind] of (['LIVE', 'AWARE'] as const).entries())
    expect(two.judge(kind, doc, words[at]!)).toBe('stale')
  // Its own word, passed back to it.
  expect(one.judge('LIVE', doc, one.sign('LIVE', doc, body))).toBe('stale')
})

it('are not heard when anything of them was changed', () => {
  const [one, two, three] = [makeMachine(), makeMachine(), makeMachine()]
  const word = one.sign('LIVE', doc, body)
  expect(two.judge('AWARE', doc, word)).toBe('forged')
  expect(two.judge('LIVE', 't/o/r/g', word)).toBe('forged')
  for (let at = 0; at < word.byteLength; at += 1) {
    const changed = Uint8Array.from(word)
    changed[at]! ^= 1
    expect(['forged', 'stale']).toContain(two.judge('LIVE', doc, changed))
  }
  const inNameOfOther = Buffer.from(word)
  inNameOfOther.set(Buffer.from(three.device, 'hex'), 64)
  expect(two.judge('LIVE', doc, inNameOfOther)).toBe('forged')
  for (const end of [0, 63, 87, word.byteLength - 1])
    expect(two.judge('LIVE', doc, word.subarray(0, end))).toBe('forged')
  expect(two.judge('LIVE', doc, word)).toMatchObject({ device: one.device })
})

it('are not heard of another workspace, a machine that was unpaired, or of long ago', () => {
  const one = makeMachine()
  const elsewhere = makeMachine({ workspace: { id: new Uint8Array(16).fill(7), epoch: 2 } })
  expect(one.judge('LIVE', doc, elsewhere.sign('LIVE', doc, body))).toBe('forged')
  expect(one.judge('LIVE', doc, makeMachine({ isRevoked: true }).sign('LIVE', doc, body))).toBe('stale')
  const two = makeMachine()
  known.delete(two.device)
  expect(one.judge('LIVE', doc, two.sign('LIVE', doc, body))).toBe('stale')
  const old = makeMachine().sign('LIVE', doc, body)
  now += 6 * minute
  expect(one.judge('LIVE', doc, old)).toBe('stale')
})

it('are heard once the clock was put right that was ahead', () => {
  const [one, two] = [makeMachine(), makeMachine()]
  now += 60 * minute
  expect(two.judge('LIVE', doc, one.sign('LIVE', doc, body))).toMatchObject({ device: one.device })
  now -= 60 * minute
  const word = one.sign('LIVE', doc, body)
  expect(two.judge('LIVE', doc, word)).toMatchObject({ device: one.device })
  expect(two.judge('LIVE', doc, word)).toBe('stale')
})

it('of letters are read whole or not at all', () => {
  expect(readLetters(Uint8Array.of(1, 9, 2, 8, 7))).toEqual([Uint8Array.of(9), Uint8Array.of(8, 7)])
  expect(readLetters(Uint8Array.of(5, 9))).toBe(null)
  expect(readLetters(new Uint8Array(2_000))).toBe(null)
})
