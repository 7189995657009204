// Files that are small or well formed, and become too much for whoever believes them. Each with what its refusal says.
import { cell, makeWorkbook, sheetXml, zip } from './workbooks.ts'

/** One of them; `type` is absent for spreadsheets. */
export interface HostileFile {
  readonly name: string
  readonly type?: string
  readonly message: RegExp
  file(): Uint8Array | string
}

const first = `<row r="1">${cell('A1', 'title')}</row>`
const lolz = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('')

/** All of them, made when asked for. */
export function hostileFiles(): readonly HostileFile[] {
  return [
    {
      name: 'a cell in the last place of all',
      message: /million cells/,
      file: () => makeWorkbook(sheetXml(`${first}<row r="1048576">${cell('XFD1048576')}</row>`)),
    },
    {
      name: 'a row beyond the last one',
      message: /row 1048576/,
      file: () => makeWorkbook(sheetXml(`${first}<row r="4000000000">${cell('A4000000000')}</row>`)),
    },
    {
      name: 'a row whose number is no whole one',
      message: /no XLSX/,
      file: () => makeWorkbook(sheetXml(`${first}<row r="1e9">${cell('A2')}</row>`)),
    },
    {
      name: 'a row whose number is escaped',
      message: /no XLSX/,
      file: () => makeWorkbook(sheetXml(`${first}<row r="&#57;00000">${cell('A900000')}</row>`)),
    },
    {
      name: 'a row with another number than its cell',
      message: /million cells/,
      file: () => makeWorkbook(sheetXml(`${first}<row r="1000000">${cell('CV2')}</row>`)),
    },
    {
      name: 'more columns than an import has',
      message: /more than 5000 columns/,
      file: () => makeWorkbook(sheetXml(`<row r="1">${cell('A1', 'title')}${cell('XFD1')}</row>`)),
    },
    {
      name: 'a sheet of blanks that packs to nothing',
      message: /once it is unpacked/,
      file: () => makeWorkbook(sheetXml(first + ' '.repeat(20_000_000))),
    },
    {
      name: 'a size that is a lie',
      message: /no XLSX/,
      file: () => zip({ 'xl/workbook.xml': '<a/>', 'xl/a.xml': ' '.repeat(1_000_000) }, 100),
    },
    {
      name: 'entities that hold each other',
      message: /no XLSX/,
      file: () =>
        makeWorkbook(
          sheetXml(`${first}<row r="2">${cell('A2', '&l9;')}</row>`, '', `<!DOCTYPE x [<!ENTITY l0 "lol">${lolz}]>`),
        ),
    },
    {
      name: 'one long text in every cell',
      message: /too much text/,
      file: () =>
        makeWorkbook(
          sheetXml(
            first +
              Array.from(
                { length: 6_000 },
                (_, n) => `<row r="${n + 2}"><c r="A${n + 2}" t="s"><v>0</v></c></row>`,
              ).join(''),
          ),
          { 'xl/sharedStrings.xml': `<sst><si><t>${'y'.repeat(90_000)}</t></si></sst>` },
        ),
    },
    {
      name: 'one very long text',
      message: /100000 characters/,
      file: () => makeWorkbook(sheetXml(`${first}<row r="2">${cell('A2', 'y'.repeat(6_100_000))}</row>`)),
    },
    {
      name: '3,000 sheets',
      message: /parts/,
      file: () => makeWorkbook(sheetXml(first), {}, 3_000),
    },
    {
      name: 'a CSV line of 7 MB',
      type: 'text/csv',
      message: /too long/,
      file: () => `title\n${'x'.repeat(7_000_000)}`,
    },
    {
      name: 'a CSV header of 100,000 columns',
      type: 'text/csv',
      message: /more than 5000 columns/,
      file: () => Array.from({ length: 100_000 }, (_, n) => `c${n}`).join(),
    },
    {
      name: 'a JSON line of 7 MB',
      type: 'application/x-ndjson',
      message: /too long/,
      file: () => `{"title":"${'x'.repeat(7_000_000)}"}`,
    },
    {
      name: 'a JSON row of 100,000 columns',
      type: 'application/x-ndjson',
      message: /more than 5000 columns/,
      file: () => JSON.stringify(Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`c${n}`, n]))),
    },
  ]
}
