// A head vouches for exactly the envelopes that were signed, in their order, in their workspace.
import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { SealedEnvelope } from '../core/types.ts'
import type { Run } from './chain.ts'
import { chainStart, headDueBefore, nextPoint, signHead, sinceHeadZero, verifyHead, verifyRun } from './chain.ts'
import { publicKeyOf, rawPublicKey, signerOf } from './device-key.ts'
import { runLimitBytes, runLimitCount, windowLimit } from './limits.ts'
import { isAdmissionSaid, isChannelProven, proveChannel, sayAdmission } from './proofs.ts'
import { WireError } from './wire-error.ts'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const signer = signerOf(privateKey)
const other = generateKeyPairSync('ed25519')
const workspace = new Uint8Array(16).fill(5)
const inc = 42

const envelopeAt = (seq: number, fill = seq): SealedEnvelope => ({
  inc,
  seq,
  epoch: 1,
  seal: 0,
  body: new Uint8Array(20).fill(fill),
})
const run = (from: number, to: number): SealedEnvelope[] =>
  Array.from({ length: to - from + 1 }, (_, index) => envelopeAt(from + index))
const pointAfter = (envelopes: readonly SealedEnvelope[]) =>
  envelopes.reduce((point, envelope) => nextPoint(point, workspace, envelope), chainStart())

const honest: Run = {
  workspace,
  before: pointAfter(run(1, 3)),
  envelopes: run(4, 8),
  head: signHead(signer, workspace, inc, pointAfter(run(1, 8))),
  publicKey,
}

describe('a run of envelopes', () => {
  it('passes against its head and gives the point to go on from', () => {
    expect(verifyRun(honest)).toEqual({ ok: true, point: pointAfter(run(1, 8)) })
    expect(verifyRun({ ...honest, envelopes: [], before: pointAfter(run(1, 8)) })).toMatchObject({ ok: true })
  })

  it('fails when an envelope is missing, added, swapped, changed or of somebody else', () => {
    const { envelopes, head } = honest
    const with2 = (change: Partial<SealedEnvelope>): SealedEnvelope[] =>
      envelopes.map((one, index) => (index === 2 ? { ...one, ...change } : one))
    const faults = {
      missing: verifyRun({ ...honest, envelopes: envelopes.filter((_, index) => index !== 2) }),
      short: verifyRun({ ...honest, envelopes: envelopes.slice(0, -1) }),
      long: verifyRun({ ...honest, envelopes: [...envelopes, envelopeAt(9)] }),
      swapped: verifyRun({ ...honest, envelopes: [envelopes[1]!, envelopes[0]!, ...envelopes.slice(2)] }),
      body: verifyRun({ ...honest, envelopes: with2({ body: new Uint8Array(20) }) }),
      cutBody: verifyRun({ ...honest, envelopes: with2({ body: envelopes[2]!.body.subarray(1) }) }),
      epoch: verifyRun({ ...honest, envelopes: with2({ epoch: 2 }) }),
      seal: verifyRun({ ...honest, envelopes: with2({ seal: 1 }) }),
      inc: verifyRun({ ...honest, envelopes: with2({ inc: 43 }) }),
      past: verifyRun({ ...honest, before: { ...honest.before, hash: new Uint8Array(32) } }),
      workspace: verifyRun({ ...honest, workspace: new Uint8Array(16).fill(6) }),
      key: verifyRun({ ...honest, publicKey: other.publicKey }),
      hash: verifyRun({ ...honest, head: { ...head, hash: new Uint8Array(32) } }),
      replay: verifyRun({ ...honest, head: { ...head, seq: 9 } }),
      signature: verifyRun({ ...honest, head: { ...head, sig: new Uint8Array(64) } }),
    }
    expect(Object.fromEntries(Object.entries(faults).map(([name, found]) => [name, !found.ok && found.fault]))).toEqual(
      {
        missing: 'gap',
        short: 'gap',
        long: 'gap',
        swapped: 'gap',
        body: 'hash',
        cutBody: 'hash',
        epoch: 'hash',
        seal: 'hash',
        inc: 'foreign',
        past: 'hash',
        workspace: 'signature',
        key: 'signature',
        hash: 'signature',
        replay: 'signature',
        signature: 'signature',
      },
    )
  })

  it('cannot be moved into another workspace by signing anew what was chained here', () => {
    const elsewhere = new Uint8Array(16).fill(6)
    const head = signHead(signer, elsewhere, inc, pointAfter(run(1, 8)))
    const moved = verifyRun({ ...honest, workspace: elsewhere, head })
    expect(moved).toEqual({ ok: false, fault: 'hash' })
  })

  it('starts anew for nobody: what one caller does to the start does not reach the next', () => {
    chainStart().hash.fill(9)
    expect(chainStart().hash).toEqual(new Uint8Array(32))
  })
})

describe('a head', () => {
  it('is due before a run grows beyond 256 envelopes or 512 KiB, and one larger envelope stands alone', () => {
    expect(headDueBefore(sinceHeadZero, windowLimit)).toBe(false)
    expect(headDueBefore({ count: runLimitCount - 1, bytes: 0 }, 1)).toBe(false)
    expect(headDueBefore({ count: runLimitCount, bytes: 0 }, 1)).toBe(true)
    expect(headDueBefore({ count: 1, bytes: runLimitBytes - 10 }, 10)).toBe(false)
    expect(headDueBefore({ count: 1, bytes: runLimitBytes - 10 }, 11)).toBe(true)
  })

  it('with a signature of any length is judged, never thrown at', () => {
    for (const length of [0, 1, 63, 65, 1000])
      expect(verifyHead(publicKey, workspace, { ...honest.head, sig: new Uint8Array(length) })).toBe(false)
  })
})

describe('keys and proofs', () => {
  it('keys travel as 32 bytes', () => {
    const raw = rawPublicKey(publicKey)
    expect(raw).toHaveLength(32)
    expect(rawPublicKey(privateKey)).toEqual(raw)
    expect(verifyHead(publicKeyOf(raw), workspace, honest.head)).toBe(true)
    expect(() => publicKeyOf(raw.subarray(1))).toThrow(WireError)
    expect(() => rawPublicKey(generateKeyPairSync('x25519').publicKey)).toThrow(WireError)
  })

  it('a proof is worth something on its own connection and from its own side alone', () => {
    const channel = new Uint8Array(32).fill(1)
    const proof = proveChannel(signer, channel, 'client')
    expect(isChannelProven(proof, channel, 'client')).toBe(true)
    expect(isChannelProven(proof, channel, 'server')).toBe(false)
    expect(isChannelProven(proof, new Uint8Array(32).fill(2), 'client')).toBe(false)
    expect(isChannelProven({ ...proof, key: rawPublicKey(other.publicKey) }, channel, 'client')).toBe(false)
    expect(isChannelProven({ ...proof, key: new Uint8Array(32) }, channel, 'client')).toBe(false)
  })

  it('a word of admission cannot be turned round, moved or redated', () => {
    const word = sayAdmission('GRANT', { signer, workspace, key: rawPublicKey(other.publicKey), at: 7 })
    expect(isAdmissionSaid(workspace, word)).toBe(true)
    expect(isAdmissionSaid(workspace, { ...word, kind: 'REVOKE' })).toBe(false)
    expect(isAdmissionSaid(new Uint8Array(16), word)).toBe(false)
    expect(isAdmissionSaid(workspace, { ...word, at: 8 })).toBe(false)
    expect(isAdmissionSaid(workspace, { ...word, by: word.key })).toBe(false)
  })
})
