// Spreadsheets written by hand, as no program writes them. Knows the format's least parts only.
import { crc32, deflateRawSync } from 'node:zlib'

const head = '<?xml version="1.0" encoding="UTF-8"?>'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** A cell with a text of its own. */
export function cell(place: string, text = 'x'): string {
  return `<c r="${place}" t="inlineStr"><is><t>${text}</t></is></c>`
}

/** A sheet of these rows; `before` stands in front of them. */
export function sheetXml(rows: string, before = '', prolog = head): string {
  return `${prolog}<worksheet xmlns="${main}">${before}<sheetData>${rows}</sheetData></worksheet>`
}

/** A workbook whose `sheets` sheets are all the same, and further parts by their names. */
export function makeWorkbook(sheet: string, parts: Record<string, string> = {}, sheets = 1): Buffer {
  const numbers = Array.from({ length: sheets }, (_, n) => n + 1)
  const named = numbers.map((n) => `<sheet name="S${n}" sheetId="${n}" r:id="r${n}"/>`).join('')
  const related = numbers.map(
    (n) => `<Relationship Id="r${n}" Type="${relations}/worksheet" Target="worksheets/sheet${n}.xml"/>`,
  )
  return zip({
    'xl/workbook.xml': `${head}<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>${named}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${head}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${related.join('')}<Relationship Id="s" Type="${relations}/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
    ...Object.fromEntries(numbers.map((n) => [`xl/worksheets/sheet${n}.xml`, sheet])),
    ...parts,
  })
}

/** Packs texts by their names; `states` replaces the size that the directory states of the last one. */
export function zip(files: Record<string, string>, states?: number): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  const all = Object.entries(files)
  for (const [index, [name, text]] of all.entries()) {
    const content = Buffer.from(text)
    const packed = deflateRawSync(content)
    const size = index === all.length - 1 ? (states ?? content.length) : content.length
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50)
    local.writeUInt16LE(20, 4)
    local.writeUInt16LE(8, 8)
    local.writeUInt32LE(crc32(content), 14)
    local.writeUInt32LE(packed.length, 18)
    local.writeUInt32LE(size, 22)
    local.writeUInt16LE(name.length, 26)
    const central = Buffer.alloc(46)
    central.writeUInt32LE(0x02014b50)
    local.copy(central, 6, 4, 28)
    central.writeUInt32LE(at, 42)
    directory.push(central, Buffer.from(name))
    parts.push(local, Buffer.from(name), packed)
    at += 30 + name.length + packed.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50)
  end.writeUInt16LE(all.length, 8)
  end.writeUInt16LE(all.length, 10)
  end.writeUInt32LE(listed.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, listed, end])
}
