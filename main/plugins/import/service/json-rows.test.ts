// Rows out of JSON text that comes in pieces.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createJsonRowReader } from './json-rows.ts'
import type { NamedRow } from './json-rows.ts'

function read(text: string, length = text.length || 1): NamedRow[] {
  const reader = createJsonRowReader()
  const rows: NamedRow[] = []
  for (let at = 0; at < text.length; at += length) rows.push(...reader.push(text.slice(at, at + length)))
  return [...rows, ...reader.end()]
}

const row = fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { noNullPrototype: true })

describe('createJsonRowReader', () => {
  it('reads lines and arrays alike, whatever the pieces are', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 6 }), fc.integer({ min: 1, max: 9 }), (rows, length) => {
        const wanted = JSON.parse(JSON.stringify(rows)) as unknown
        expect(read(rows.map((one) => JSON.stringify(one)).join('\n'), length)).toEqual(wanted)
        expect(read(JSON.stringify(rows), length)).toEqual(wanted)
        expect(read(JSON.stringify(rows, null, 2), length)).toEqual(wanted)
      }),
    )
  })

  it('leaves blank lines out and reads nothing as no rows', () => {
    expect(read('\n{"a":1}\r\n\n')).toEqual([{ a: 1 }])
    expect(read('')).toEqual([])
    expect(read('[]')).toEqual([])
  })

  it('names the row that is no object, cut off or followed by something', () => {
    const refusal = (text: string) => {
      try {
        read(text)
      } catch (error) {
        return (error as { details: { fieldErrors: unknown[] } }).details.fieldErrors
      }
      return []
    }
    expect(refusal('{"a":1}\n5\n')).toMatchObject([{ field: 'rows.1', code: 'invalid_type' }])
    expect(refusal('[{"a":1},[2]]')).toMatchObject([{ field: 'rows.1', code: 'invalid_type' }])
    expect(refusal('{"a":')).toMatchObject([{ field: 'rows.0', code: 'invalid_json' }])
    expect(refusal('[{"a":1}')).toMatchObject([{ field: 'rows.1', code: 'invalid_json' }])
    const deep = `{"a":${'['.repeat(100)}${']'.repeat(100)}}`
    expect(refusal(`{"a":1}\n${deep}`)).toMatchObject([{ field: 'rows.1', code: 'invalid_json' }])
    expect(refusal(`[${deep}]`)).toMatchObject([{ field: 'rows.0', code: 'invalid_json' }])
    expect(refusal('[{"a":1}] {"b":2}')).toMatchObject([{ field: 'rows.1', code: 'invalid_json' }])
    expect(refusal(`[${'['.repeat(7_000_000)}`)).toMatchObject([{ field: 'rows.0', code: 'max_length' }])
  })
})
