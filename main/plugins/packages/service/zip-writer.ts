// Writes a zip file of a few files that are in memory. The same files give the same bytes.
// @source APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16
import { crc32, deflateRawSync } from 'node:zlib'

/** 1 January 1980, the first day the format knows. */
const dosDate = 0x21
const utf8Names = 0x0800
const deflated = 8

/**
 * The bytes of a zip file with the files in the order given.
 * @param level 0 packs nothing, so that other versions of the library give the same bytes, too
 */
export function writeZip(files: ReadonlyMap<string, Buffer>, level?: 0): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [path, content] of files) {
    const name = Buffer.from(path)
    const packed = deflateRawSync(content, level === undefined ? {} : { level })
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE(utf8Names, 2)
    facts.writeUInt16LE(deflated, 4)
    facts.writeUInt16LE(dosDate, 8)
    facts.writeUInt32LE(crc32(content), 10)
    facts.writeUInt32LE(packed.length, 14)
    facts.writeUInt32LE(content.length, 18)
    facts.writeUInt16LE(name.length, 22)
    parts.push(signature(0x04034b50), facts, name, packed)
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    directory.push(signature(0x02014b50), Buffer.from([20, 0]), facts, rest, name)
    offset += 4 + facts.length + name.length + packed.length
  }
  const index = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(files.size, 4)
  end.writeUInt16LE(files.size, 6)
  end.writeUInt32LE(index.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...parts, index, signature(0x06054b50), end])
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
