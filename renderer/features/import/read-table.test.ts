import { describe, expect, it } from 'vitest'
import { TableError } from './read-table-error.ts'
import { maxColumns, readTable } from './read-table.ts'

const problemOf = (text: string): string => {
  try {
    readTable(text)
    return 'none'
  } catch (error) {
    return error instanceof TableError ? error.problem.code : 'other'
  }
}

describe('reading a table', () => {
  it.each([
    ['comma', 'a,b\n1,2\n'],
    ['semicolon', 'a;b\n1,5;2\n'],
    ['tab', 'a\tb\n1, 2\t2\n'],
    ['pipe', 'a|b\n1|2\n'],
  ])('finds out that cells are separated by %s', (format, text) => {
    const table = readTable(text)
    expect(table.format).toBe(format)
    expect(table.header).toEqual(['a', 'b'])
    expect(table.rows).toHaveLength(1)
  })

  it('keeps quotes, separators and line breaks inside of quoted cells', () => {
    expect(readTable('name,note\n"Ada, Countess","said ""hi""\nand left"\n').rows).toEqual([
      ['Ada, Countess', 'said "hi"\nand left'],
    ])
  })

  it('sees a first row of names, and sees when there is none', () => {
    expect(readTable('name,born\nAda,1815\n').hasHeader).toBe(true)
    expect(readTable('Ada,1815\nGrace,1906\n').hasHeader).toBe(false)
    expect(readTable('Ada,1815\nGrace,1906\n').rows).toHaveLength(2)
    expect(readTable('Ada,1815\nGrace,1906\n', true).rows).toHaveLength(1)
  })

  it('fills short lines, cuts long ones and counts both', () => {
    const table = readTable('a,b\n1\n1,2,3\n1,2\n')
    expect(table.rows).toEqual([
      ['1', ''],
      ['1', '2'],
      ['1', '2'],
    ])
    expect(table.uneven).toBe(2)
  })

  it('tells that a quotation mark is never closed', () => {
    expect(readTable('a,b\n"1,2\n3,4\n').unclosed).toBe(true)
  })

  it('reads JSON lists, wrapped lists and one object per line', () => {
    const rows = [
      ['Ada', '1815', ''],
      ['Grace', '', '{"x":1}'],
    ]
    expect(readTable('[{"name":"Ada","born":1815},{"name":"Grace","extra":{"x":1}}]').rows).toEqual(rows)
    expect(readTable('{"people":[{"name":"Ada","born":1815},{"name":"Grace","extra":{"x":1}}]}').rows).toEqual(rows)
    expect(readTable('{"name":"Ada","born":1815}\n{"name":"Grace","extra":{"x":1}}\n').rows).toEqual(rows)
  })

  it('says why a text is no table', () => {
    expect(problemOf('  \n ')).toBe('empty')
    expect(problemOf('PK\u0003\u0004\u0000\u0000')).toBe('notText')
    expect(problemOf('[{"a": 1},')).toBe('badJson')
    expect(problemOf('[1, 2')).toBe('badJson')
    expect(problemOf('[1, 2]')).toBe('badJson')
    expect(problemOf('[]')).toBe('empty')
    expect(problemOf(Array.from({ length: maxColumns + 1 }, (_, index) => `c${index}`).join(',') + '\n1\n')).toBe(
      'tooManyColumns',
    )
  })

  it('does not take a table whose first cell begins with a bracket for JSON', () => {
    expect(readTable('[Ref]\tName\nR1\tAda\n').header).toEqual(['[Ref]', 'Name'])
  })

  it('drops the mark at the beginning of a file and blank lines', () => {
    expect(readTable('\uFEFFa,b\n\n1,2\n,\n\n').rows).toEqual([['1', '2']])
  })
})
