import * as encoding from 'lib0/encoding'
import { describe, expect, it } from 'vitest'
import * as Y from 'yjs'
import { DocError } from './doc-error.ts'
import { inspectUpdate } from './inspect-update.ts'

function updateOf(change: (doc: Y.Doc) => void): Uint8Array {
  const doc = new Y.Doc()
  change(doc)
  return Y.encodeStateAsUpdate(doc)
}

/** Bytes of an update with one client, its structs written by hand. */
function handmade(structs: number, write: (encoder: encoding.Encoder) => void, clock = 0): Uint8Array {
  const encoder = encoding.createEncoder()
  encoding.writeVarUint(encoder, 1)
  encoding.writeVarUint(encoder, structs)
  encoding.writeVarUint(encoder, 7)
  encoding.writeVarUint(encoder, clock)
  write(encoder)
  encoding.writeVarUint(encoder, 0)
  return encoding.toUint8Array(encoder)
}

function gc(encoder: encoding.Encoder, length: number): void {
  encoding.writeUint8(encoder, 0)
  encoding.writeVarUint(encoder, length)
}

function refusal(update: Uint8Array): string {
  try {
    inspectUpdate(update)
  } catch (error) {
    if (error instanceof DocError) return error.reason
  }
  return 'accepted'
}

const deep = (levels: number) =>
  updateOf((doc) => doc.getArray('f').push([JSON.parse('['.repeat(levels) + ']'.repeat(levels))]))

describe('inspectUpdate', () => {
  it('gives the parts of an update', () => {
    const update = updateOf((doc) => doc.getArray('f').push([1, 2]))
    expect(inspectUpdate(update).structs).toHaveLength(1)
    expect(inspectUpdate(new Uint8Array([0, 0])).structs).toHaveLength(0)
  })

  it.each<[string, Uint8Array]>([
    ['nothing', new Uint8Array()],
    ['a count without structs', new Uint8Array([1, 255, 255, 3, 7, 0])],
    ['bytes after its end', new Uint8Array([0, 0, 0])],
    [
      'an unknown kind of content',
      handmade(1, (encoder) => encoding.writeUint8Array(encoder, new Uint8Array([15, 1, 1, 102, 1]))),
    ],
    ['a struct without length', handmade(1, (encoder) => gc(encoder, 0))],
    ['a struct beyond exact numbers', handmade(2, (encoder) => [gc(encoder, 2 ** 53 - 2), gc(encoder, 9)])],
    ['a document within the document', updateOf((doc) => doc.getMap('f').set('d', new Y.Doc()))],
    ['a type within the document', updateOf((doc) => doc.getArray('f').push([new Y.Array()]))],
    ['a value nested without end', deepValue(400_000)],
  ])('refuses %s', (_what, update) => {
    expect(refusal(update)).toBe('invalid')
  })

  it('refuses values nested too deeply and takes those at the limit', () => {
    expect(refusal(deep(16))).toBe('accepted')
    expect(refusal(deep(17))).toBe('too_big')
    expect(
      refusal(
        updateOf((doc) => doc.getText('t').insertEmbed(0, JSON.parse('{"a":'.repeat(20) + '1' + '}'.repeat(20)))),
      ),
    ).toBe('too_big')
  })

  it('counts structs and bytes', () => {
    const many = (count: number) =>
      handmade(count, (encoder) => {
        for (let i = 0; i < count; i++) gc(encoder, 1)
      })
    expect(refusal(many(20_000))).toBe('accepted')
    expect(refusal(many(20_001))).toBe('too_big')
    expect(refusal(new Uint8Array(6 * 1024 * 1024 + 1))).toBe('too_big')
  })

  it('counts values and removed ranges, which make splitting slow', () => {
    const values = (count: number) => updateOf((doc) => doc.getArray('f').push(Array<null>(count).fill(null)))
    expect(refusal(values(20_000))).toBe('accepted')
    expect(refusal(values(20_001))).toBe('too_big')
    const ranges = (count: number) => {
      const encoder = encoding.createEncoder()
      for (const number of [0, 1, 7, count]) encoding.writeVarUint(encoder, number)
      for (let i = 0; i < count; i++) for (const number of [i * 2, 1]) encoding.writeVarUint(encoder, number)
      return encoding.toUint8Array(encoder)
    }
    expect(refusal(ranges(20_000))).toBe('accepted')
    expect(refusal(ranges(20_001))).toBe('too_big')
  })

  it('is not led into memory by a count', () => {
    const before = process.memoryUsage().heapUsed
    for (let i = 0; i < 200; i++) expect(refusal(new Uint8Array([1, 255, 255, 255, 127, 7, 0]))).toBe('invalid')
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(50_000_000)
  })
})

/** An entry of arrays within arrays, written by hand: its own encoder would fail on it. */
function deepValue(levels: number): Uint8Array {
  return handmade(1, (encoder) => {
    encoding.writeUint8(encoder, 8)
    encoding.writeVarUint(encoder, 1)
    encoding.writeVarString(encoder, 'f')
    encoding.writeVarUint(encoder, 1)
    for (let i = 0; i < levels; i++) {
      encoding.writeUint8(encoder, 117)
      encoding.writeVarUint(encoder, 1)
    }
    encoding.writeUint8(encoder, 126)
  })
}
