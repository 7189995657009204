// Opens the archive of a spreadsheet within bounds, before anything is made of it: the library fills every place up to the
// last cell, and trusts the sizes an archive states. What it reads is what was checked here, packed anew without compression.
import { crc32, inflateRawSync } from 'node:zlib'
import { sheetLimits } from '#main/kernel/sheet-protocol.ts'

/** A file that is no spreadsheet, or more than one may be; the message is for people. */
export class SheetRefusal extends Error {
  readonly reason: 'invalid' | 'too_large'
  constructor(reason: 'invalid' | 'too_large', message: string) {
    super(message)
    this.reason = reason
  }
}

interface Entry {
  readonly name: Buffer
  readonly isPacked: boolean
  readonly packed: Buffer
  readonly unpackedBytes: number
}

/**
 * Unpacks the XML files of an archive one after the other, checks each and answers an archive that holds them as they are.
 * @throws SheetRefusal also while it is read
 */
export function* openSheetArchive(file: Buffer): Generator<Buffer> {
  const { entries, total } = entriesOf(file)
  if (total > sheetLimits.unpackedBytes) throw tooLarge('unpacked')
  if (total > sheetLimits.ratioFromBytes && total > file.length * sheetLimits.ratio) throw tooLarge('unpacked')
  for (const entry of entries) {
    const content = unpack(entry)
    checkContent(content.toString('latin1'))
    yield localHeader(entry.name, content)
    yield content
  }
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50)
  yield end
}

/** The XML files of the directory at the archive's end, and the bytes it states of all. @source APPNOTE.TXT 4.3.12, 4.3.16 */
function entriesOf(file: Buffer): { entries: Entry[]; total: number } {
  const end = file.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  if (end < 0 || end + 22 > file.length) throw invalid()
  const count = file.readUInt16LE(end + 10)
  if (count > sheetLimits.entries)
    throw new SheetRefusal('too_large', `The file holds more than ${sheetLimits.entries} parts.`)
  const entries: Entry[] = []
  const names = new Set<string>()
  let total = 0
  let at = file.readUInt32LE(end + 16)
  for (let n = 0; n < count; n += 1) {
    if (at + 46 > end || file.readUInt32LE(at) !== 0x02014b50) throw invalid()
    const method = file.readUInt16LE(at + 10)
    total += file.readUInt32LE(at + 24)
    const nameEnd = at + 46 + file.readUInt16LE(at + 28)
    const name = file.subarray(at + 46, nameEnd)
    const text = name.toString('latin1')
    if (/\.xml(?:\.rels)?$/.test(text)) {
      if (names.has(text) || (method !== 0 && method !== 8)) throw invalid()
      names.add(text)
      const start = file.readUInt32LE(at + 42)
      if (start + 30 > file.length) throw invalid()
      const from = start + 30 + file.readUInt16LE(start + 26) + file.readUInt16LE(start + 28)
      const packed = file.subarray(from, from + file.readUInt32LE(at + 20))
      entries.push({ name, isPacked: method === 8, packed, unpackedBytes: file.readUInt32LE(at + 24) })
    }
    at = nameEnd + file.readUInt16LE(at + 30) + file.readUInt16LE(at + 32)
  }
  return { entries, total }
}

/** Never more than the directory states, which was added up before. */
function unpack({ isPacked, packed, unpackedBytes }: Entry): Buffer {
  let content: Buffer
  try {
    content = isPacked ? inflateRawSync(packed, { maxOutputLength: Math.max(unpackedBytes, 1) }) : packed
  } catch {
    throw invalid()
  }
  if (content.length !== unpackedBytes) throw invalid()
  return content
}

function localHeader(name: Buffer, content: Buffer): Buffer {
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50)
  header.writeUInt16LE(20, 4)
  header.writeUInt32LE(crc32(content), 14)
  header.writeUInt32LE(content.length, 18)
  header.writeUInt32LE(content.length, 22)
  header.writeUInt16LE(name.length, 26)
  return Buffer.concat([header, name])
}

/** Rows, cells and shared texts as they are written; with any prefix, as the library takes them. */
const tags = /<(?:[^\s<>/:]*:)?(row|c|si)(?=[\s/>])([^<>]*)/g
/** Attributes that mean what they look like: nothing is escaped, so a place is read here as the library reads it. */
const plainAttributes = /^(?:\s+[\w:.-]+\s*=\s*(?:"[^"&]*"|'[^'&]*'))*\s*\/?$/
const places = /(?:^|[\s:])r\s*=\s*["']([^"']*)/g

/** @throws SheetRefusal for a sheet that becomes more than fits, and for what no writer of spreadsheets writes */
function checkContent(xml: string): void {
  if (/<!(?:DOCTYPE|ENTITY)/i.test(xml)) throw invalid()
  const isSheet = xml.includes('sheetData')
  if (isSheet || xml.includes('sst')) checkTexts(xml)
  const seen = { row: 0, c: 0, si: 0 }
  let current = 0
  let lastRow = 0
  let lastColumn = 0
  for (const [, tag, attributes] of xml.matchAll(tags) as Iterable<[string, keyof typeof seen, string]>) {
    seen[tag] += 1
    if (!isSheet || tag === 'si') continue
    if (!plainAttributes.test(attributes)) throw invalid()
    if (tag === 'row') current = 0
    for (const [, place] of attributes.matchAll(places) as Iterable<[string, string]>) {
      const { row, column } = placeOf(tag, place)
      if (tag === 'row') current = row
      // An empty cell is a place with a style: the library leaves it out.
      if (tag === 'row' || attributes.endsWith('/')) continue
      lastRow = Math.max(lastRow, current, row)
      lastColumn = Math.max(lastColumn, column)
    }
  }
  if (seen.row > sheetLimits.rows) throw tooLarge('rows')
  if (Math.max(lastRow * lastColumn, seen.c, seen.si) > sheetLimits.cells) throw tooLarge('cells')
}

function checkTexts(xml: string): void {
  for (let at = 0; at >= 0;) {
    const next = xml.indexOf('<', at + 1)
    if ((next < 0 ? xml.length : next) - at > sheetLimits.textLength) throw tooLarge('text')
    at = next
  }
}

/** Row and column from 1; a row has column 0. */
function placeOf(tag: 'row' | 'c', place: string): { row: number; column: number } {
  const [, letters, digits] = /^([A-Z]{0,3})(\d+)$/.exec(place) ?? []
  if (digits === undefined || (letters === '') !== (tag === 'row')) throw invalid()
  let column = 0
  for (const letter of letters!) column = column * 26 + letter.charCodeAt(0) - 64
  const row = Number(digits)
  if (row > sheetLimits.rows || column > sheetLimits.columns) throw tooLarge('rows')
  return { row, column }
}

const reasons = {
  unpacked: `The file is too large once it is unpacked: at most ${sheetLimits.unpackedBytes / 1e6} MB, ${sheetLimits.ratio} times its size.`,
  rows: `A sheet ends at row ${sheetLimits.rows} and column ${sheetLimits.columns}.`,
  text: `A cell holds at most ${sheetLimits.textLength} characters.`,
  cells: `A sheet holds at most ${sheetLimits.cells / 1e6} million cells, counted from the first to the last row and column in use.`,
} as const

function tooLarge(what: keyof typeof reasons): SheetRefusal {
  return new SheetRefusal('too_large', reasons[what])
}

function invalid(): SheetRefusal {
  return new SheetRefusal('invalid', 'The file is no XLSX spreadsheet.')
}
