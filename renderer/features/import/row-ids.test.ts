import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRowIds } from './row-ids.ts'

const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('ids of imported rows', () => {
  const row = fc.integer({ min: 0, max: 2 ** 32 - 1 })

  it('are UUIDs of version 7', () => {
    const rowId = createRowIds()
    fc.assert(
      fc.property(row, (index) => {
        expect(rowId(index)).toMatch(uuidV7)
      }),
    )
  })

  it('sort as the rows do and never repeat', () => {
    const rowId = createRowIds(1_790_000_000_000)
    fc.assert(
      fc.property(row, row, (a, b) => {
        expect(Math.sign(rowId(a).localeCompare(rowId(b)))).toBe(Math.sign(a - b))
      }),
    )
  })

  it('carry the instant of the import', () => {
    expect(createRowIds(0x0123456789ab)(0).slice(0, 13)).toBe('01234567-89ab')
  })

  it('differ between two imports of the same millisecond', () => {
    const random = fc.uint8Array({ minLength: 6, maxLength: 6 })
    const low42 = (bytes: Uint8Array): bigint =>
      bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n) & ((1n << 42n) - 1n)
    fc.assert(
      fc.property(random, random, (a, b) => {
        expect(createRowIds(5, a)(7) === createRowIds(5, b)(7)).toBe(low42(a) === low42(b))
      }),
    )
  })
})
