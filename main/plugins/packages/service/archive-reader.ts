// Reads an archive of a package from its file: judges names, counts what comes out, hashes every file, and keeps the files
// that say something in memory (D-129, D-130). Nothing is written, and the first thing that is wrong ends it.
import { createHash } from 'node:crypto'
import { createPathJudge } from './archive-paths.ts'
import { artifactInvalid } from './archive-refusal.ts'
import { tarEntries } from './archive-tar.ts'
import { zipEntries } from './archive-zip.ts'

/** One entry of an archive, before anything of it is read. */
export interface ArchiveEntry {
  /** As the archive says it, without the slash at the end of a folder. */
  readonly path: string
  readonly isFolder: boolean
  /** What the archive claims. */
  readonly size: number
  read(): AsyncIterable<Uint8Array>
}

/** What an archive may be, at most. @source D-129 */
export interface ArchiveLimits {
  readonly unpackedBytes: number
  readonly entries: number
  /** Bytes that come out for each byte of the file. */
  readonly ratio: number
  /** Bytes from which the ratio counts: a few kilobytes of blanks are no attack. */
  readonly ratioFrom: number
  /** Bytes of one file that is read, and of all of them. */
  readonly fileBytes: number
  readonly contentBytes: number
}

/** The limits that hold. */
export const archiveLimits: ArchiveLimits = {
  unpackedBytes: 256 * 1_048_576,
  entries: 10_000,
  ratio: 100,
  ratioFrom: 65_536,
  fileBytes: 16 * 1_048_576,
  contentBytes: 64 * 1_048_576,
}

/** Packed bytes an archive may have. @source D-129 */
export const maxPackedBytes = 64 * 1_048_576

/** The files of an archive. */
export interface ArchiveFiles {
  /** SHA-256 of every file, as hex digits, by path. */
  readonly hashes: ReadonlyMap<string, string>
  /** The bytes of the files that are read, by path; of the others only the hash is known. */
  readonly contents: ReadonlyMap<string, Buffer>
}

/** Files of these folders are carried along and never opened. */
const carriedPattern = /^assets\//
/** Texts for people at the top. */
const papersPattern = /^(readme|license|licence|changelog|notice)(\.[a-z]+)?$/i
const knownPattern =
  /^(manifest\.json|checksums\.json|signature\.json|metadata\/[A-Za-z_]+\/[^/]+\.(json|yaml|yml)|data\/[^/]+\.(json|csv)|translations\/[^/]+\.json|functions\/[^/]+\.js)$/

/**
 * Reads an archive.
 * @param packedBytes size of the file
 * @throws artifact_invalid
 */
export async function readArchive(
  file: string,
  format: 'zip' | 'tgz',
  packedBytes: number,
  limits: ArchiveLimits = archiveLimits,
): Promise<ArchiveFiles> {
  const hashes = new Map<string, string>()
  const contents = new Map<string, Buffer>()
  const paths = createPathJudge()
  const folders = createPathJudge()
  let entries = 0
  let unpacked = 0
  let kept = 0
  const most = Math.min(limits.unpackedBytes, Math.max(limits.ratioFrom, packedBytes * limits.ratio))

  const spend = (bytes: number): void => {
    unpacked += bytes
    if (unpacked > most) throw tooLarge(unpacked, limits)
  }

  for await (const entry of format === 'zip' ? zipEntries(file, limits.entries) : tarEntries(file, spend)) {
    const { path, isFolder } = entry
    entries += 1
    if (entries > limits.entries) throw artifactInvalid('too_many_entries', { limit: limits.entries })
    const problem = (isFolder ? folders : paths).judge(path)
    if (problem !== null) throw artifactInvalid(problem, { path: path.slice(0, 300) })
    if (isFolder) {
      if (entry.size > 0) throw artifactInvalid('entry_special', { path })
      continue
    }
    if (unpacked + entry.size > most) throw tooLarge(unpacked + entry.size, limits)
    const isKept = knownPattern.test(path)
    if (!isKept && !carriedPattern.test(path) && !papersPattern.test(path)) {
      throw artifactInvalid('path_unknown', { path })
    }
    const digest = createHash('sha256')
    const parts: Uint8Array[] = []
    let size = 0
    for await (const part of entry.read()) {
      size += part.length
      spend(part.length)
      digest.update(part)
      if (!isKept) continue
      kept += part.length
      if (size > limits.fileBytes || kept > limits.contentBytes) throw artifactInvalid('content_too_large', { path })
      parts.push(Buffer.from(part))
    }
    hashes.set(path, digest.digest('hex'))
    if (isKept) contents.set(path, Buffer.concat(parts))
  }
  return { hashes, contents }
}

function tooLarge(unpacked: number, limits: ArchiveLimits): Error {
  return unpacked > limits.unpackedBytes
    ? artifactInvalid('unpacked_too_large', { limitBytes: limits.unpackedBytes })
    : artifactInvalid('ratio_too_high', { limit: limits.ratio })
}
