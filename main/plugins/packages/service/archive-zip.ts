// Reads the entries of a zip file, one after the other, without writing any. Loads its library at first use.
import type { Readable } from 'node:stream'
import { artifactInvalid } from './archive-refusal.ts'
import type { ArchiveEntry } from './archive-reader.ts'

const linkKind = 0o120000
const fileKind = 0o100000
const folderKind = 0o040000

/** Walks the entries in the order of the directory of the file. @throws artifact_invalid */
export async function* zipEntries(file: string, maxEntries: number): AsyncIterable<ArchiveEntry> {
  const { openPromise } = await loadZip()
  const zip = await openPromise(file).catch(refuse)
  try {
    // Walking the directory of a file with very many takes seconds.
    if (zip.entryCount > maxEntries) throw artifactInvalid('too_many_entries', { limit: maxEntries })
    // The library checks the claimed sizes against what comes out.
    for (;;) {
      const entry = await zip.readEntry().catch(refuse)
      if (entry === null) return
      const path = entry.fileName
      const kind = (entry.externalFileAttributes >>> 16) & 0o170000
      if ((entry.generalPurposeBitFlag & 1) === 1) throw artifactInvalid('entry_encrypted', { path })
      if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) {
        throw artifactInvalid('compression_unknown', { path })
      }
      if (kind === linkKind) throw artifactInvalid('link', { path })
      if (kind !== 0 && kind !== fileKind && kind !== folderKind) throw artifactInvalid('entry_special', { path })
      if (path.endsWith('/')) {
        yield { path: path.slice(0, -1), isFolder: true, size: 0, read: nothing }
        continue
      }
      if (kind === folderKind) throw artifactInvalid('entry_special', { path })
      yield {
        path,
        isFolder: false,
        size: entry.uncompressedSize,
        read: () => readAll(() => zip.openReadStream(entry)),
      }
    }
  } finally {
    zip.close()
  }
}

async function* nothing(): AsyncIterable<Uint8Array> {}

async function* readAll(open: () => Promise<Readable>): AsyncIterable<Uint8Array> {
  const stream = await open().catch(refuse)
  try {
    yield* stream as AsyncIterable<Uint8Array>
  } catch (error) {
    refuse(error)
  } finally {
    stream.destroy()
  }
}

/** What the library does not read, nobody should. */
function refuse(error: unknown): never {
  throw artifactInvalid('zip_damaged', { cause: error instanceof Error ? error.message : String(error) }, error)
}

/** An entry of a zip file as its directory tells it. */
interface ZipEntry {
  readonly fileName: string
  readonly externalFileAttributes: number
  readonly generalPurposeBitFlag: number
  readonly compressionMethod: number
  readonly uncompressedSize: number
}

interface ZipReader {
  /** What the directory claims. */
  readonly entryCount: number
  readEntry(): Promise<ZipEntry | null>
  openReadStream(entry: ZipEntry): Promise<Readable>
  close(): void
}

/** The library behind promises; names come as they are, so that they are judged here. */
async function loadZip(): Promise<{ openPromise(file: string): Promise<ZipReader> }> {
  const { default: yauzl } = await import('yauzl')
  return {
    openPromise: (file) =>
      new Promise((resolve, reject) => {
        const options = { lazyEntries: true, autoClose: false, validateEntrySizes: true, strictFileNames: true }
        yauzl.open(file, options, (failure, zip) => {
          if (failure !== null) return reject(failure)
          let waiting: { resolve(entry: ZipEntry | null): void; reject(error: Error): void } | null = null
          zip.on('entry', (entry: ZipEntry) => waiting?.resolve(entry))
          zip.on('end', () => waiting?.resolve(null))
          zip.on('error', (error: Error) => waiting?.reject(error))
          resolve({
            entryCount: zip.entryCount,
            readEntry: () =>
              new Promise((next, failed) => {
                waiting = { resolve: next, reject: failed }
                zip.readEntry()
              }),
            openReadStream: (entry) =>
              new Promise((opened, failed) => {
                zip.openReadStream(entry as never, (error, stream) => (error ? failed(error) : opened(stream)))
              }),
            close: () => zip.close(),
          })
        })
      }),
  }
}
