// Bytes on their way into a file: counted and summed up as they come, and on disk at the end. Knows no place and no name.
import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { bytesPassed } from '#main/kernel/passing-bytes.ts'

/** What bytes are taken, and how long. */
export interface ArrivalRules {
  readonly limitBytes: number
  /** The refusal of more bytes than that. */
  readonly tooMany: () => Error
  readonly signal?: AbortSignal
}

/** What has arrived. */
export interface Arrived {
  readonly size: number
  /** Hexadecimal. */
  readonly sha256: string
}

/** Bytes that are written together. */
const gatherBytes = 262_144
const gatherParts = 64

/**
 * Writes bytes from a position on, as they come, and forces them to the disk. What has come is written while the next is
 * summed up. Nothing is written any more once it has ended, however it did.
 * @param look is shown each part
 * @throws `tooMany` of the rules, what the source throws, what the disk says
 */
export async function writeArriving(
  handle: FileHandle,
  source: AsyncIterable<Uint8Array>,
  { limitBytes, tooMany, signal }: ArrivalRules,
  { position = 0, look }: { readonly position?: number; readonly look?: (part: Uint8Array) => void } = {},
): Promise<Arrived> {
  const digest = createHash('sha256')
  let size = 0
  let written = 0
  let gathered: Uint8Array[] = []
  let writing: Promise<void> = Promise.resolve()

  const flush = async (): Promise<void> => {
    await writing
    const parts = gathered
    gathered = []
    writing = writeWhole(handle, parts, size - written, position + written)
    // Whoever waits for it next is told.
    writing.catch(() => undefined)
    written = size
  }

  try {
    for await (const part of source) {
      signal?.throwIfAborted()
      if (size + part.length > limitBytes) throw tooMany()
      gathered.push(part)
      size += part.length
      if (size - written >= gatherBytes || gathered.length >= gatherParts) await flush()
      digest.update(part)
      look?.(part)
      bytesPassed(part.length)
    }
    await flush()
    await writing
    await handle.datasync()
  } finally {
    await writing.catch(() => undefined)
  }
  return { size, sha256: digest.digest('hex') }
}

async function writeWhole(handle: FileHandle, parts: Uint8Array[], length: number, position: number): Promise<void> {
  if (length === 0) return
  let { bytesWritten } = await handle.writev(parts, position)
  if (bytesWritten === length) return
  const whole = Buffer.concat(parts)
  while (bytesWritten < length)
    bytesWritten += (await handle.write(whole, bytesWritten, length - bytesWritten, position + bytesWritten))
      .bytesWritten
}
