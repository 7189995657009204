// What pairing writes and reads: frames, links, payloads and addresses, there and back, and nothing that is none.
import { describe, expect, it } from 'vitest'
import type { PairMessage } from '#main/replication/channel/pairing.ts'
import { writeCbor } from '#main/replication/wire/cbor.ts'
import { encodeFrame } from '#main/replication/wire/frame-codec.ts'
import { WireError } from '#main/replication/wire/wire-error.ts'
import { formatAddress, parseAddress, parseRelayUrl } from './addresses.ts'
import { pairCodec } from './pair-codec.ts'
import { formatPairLink, parsePairLink } from './pair-link.ts'
import { decodePayload, PayloadVersionError } from './pair-payload.ts'

const bytes = (fill: number): Uint8Array => new Uint8Array(32).fill(fill)
const card = { name: 'Study', signKey: bytes(1) }

describe('messages of pairing', () => {
  it.each<PairMessage>([
    { kind: 'commit', card, commitment: bytes(2), proof: bytes(3) },
    { kind: 'challenge', card, nonce: bytes(4) },
    { kind: 'reveal', nonce: bytes(5) },
    { kind: 'confirmed' },
    { kind: 'payload', payload: bytes(6) },
    { kind: 'received' },
    { kind: 'refused', reason: 'code_invalid', triesLeft: 2 },
    { kind: 'refused', reason: 'cancelled' },
  ])('travel: $kind', (message) => {
    expect(pairCodec.decode(pairCodec.encode(message))).toEqual(message)
  })

  it('are no other frames, and a reason of a newer version is a broken exchange', () => {
    expect(() => pairCodec.decode(encodeFrame({ kind: 'PING', id: 1 }))).toThrow(WireError)
    expect(() => pairCodec.decode(new Uint8Array([1, 2, 3]))).toThrow(WireError)
    const newer = writeCbor({ kind: 'refused', reason: 'moon_phase' })
    expect(pairCodec.decode(newer)).toEqual({ kind: 'refused', reason: 'protocol' })
  })
})

describe('the link of an invite', () => {
  const link = { code: '0123456', fingerprint: 'ab'.repeat(32), addresses: ['192.0.2.1:47810', '[2001:db8::1]:47810'] }

  it('says all of it, the secret behind the #', () => {
    const text = formatPairLink(link)
    expect(parsePairLink(text)).toEqual(link)
    expect(text.split('#')[0]).not.toContain(link.code)
    expect(text.split('#')[0]).not.toContain(link.fingerprint)
  })

  it.each([
    '',
    'cairn://pair',
    'cairn://open?a=b#c=0123456',
    'https://pair?a=b#c=0123456',
    'cairn://pair?a=b#c=12&f=ab',
  ])('is not %j', (text) => {
    expect(parsePairLink(text)).toBeUndefined()
  })
})

describe('addresses', () => {
  it.each(['192.0.2.1:47810', 'laptop.local:1', '[2001:db8::1]:65535', 'localhost:80'])(
    'are read as written: %s',
    (text) => {
      expect(formatAddress(parseAddress(text)!)).toBe(text)
    },
  )

  it.each([
    '192.0.2.1',
    ':80',
    'a:0',
    'a:65536',
    '999.1.1.1:80',
    '2001:db8::1:80',
    '[nonsense]:80',
    'a b:80',
    'a/b:80',
    'u@h:80',
  ])('are not %j', (text) => {
    expect(parseAddress(text)).toBeUndefined()
  })

  it('of a relay have a scheme and nothing else', () => {
    expect(parseRelayUrl('wss://relay.example:7000/')).toEqual({ host: 'relay.example', port: 7000 })
    for (const text of [
      'ws://relay.example:7000',
      'wss://relay.example',
      'wss://u:p@relay.example:1',
      'wss://a:1/x',
      'wss://a:1?x',
    ])
      expect(parseRelayUrl(text)).toBeUndefined()
  })
})

describe('what is handed over', () => {
  it('is refused by its version before anything else of it is read', () => {
    expect(() => decodePayload(Buffer.from('{"version":2}'))).toThrow(PayloadVersionError)
    expect(() => decodePayload(Buffer.from('{"version":1}'))).toThrow()
    expect(() => decodePayload(Buffer.from('nonsense'))).toThrow(SyntaxError)
  })
})
