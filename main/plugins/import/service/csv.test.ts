// CSV text: RFC 4180, delimiters, pieces of any size; compared with another reader.
import fc from 'fast-check'
import Papa from 'papaparse'
import { describe, expect, it } from 'vitest'
import { createCsvReader, csvLines, readHeader } from './csv.ts'
import { withMark, withoutMark } from './cell-text.ts'

/** Reads a text in pieces of a length. */
function read(text: string, delimiter?: string, length = text.length || 1): (string | null)[][] {
  const reader = createCsvReader(delimiter)
  const rows: (string | null)[][] = []
  for (let at = 0; at < text.length; at += length) rows.push(...reader.push(text.slice(at, at + length)))
  return [...rows, ...reader.end()]
}

const cell = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.string({ unit: fc.constantFrom('"', ',', ';', '\n', '\r', '\t', 'a', ' ', "'", '='), maxLength: 8 }),
)

describe('createCsvReader', () => {
  it('tells nothing from an empty text', () => {
    expect(read('a,b,c\n1,,""\n"x""y" ,"l1\nl2",\n')).toEqual([
      ['a', 'b', 'c'],
      ['1', null, ''],
      ['x"y', 'l1\nl2', null],
    ])
  })

  it('refuses text after a closing quotation mark by its row, wherever the pieces end', () => {
    const text = 'a,b\n\n"6" pipe,"x"\n1,2\n'
    for (const length of [1, 2, 5, text.length])
      expect(() => read(text, ',', length)).toThrow(
        expect.objectContaining({
          details: { fieldErrors: [expect.objectContaining({ message: expect.stringContaining('row 3') as string })] },
        }),
      )
    expect(read('6" pipe,"6"" pipe"\n')).toEqual([['6" pipe', '6" pipe']])
  })

  it('keeps every character, those too that it marks with', () => {
    const marks = '\uffff\ufffe\u2028\u2029\u1680'
    const rows = [
      ['a', 'b'],
      [marks, 'l1\r\nl2\rl3'],
      ['', '"",\r\n'],
      ['x\r', 'y\u2028'],
    ]
    expect(read(csvLines(rows, ','), ',')).toEqual(rows)
    const all = [...'\uffff\ufffe\ufdd0\ufdd1\ufdd2'].join('')
    expect(() => read(`"${all}"`, ',')).toThrow()
    expect(read(all, ',')).toEqual([[all]])
  })

  it('ends lines at LF, CRLF and CR, and leaves blank lines out', () => {
    expect(read('a\r\n\r\nb\rc\n \nd')).toEqual([['a'], ['b'], ['c'], ['d']])
  })

  it('finds the delimiter out, or takes it from the first line', () => {
    for (const mark of [',', ';', '\t', '|']) {
      expect(read(`name${mark}text\nA${mark}"x, y; z"\nB${mark}2\n`)).toEqual([
        ['name', 'text'],
        ['A', 'x, y; z'],
        ['B', '2'],
      ])
    }
    expect(read('price;text\n1,5;a\n2,5;b\n')[1]).toEqual(['1,5', 'a'])
    expect(read('sep=|\na|b;c\n')).toEqual([['a', 'b;c']])
    expect(read('one\ntwo\n')).toEqual([['one'], ['two']])
  })

  it('refuses an open quotation mark and a row that never ends', () => {
    expect(() => read('a\n"open')).toThrow()
    const reader = createCsvReader(',')
    expect(() => {
      for (let n = 0; n < 100; n += 1) reader.push(`"${'x'.repeat(100_000)}`.slice(n === 0 ? 0 : 1))
    }).toThrow()
  })

  it('gives the same rows whatever the pieces are', () => {
    const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(table, fc.integer({ min: 1, max: 7 }), (rows, length) => {
        const text = csvLines(rows, ',')
        expect(read(text, ',', length)).toEqual(read(text, ','))
      }),
    )
  })

  it('reads what lines were written of, as another reader does', () => {
    const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(table, fc.constantFrom(',', ';', '\t'), (rows, mark) => {
        const text = csvLines(rows, mark)
        const kept = rows.filter((row) => row.some((value) => value.trim() !== ''))
        expect(read(text, mark)).toEqual(kept.map((row) => row.map(withoutMark)))
        const { data } = Papa.parse<string[]>(text, { delimiter: mark, newline: '\r\n' })
        expect(data.slice(0, -1)).toEqual(rows)
      }),
    )
  })
})

describe('readHeader', () => {
  it('trims names and refuses a name that occurs twice', () => {
    expect(readHeader([' a ', null, 'b'])).toEqual(['a', '', 'b'])
    expect(() => readHeader(['a', ' a'])).toThrow()
  })
})

describe('withMark', () => {
  it('guards every cell that a spreadsheet would run, and is undone by withoutMark', () => {
    const risky = fc.string({
      unit: fc.constantFrom("'", ...'=+-@＝＋－＠\t\r\n\0a"'),
      maxLength: 6,
    })
    fc.assert(
      fc.property(fc.oneof(risky, fc.string()), (text) => {
        expect(withMark(text)).not.toMatch(/^[=+\-@＝＋－＠\t\r\n\0]/)
        expect(withoutMark(withMark(text))).toBe(text)
      }),
    )
  })
})
