// Words about a mailbox come back from their bytes as they were; what is none is refused by name.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { MailboxWord } from './mailbox-words.ts'
import { decodeMailboxWord, encodeMailboxWord } from './mailbox-words.ts'
import { WireError } from './wire-error.ts'

const box = new Uint8Array(10).fill(1)
const words: MailboxWord[] = [
  {
    kind: 'open',
    box,
    ws: new Uint8Array(16).fill(2),
    epoch: 3,
    key: new Uint8Array(32).fill(4),
    sig: new Uint8Array(64).fill(5),
  },
  { kind: 'visit', box },
  { kind: 'opened' },
  { kind: 'joined' },
  { kind: 'refused', code: 'too_many' },
]

it.each(words)('come back as they were: $kind', (word) => {
  expect(decodeMailboxWord(encodeMailboxWord(word))).toEqual(word)
})

it.each(words)('cut anywhere or lengthened are refused: $kind', (word) => {
  const encoded = encodeMailboxWord(word)
  for (let length = 0; length < encoded.length; length += 1)
    expect(() => decodeMailboxWord(encoded.subarray(0, length))).toThrow(WireError)
  expect(() => decodeMailboxWord(new Uint8Array([...encoded, 0]))).toThrow(WireError)
})

it('are bytes of any kind, or a typed refusal', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 150 }), (bytes) => {
      try {
        expect(encodeMailboxWord(decodeMailboxWord(bytes)).byteLength).toBeLessThanOrEqual(bytes.byteLength)
      } catch (error) {
        expect(error).toBeInstanceOf(WireError)
      }
    }),
  )
  expect(() => encodeMailboxWord({ kind: 'visit', box: new Uint8Array(9) })).toThrow(WireError)
})
