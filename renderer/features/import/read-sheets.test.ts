import { describe, expect, it } from 'vitest'
import writeXlsx from 'write-excel-file/node'
import { isSpreadsheet, readSheets, tableOfSheet } from './read-sheets.ts'

async function spreadsheet(): Promise<Blob> {
  const file = writeXlsx([
    {
      sheet: 'People',
      data: [
        ['Name', 'Born', 'Score', 'Alive'].map((value) => ({ value })),
        [
          { value: 'Ada' },
          { value: new Date('1815-12-10T00:00:00Z'), format: 'yyyy-mm-dd' },
          { value: 1.5 },
          { value: false },
        ],
        [null, null, null, null],
        [{ value: 'Grace' }, null, { value: 2 }, { value: true }],
      ],
    },
    { sheet: 'Empty', data: [] },
  ])
  const buffer = await file.toBuffer()
  return new Blob([new Uint8Array(buffer)])
}

describe('reading spreadsheets', () => {
  it('reads numbers, days and yes-no as texts and leaves empty rows out', async () => {
    const file = await spreadsheet()
    expect(await isSpreadsheet(file)).toBe(true)
    const [people, empty] = await readSheets(file)
    expect(people?.name).toBe('People')
    const table = tableOfSheet(people!)
    expect(table.header).toEqual(['Name', 'Born', 'Score', 'Alive'])
    expect(table.rows).toEqual([
      ['Ada', '1815-12-10', '1.5', 'false'],
      ['Grace', '', '2', 'true'],
    ])
    expect(tableOfSheet(people!, false).rows).toHaveLength(3)
    expect(() => tableOfSheet(empty!)).toThrow(expect.objectContaining({ problem: { code: 'emptySheet', reason: '' } }))
  })

  it('refuses what only begins like a spreadsheet', async () => {
    const file = new Blob([new Uint8Array([0x50, 0x4b, 0x03, 0x04, 1, 2, 3])])
    expect(await isSpreadsheet(file)).toBe(true)
    await expect(readSheets(file)).rejects.toMatchObject({ problem: { code: 'badSheet' } })
    expect(await isSpreadsheet(new Blob(['a,b']))).toBe(false)
  })
})
