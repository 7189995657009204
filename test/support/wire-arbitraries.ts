// Arbitrary envelopes, vectors and frames within the limits of the wire. Knows the shapes, no bytes.
import fc from 'fast-check'
import type { EnvelopeBody, Fact, Head, Json, SealedEnvelope, Vector } from '#main/replication/core/types.ts'
import { writeCbor } from '#main/replication/wire/cbor.ts'
import { bucketCount, logicalHashBytes, nameHashBytes } from '#main/replication/wire/frames.ts'
import type { KnownFrame, Piece, UnknownFrame } from '#main/replication/wire/frames.ts'
import { maxSequence } from '#main/replication/wire/limits.ts'

const wellFormed = fc.string({ unit: 'binary', maxLength: 12 })
const shortText = fc.string({ unit: 'grapheme', maxLength: 8 })
const incarnation = fc.integer({ min: 0, max: 0xff_ff_ff_ff })
const sequence = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: maxSequence }))
const revision = fc.integer({ min: 0, max: 0xff_ff_ff_ff })
const time = fc.integer({ min: 0, max: 2 ** 48 - 1 })
const exact = (length: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ minLength: length, maxLength: length })
const some = (maxLength: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ maxLength })

/** JSON as it comes back from its text: without negative zero, and without the key that is refused. */
const jsonValue: fc.Arbitrary<Json> = fc
  .jsonValue({ maxDepth: 4 })
  .map((value) => JSON.parse(JSON.stringify(value).replaceAll('__proto__', 'proto')) as Json)

const fact: fc.Arbitrary<Fact> = fc.record({ id: wellFormed, kind: shortText, value: jsonValue })

/** Bodies of every kind. */
export const arbitraryBody: fc.Arbitrary<EnvelopeBody> = fc.record({
  doc: wellFormed,
  kind: fc.constantFrom('update', 'text', 'feed', 'facts', 'genesis', 'control'),
  hlc: fc.record({ ms: time, ctr: fc.integer({ min: 0, max: 0xffff }) }),
  group: fc.record({ first: sequence, count: fc.integer({ min: 1, max: 5000 }) }),
  author: wellFormed,
  aclRev: revision,
  schemaRev: revision,
  update: some(300),
  facts: fc.array(fact, { maxLength: 4 }),
})

/** Envelopes with any body. */
export const arbitraryEnvelope: fc.Arbitrary<SealedEnvelope> = fc.record({
  inc: incarnation,
  seq: sequence,
  epoch: revision,
  seal: fc.integer({ min: 0, max: 255 }),
  body: some(300),
})

/** Vectors of up to 40 incarnations. */
export const arbitraryVector: fc.Arbitrary<Vector> = fc
  .array(fc.tuple(incarnation, sequence), { maxLength: 40 })
  .map((entries) => new Map(entries))

const head: fc.Arbitrary<Head> = fc.record({ inc: incarnation, seq: sequence, hash: exact(32), sig: exact(64) })
const piece: fc.Arbitrary<Piece> = fc
  .record({ part: fc.nat(20), more: fc.integer({ min: 1, max: 20 }), size: fc.nat(2 ** 20), bytes: some(300) })
  .map(({ part, more, size, bytes }) => ({ part, parts: part + more, size, bytes }))
const word = { key: exact(32), by: exact(32), at: time, sig: exact(64) }
const is = <K extends string>(kind: K): fc.Arbitrary<K> => fc.constant(kind)

/** A record where a key of `keys` may be missing. */
function partly<T extends object>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }, keys: (keyof T)[]): fc.Arbitrary<T> {
  const requiredKeys = (Object.keys(model) as (keyof T)[]).filter((key) => !keys.includes(key))
  return fc.record(model, { requiredKeys }) as unknown as fc.Arbitrary<T>
}

