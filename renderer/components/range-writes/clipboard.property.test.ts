// Proves both clipboard formats against themselves and against what spreadsheets write.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { writeHtmlTable, writeTsv } from '../grid/clipboard.ts'
import { parseHtmlTable, parseTsv } from './read-clipboard.ts'

// Carriage returns and no-break spaces are normalised on the way, so they are no part of the identity.
const textArb = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom('"', '\t', '\n', ' ', 'a', ',', '<', '>', '&', ';', "'", '=', '1') }),
)
const cellArb = textArb.map((text) => text.replace(/[\r\u00a0\ufeff\0]/g, ''))
const tableArb = fc
  .integer({ min: 1, max: 6 })
  .chain((width) => fc.array(fc.array(cellArb, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 8 }))

describe('tab-separated text', () => {
  it('is read back exactly as it was written', () => {
    const roundTrip = fc.property(tableArb, (table) => {
      expect(parseTsv(writeTsv(table))).toEqual(table)
    })
    fc.assert(roundTrip, { numRuns: 500 })
  })

  it('is read the same with Windows and old Mac line ends', () => {
    fc.assert(
      fc.property(tableArb, (table) => {
        const text = writeTsv(table)
        expect(parseTsv(text.replaceAll('\n', '\r\n'))).toEqual(table)
        expect(parseTsv(text.replaceAll('\n', '\r'))).toEqual(table)
      }),
    )
  })

  it('ignores the line break spreadsheets put at the end', () => {
    expect(parseTsv('a\tb\r\n1\t2\r\n')).toEqual([
      ['a', 'b'],
      ['1', '2'],
    ])
  })

  it('reads cells with tabs, quotes and line breaks', () => {
    expect(parseTsv('"a\tb"\t"say ""hi"""\t"two\nlines"\tplain')).toEqual([['a\tb', 'say "hi"', 'two\nlines', 'plain']])
  })

  it('takes a quote that is never closed as a character', () => {
    expect(parseTsv('"abc\t5" pipe\nx')).toEqual([['"abc', '5" pipe'], ['x']])
  })

  it('keeps rows of different length and empty cells', () => {
    expect(parseTsv('a\t\tb\n\nc')).toEqual([['a', '', 'b'], [''], ['c']])
  })

  it('takes four times as long for four times the cells, not sixteen times', () => {
    // Time at work: what else the machine does is nobody's fault here.
    const quickest = (rows: number): number => {
      const table = Array.from({ length: rows }, (_, row) =>
        Array.from({ length: 10 }, (_, column) => `${row}:${column}`),
      )
      const times = Array.from({ length: 5 }, () => {
        const started = process.threadCpuUsage()
        expect(parseTsv(writeTsv(table))).toEqual(table)
        expect(parseHtmlTable(writeHtmlTable(table))).toEqual(table)
        return process.threadCpuUsage(started).user / 1_000
      })
      return Math.min(...times)
    }
    // Compiled to the end before it is measured: code that gets quicker in between looks like code that gets slower.
    quickest(2_000)
    const slow = quickest(2_000)
    expect(slow).toBeLessThan(1_000)
    expect(slow / quickest(500)).toBeLessThan(10)
  })
})

describe('HTML table', () => {
  it('is read back exactly as it was written', () => {
    const roundTrip = fc.property(tableArb, (table) => {
      expect(parseHtmlTable(writeHtmlTable(table))).toEqual(table)
    })
    fc.assert(roundTrip, { numRuns: 500 })
  })

  it('is null when the clipboard holds no table', () => {
    expect(parseHtmlTable('<p>Just text</p>')).toBeNull()
    expect(parseHtmlTable('')).toBeNull()
  })

  it('reads what Excel writes', () => {
    const html = `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style>td {mso-number-format:General;}</style></head>
      <body link="#0563C1"><table border=0 cellpadding=0 style='border-collapse:collapse'>
      <!--StartFragment--><col width=64><tr height=20><td height=20 class=xl65>Name</td><td align=right>1,234.50</td></tr>
      <tr><td>Tom &amp; &quot;Jerry&quot;</td><td>two<br>
      lines</td></tr><!--EndFragment--></table></body></html>`
    expect(parseHtmlTable(html)).toEqual([
      ['Name', '1,234.50'],
      ['Tom & "Jerry"', 'two\nlines'],
    ])
  })

  it('reads what Google Sheets and LibreOffice write', () => {
    const sheets = `<meta charset='utf-8'><google-sheets-html-origin><style type="text/css"><!--td {border: 1px}--></style>
      <table xmlns="http://www.w3.org/1999/xhtml" dir="ltr"><colgroup><col width="100"/></colgroup><tbody>
      <tr style="height:21px;"><td data-sheets-value="{}">a</td><td></td></tr></tbody></table>`
    expect(parseHtmlTable(sheets)).toEqual([['a', '']])
    const calc = `<table><tr><td height="17" align="left"><font face="Arial">x&nbsp;y</font></td>
      <td><p>one</p><p>two</p></td></tr></table>`
    expect(parseHtmlTable(calc)).toEqual([['x y', 'one\ntwo']])
  })

  it('puts merged cells in their first place and leaves the others empty', () => {
    const html =
      '<table><tr><td colspan=2>ab</td><td rowspan="2">c</td></tr><tr><td>d</td><td>e</td></tr><tr><td>f</td></tr></table>'
    expect(parseHtmlTable(html)).toEqual([['ab', '', 'c'], ['d', 'e', ''], ['f']])
  })

  it('never throws and never runs long, whatever it is given', () => {
    const pieces = [
      '<table>',
      '</table>',
      '<tr>',
      '<td',
      ' colspan=999',
      ' rowspan=999',
      '>',
      '<!--',
      '-->',
      '&#0;',
      '&amp',
      '<br>',
      'x',
      '<script>',
      '</td>',
    ]
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 60 }), (parts) => {
        const table = parseHtmlTable(parts.join(''))
        expect(table === null || Array.isArray(table)).toBe(true)
      }),
    )
  })
})
