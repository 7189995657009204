import { describe, expect, it } from 'vitest'
import { readTable } from './read-table.ts'
import { textOfFile } from './text-of-file.ts'

const table = 'Name;Preis\r\nMüller – Söhne;1,50 €\r\n'
const utf16 = (text: string, mark: readonly number[]): number[] => {
  const [low, high] = mark[0] === 0xff ? [0, 8] : [8, 0]
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
  return [...mark, ...units.flatMap((unit) => [(unit >> low) & 255, (unit >> high) & 255])]
}
const windows: Readonly<Record<string, number>> = { ü: 0xfc, ö: 0xf6, '–': 0x96, '€': 0x80 }

describe('the text of a file', () => {
  it.each<[string, readonly number[]]>([
    ['UTF-8', [...new TextEncoder().encode(table)]],
    ['UTF-8 with a mark', [0xef, 0xbb, 0xbf, ...new TextEncoder().encode(table)]],
    ['UTF-16 as Excel writes it', utf16(table, [0xff, 0xfe])],
    ['UTF-16 the other way round', utf16(table, [0xfe, 0xff])],
    ['what Windows writes', [...table].map((letter) => windows[letter] ?? letter.charCodeAt(0))],
  ])('is read from %s', async (_name, bytes) => {
    const text = await textOfFile(new Blob([new Uint8Array(bytes)]))
    expect(readTable(text)).toMatchObject({
      format: 'semicolon',
      header: ['Name', 'Preis'],
      rows: [['Müller – Söhne', '1,50 €']],
    })
  })

  it('that is UTF-8 stays so where it was cut within a letter', async () => {
    const bytes = new TextEncoder().encode('Müller, Jäger, Groß, ü').slice(0, -1)
    expect(await textOfFile(new Blob([bytes]))).toBe('Müller, Jäger, Groß, \ufffd')
  })
})
