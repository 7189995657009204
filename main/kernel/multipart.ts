// Reads a multipart body as it comes: one file, handed on part by part, and a few short texts. Knows no file. The parser below
// the usual one is used, because only it tells a type that was given from one that was not.
import type { Readable } from 'node:stream'
import { Dicer } from '@fastify/busboy'
import type { FieldErrorCode } from '#shared/errors.ts'
import { validationError } from '#shared/errors.ts'
import { parseDisposition } from './content-disposition.ts'

/** The file of a body. */
export interface FilePart<T> {
  readonly filename: string
  /** As it was given; empty when it was not. */
  readonly contentType: string
  /** What became of its bytes. */
  readonly result: T
}

/** A body that was read to its end. */
export interface MultipartBody<T> {
  readonly file: FilePart<T> | undefined
  readonly fields: ReadonlyMap<string, string>
}

const most = { parts: 30, fieldBytes: 65_536, headerPairs: 20, headerBytes: 16_384 }

/** Who takes the file of a body. */
export interface FileReceiver<T> {
  /** Name of the part that brings it. */
  readonly name: string
  /** Takes its bytes; what it throws ends the reading. */
  receive(bytes: AsyncIterable<Uint8Array>): Promise<T>
  /** Undoes what was received when the rest of the body is refused. */
  discard(result: T): Promise<void>
}

/**
 * Reads a body.
 * @throws validation_error for a body that is cut, malformed, or has two files
 */
export async function readMultipart<T>(
  source: AsyncIterable<Uint8Array>,
  contentType: string,
  taker: FileReceiver<T>,
): Promise<MultipartBody<T>> {
  const fields = new Map<string, string>()
  const failure = Promise.withResolvers<never>()
  failure.promise.catch(() => undefined)
  const fail = (field: string, code: FieldErrorCode, message: string): void =>
    failure.reject(malformed(field, code, message))
  let file: { filename: string; contentType: string; part: Readable; receiving: Promise<T> } | undefined
  let count = 0

  const takeFile = (part: Readable, filename: string, type: string): void => {
    if (file !== undefined) {
      part.resume()
      fail(taker.name, 'max_items', 'A request brings one file.')
      return
    }
    const receiving = taker.receive(part)
    file = { filename, contentType: type, part, receiving }
    receiving.catch(failure.reject)
  }

  const takeField = (part: Readable, name: string): void => {
    const pieces: Buffer[] = []
    let length = 0
    part.on('data', (piece: Buffer) => {
      length += piece.length
      if (length > most.fieldBytes) fail(name.slice(0, 100), 'max_length', 'The text is too long.')
      else pieces.push(piece)
    })
    part.on('end', () => fields.set(name, Buffer.concat(pieces).toString('utf8')))
  }

  const parser = new Dicer({
    boundary: boundaryOf(contentType),
    maxHeaderPairs: most.headerPairs,
    maxHeaderSize: most.headerBytes,
  } as Dicer.Config)
  parser.on('part', (part) => {
    // Of a body that is cut each open part tells, and the parser itself.
    part.on('error', () => undefined)
    count += 1
    if (count > most.parts) fail('', 'max_items', 'The body has too many parts.')
    part.on('header', (header: Readonly<Record<string, readonly string[] | undefined>>) => {
      const { name, filename } = parseDisposition(header['content-disposition']?.[0] ?? '')
      if (name === taker.name && filename !== null) takeFile(part, filename, header['content-type']?.[0] ?? '')
      else if (name === null || filename !== null) part.resume()
      else takeField(part, name)
    })
  })
  parser.on('error', () => fail('', 'invalid_format', 'The body is no multipart body.'))
  const finished = new Promise<void>((resolve) => parser.once('finish', resolve))

  const feed = async (): Promise<void> => {
    for await (const piece of source) {
      if (parser.write(piece)) continue
      // With the last part read to its end the parser is done, and does not ask for more.
      const drained = new Promise<void>((resolve) => parser.once('drain', resolve))
      await Promise.race([drained, finished, failure.promise])
    }
    parser.end()
    await finished
  }
  try {
    await Promise.race([feed(), failure.promise])
    if (file === undefined) return { file, fields }
    const { filename, contentType: type, receiving } = file
    return { file: { filename, contentType: type, result: await receiving }, fields }
  } catch (error) {
    file?.part.destroy(new Error('The body ended early.'))
    await file?.receiving.then(
      (result) => taker.discard(result),
      () => undefined,
    )
    throw error
  }
}

function boundaryOf(contentType: string): string {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(contentType) ?? []
  const boundary = quoted ?? bare
  if (boundary === undefined) throw malformed('', 'invalid_format', 'The content type names no boundary.')
  return boundary
}

function malformed(field: string, code: FieldErrorCode, message: string): Error {
  return validationError([{ field, code, message }])
}
