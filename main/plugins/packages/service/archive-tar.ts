// Reads the entries of a gzipped tar file, one after the other, without writing any and without more than a block of it in
// memory. Takes the old format, ustar, long names of GNU and extended headers of POSIX; everything that is no file or folder
// is refused. @source POSIX.1-2024 pax, section "ustar Interchange Format"
import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import type { ArchiveEntry } from './archive-reader.ts'
import { artifactInvalid } from './archive-refusal.ts'

const blockBytes = 512
/** Most bytes of a header that says something about the next entry. */
const maxHeaderBytes = 65_536

/**
 * Walks the entries in their order. Each has to be read before the next one is asked for.
 * @param spend hears of bytes that are no entry: headers that say something about others, and the folder itself
 * @throws artifact_invalid
 */
export async function* tarEntries(file: string, spend: (bytes: number) => void): AsyncIterable<ArchiveEntry> {
  const source = createReadStream(file)
  const unpacked = createGunzip()
  source.on('error', (error) => unpacked.destroy(error))
  source.pipe(unpacked)
  const bytes = createByteReader(unpacked)
  try {
    yield* entriesOf(bytes, spend)
  } finally {
    source.destroy()
    unpacked.destroy()
  }
}

async function* entriesOf(bytes: ByteReader, spend: (bytes: number) => void): AsyncIterable<ArchiveEntry> {
  let longName: string | null = null
  let extended: ReadonlyMap<string, string> = new Map()
  for (;;) {
    const header = await bytes.take(blockBytes)
    if (header === null) return
    if (header.every((byte) => byte === 0)) {
      await bytes.rest()
      return
    }
    requireChecksum(header)
    const kind = String.fromCharCode(header[156]!)
    const size = sizeOf(header, extended.get('size'))
    // What `tar -C folder .` writes before every name.
    const path = (extended.get('path') ?? longName ?? nameOf(header)).replace(/^(\.\/)+/, '')
    if (kind === 'L' || kind === 'x') {
      if (size > maxHeaderBytes) throw artifactInvalid('header_too_large', { path })
      spend(blockBytes + size)
      const text = await bytes.takeText(size)
      await bytes.skipPadding(size)
      if (kind === 'L') longName = text.replace(/\0.*$/s, '')
      else extended = recordsOf(text)
      continue
    }
    if (kind === 'g') {
      if (size > maxHeaderBytes) throw artifactInvalid('header_too_large', { path })
      spend(blockBytes + size)
      await bytes.takeText(size)
      await bytes.skipPadding(size)
      continue
    }
    if (kind === '1' || kind === '2' || extended.has('linkpath')) throw artifactInvalid('link', { path })
    const isFolder = kind === '5'
    if (!isFolder && kind !== '0' && kind !== '\0') throw artifactInvalid('entry_special', { path })
    longName = null
    extended = new Map()
    if (isFolder && (path === '' || path === '.')) {
      spend(blockBytes)
      continue
    }
    let isRead = false
    yield {
      path: isFolder || path.endsWith('/') ? path.replace(/\/$/, '') : path,
      isFolder: isFolder || path.endsWith('/'),
      size,
      read: () => {
        isRead = true
        return bytes.stream(size)
      },
    }
    if (!isRead) for await (const _ of bytes.stream(size));
    await bytes.skipPadding(size)
  }
}

/** Bytes of a stream in pieces of the size one asks for. */
interface ByteReader {
  /** Exactly so many bytes; null at the end. @throws artifact_invalid when it ends within */
  take(count: number): Promise<Buffer | null>
  takeText(count: number): Promise<string>
  stream(count: number): AsyncIterable<Uint8Array>
  skipPadding(size: number): Promise<void>
  /** Reads what follows to the end, so that damage there is found too. */
  rest(): Promise<void>
}

function createByteReader(source: AsyncIterable<Buffer>): ByteReader {
  const chunks = source[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)

  const more = async (): Promise<boolean> => {
    try {
      const next = await chunks.next()
      if (next.done === true) return false
      held = held.length === 0 ? next.value : Buffer.concat([held, next.value])
      return true
    } catch (error) {
      throw artifactInvalid('gzip_damaged', {}, error)
    }
  }

  const take = async (count: number): Promise<Buffer | null> => {
    while (held.length < count) {
      if (await more()) continue
      if (held.length === 0) return null
      throw artifactInvalid('tar_cut_short')
    }
    const taken = held.subarray(0, count)
    held = held.subarray(count)
    return taken
  }

  return {
    take,
    async takeText(count) {
      if (count === 0) return ''
      const taken = await take(count)
      if (taken === null) throw artifactInvalid('tar_cut_short')
      return taken.toString('utf8')
    },
    async *stream(count) {
      let left = count
      while (left > 0) {
        if (held.length === 0 && !(await more())) throw artifactInvalid('tar_cut_short')
        const part = held.subarray(0, left)
        held = held.subarray(part.length)
        left -= part.length
        yield part
      }
    },
    async skipPadding(size) {
      const padding = (blockBytes - (size % blockBytes)) % blockBytes
      if (padding > 0 && (await take(padding)) === null) throw artifactInvalid('tar_cut_short')
    },
    async rest() {
      let left = 0
      do {
        if (held.some((byte) => byte !== 0)) throw artifactInvalid('tar_trailing_bytes')
        left += held.length
        if (left > 1_048_576) throw artifactInvalid('tar_trailing_bytes')
        held = Buffer.alloc(0)
      } while (await more())
    },
  }
}

function textAt(header: Buffer, from: number, length: number): string {
  const field = header.subarray(from, from + length)
  const end = field.indexOf(0)
  return field.subarray(0, end < 0 ? length : end).toString('utf8')
}

function nameOf(header: Buffer): string {
  const name = textAt(header, 0, 100)
  const prefix = textAt(header, 257, 5) === 'ustar' && header[262] === 0 ? textAt(header, 345, 155) : ''
  return prefix === '' ? name : `${prefix}/${name}`
}

function sizeOf(header: Buffer, stated: string | undefined): number {
  const text = stated ?? textAt(header, 124, 12).trim()
  const size = stated === undefined ? (/^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number.NaN) : Number(text)
  if (!Number.isSafeInteger(size) || size < 0) throw artifactInvalid('tar_damaged')
  return size
}

function requireChecksum(header: Buffer): void {
  const stated = Number.parseInt(textAt(header, 148, 8).trim(), 8)
  let sum = 0
  for (let at = 0; at < blockBytes; at += 1) sum += at >= 148 && at < 156 ? 32 : header[at]!
  if (stated !== sum) throw artifactInvalid('tar_damaged')
}

/** The records of an extended header: `<length> <key>=<value>\n`. */
function recordsOf(text: string): ReadonlyMap<string, string> {
  const records = new Map<string, string>()
  let bytes = Buffer.from(text)
  while (bytes.length > 0) {
    const space = bytes.indexOf(32)
    const length = Number(bytes.subarray(0, Math.max(space, 0)).toString())
    if (space < 0 || !Number.isSafeInteger(length) || length <= space || length > bytes.length) {
      throw artifactInvalid('tar_damaged')
    }
    const record = bytes.subarray(space + 1, length - 1).toString('utf8')
    const equals = record.indexOf('=')
    if (equals < 0) throw artifactInvalid('tar_damaged')
    records.set(record.slice(0, equals), record.slice(equals + 1))
    bytes = bytes.subarray(length)
  }
  return records
}
