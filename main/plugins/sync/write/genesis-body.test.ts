import { deflateRawSync } from 'node:zlib'
import * as encoding from 'lib0/encoding'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bodyLimit } from '#main/replication/wire/envelope-codec.ts'
import { packGenesis, unpackGenesis } from './genesis-body.ts'

const docs = fc.array(
  fc.record({ name: fc.string({ unit: 'binary' }), author: fc.string(), update: fc.uint8Array({ maxLength: 400 }) }),
  { maxLength: 40 },
)

/** What a peer sends that says another size than its documents have. */
function forged(size: number, deflated: Uint8Array): Uint8Array {
  const encoder = encoding.createEncoder()
  encoding.writeVarUint(encoder, size)
  encoding.writeUint8Array(encoder, deflated)
  return encoding.toUint8Array(encoder)
}

describe('the body of a genesis envelope', () => {
  it('unpacks to what was packed', () => {
    fc.assert(
      fc.property(docs, (all) => {
        expect(unpackGenesis(packGenesis(all))).toEqual(all)
      }),
    )
  })

  it('is much smaller than documents that repeat each other', () => {
    const all = Array.from({ length: 200 }, (_, index) => ({
      name: `r/task/${index}`,
      author: 'owner',
      update: Buffer.from(`title: record ${index}; state: open; `.repeat(10)),
    }))
    const plain = all.reduce((sum, { name, author, update }) => sum + name.length + author.length + update.length, 0)
    expect(packGenesis(all).length).toBeLessThan(plain / 5)
  })

  it('is refused when it would fill the memory, however small it arrives', () => {
    const length = 64 * 1024 * 1024
    const bomb = deflateRawSync(new Uint8Array(length))
    for (const size of [0, 1, 1000, bodyLimit, bodyLimit + 1, length]) {
      const bytes = forged(size, bomb)
      expect(bytes.length).toBeLessThan(100_000)
      expect(() => unpackGenesis(bytes)).toThrow(/documents/)
    }
  })

  it('is refused when it is cut, when bytes are changed, or when it says more than it holds', () => {
    const bytes = packGenesis([{ name: 'r/task/1', author: 'owner', update: new Uint8Array([1, 2, 3]) }])
    for (let end = 0; end < bytes.length; end += 1)
      expect(() => unpackGenesis(bytes.subarray(0, end))).toThrow(/documents/)
    expect(() => unpackGenesis(forged(2, deflateRawSync(new Uint8Array([0]))))).toThrow('fewer documents')
    expect(() => unpackGenesis(forged(2, deflateRawSync(new Uint8Array([0, 0]))))).toThrow('does not end where')
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (noise) => {
        try {
          unpackGenesis(noise)
        } catch (error) {
          expect(error).toMatchObject({ name: 'DocError' })
        }
      }),
    )
  })
})