/** One arbitrary for each kind of frame; a kind without one does not compile. */
const byKind: { readonly [K in KnownFrame['kind']]: fc.Arbitrary<KnownFrame> } = {
  HELLO: fc
    .record({
      kind: is('HELLO'),
      low: fc.nat(9),
      more: fc.nat(9),
      ws: exact(16),
      epoch: revision,
      device: shortText,
      inc: incarnation,
      time,
      appVersion: shortText,
      schemaRev: revision,
      vector: arbitraryVector,
    })
    .map(({ low, more, ...rest }) => ({ ...rest, protoMin: low, protoMax: low + more })),
  AUTH: partly({ kind: is('AUTH'), key: exact(32), sig: exact(64), token: shortText }, ['token']),
  ENV: partly({ kind: is('ENV'), envelopes: fc.array(arbitraryEnvelope, { maxLength: 5 }), head }, ['head']),
  ENVPART: piece.map((one) => ({ kind: 'ENVPART', ...one })),
  ACK: fc.record({ kind: is('ACK'), vector: arbitraryVector }),
  WANT: fc
    .record({ inc: incarnation, from: fc.integer({ min: 1, max: 2 ** 40 }), more: fc.nat(1000) })
    .map(({ inc, from, more }) => ({ kind: 'WANT', inc, from, to: from + more })),
  DIGESTHASH: fc.record({ kind: is('DIGESTHASH'), vector: arbitraryVector, hash: exact(32) }),
  DIGEST: fc.record({
    kind: is('DIGEST'),
    vector: arbitraryVector,
    buckets: some(16).map((seed) => new Uint8Array(bucketCount * logicalHashBytes).fill(seed[0] ?? 0)),
  }),
  BUCKET: partly(
    {
      kind: is('BUCKET'),
      bucket: fc.nat(bucketCount - 1),
      entries: fc.array(fc.record({ name: exact(nameHashBytes), hash: exact(logicalHashBytes) }), { maxLength: 5 }),
    },
    ['entries'],
  ),
  DOCSYNC: fc
    .tuple(piece, wellFormed, fc.constantFrom(1, 2))
    .map(([one, doc, step]) => ({ kind: 'DOCSYNC', doc, step, ...one })),
  LIVE: fc.record({ kind: is('LIVE'), doc: wellFormed, update: some(300) }),
  AWARE: fc.record({ kind: is('AWARE'), doc: wellFormed, update: some(300) }),
  BARRIER: fc.record({ kind: is('BARRIER'), id: revision, reply: fc.boolean() }),
  GRANT: fc.record({ kind: is('GRANT'), ...word }),
  REVOKE: fc.record({ kind: is('REVOKE'), ...word }),
  NARROW: fc.record({ kind: is('NARROW'), ...word }),
  ERR: partly(
    { kind: is('ERR'), code: shortText, item: fc.record({ inc: incarnation, seq: sequence }), detail: shortText },
    ['item', 'detail'],
  ),
  PLACE: fc.record({ kind: is('PLACE'), addresses: fc.array(shortText, { maxLength: 16 }) }),
  PING: fc.record({ kind: is('PING'), id: revision }),
  PONG: fc.record({ kind: is('PONG'), id: revision }),
  DONE: fc.record({ kind: is('DONE'), vector: arbitraryVector }),
}

/** Frames of every known kind. */
export const arbitraryFrame: fc.Arbitrary<KnownFrame> = fc.oneof(...Object.values(byKind))

/** Frames of kinds that no version has given yet. */
export const arbitraryUnknownFrame: fc.Arbitrary<UnknownFrame> = fc
  .record({ kind: shortText.map((word) => `LATER${word}`), what: some(300), count: revision })
  .map((frame) => ({ kind: 'unknown', bytes: writeCbor(frame) }))

/** One of them. */
export const laterFrame: UnknownFrame = { kind: 'unknown', bytes: writeCbor({ kind: 'LATER', what: 3 }) }

/** A greeting as protocol 1 wrote it: of the device `d`, with an empty vector. */
export const formerGreeting = new Uint8Array([
  ...[1, 1, 1],
  ...new Uint8Array(16).fill(7),
  ...[1, 1, 0x64, 0, 0, 0, 5, 1, 5, ...Buffer.from('1.0.0'), 0, 0],
])

/** A frame that no device expects of another one. */
export const unexpectedFrame: KnownFrame = {
  kind: 'GRANT',
  key: new Uint8Array(32),
  by: new Uint8Array(32),
  at: 1,
  sig: new Uint8Array(64),
}
