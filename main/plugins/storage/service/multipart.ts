// Reads a multipart body as it comes: one file, handed on part by part, and a few short texts. Knows no file.
import type { Readable } from 'node:stream'
import { Busboy } from '@fastify/busboy'
import { validationError } from '#shared/errors.ts'

/** The file of a body. */
export interface FilePart<T> {
  readonly filename: string | undefined
  readonly contentType: string
  /** What became of its bytes. */
  readonly result: T
}

/** A body that was read to its end. */
export interface MultipartBody<T> {
  readonly file: FilePart<T> | undefined
  readonly fields: ReadonlyMap<string, string>
}

const limits = { fields: 20, fieldSize: 65_536, fieldNameSize: 100, parts: 30, headerPairs: 20 }

/**
 * Reads a body.
 * @param receive takes the bytes of the part `file`; what it throws ends the reading
 * @param discard undoes what was received when the rest of the body is refused
 * @throws validation_error for a body that is cut, malformed, or has two files
 */
export async function readMultipart<T>(
  source: AsyncIterable<Uint8Array>,
  contentType: string,
  receive: (bytes: AsyncIterable<Uint8Array>) => Promise<T>,
  discard: (result: T) => Promise<void>,
): Promise<MultipartBody<T>> {
  const fields = new Map<string, string>()
  const failure = Promise.withResolvers<never>()
  failure.promise.catch(() => undefined)
  const parser = openParser(contentType)
  let file: { filename: string | undefined; contentType: string; receiving: Promise<T> } | undefined
  parser.on('file', (name: string, bytes: Readable, filename: string | undefined, _encoding: string, type: string) => {
    if (name !== 'file') {
      bytes.resume()
      return
    }
    if (file !== undefined) {
      bytes.resume()
      failure.reject(malformed('file', 'max_items', 'A request brings one file.'))
      return
    }
    const receiving = receive(bytes)
    file = { filename, contentType: type, receiving }
    receiving.catch((error: unknown) => {
      bytes.resume()
      failure.reject(error)
    })
  })
  parser.on('field', (name: string, value: string, isNameCut: boolean, isCut: boolean) => {
    if (isNameCut || isCut) failure.reject(malformed(name.slice(0, 100), 'max_length', 'The text is too long.'))
    else fields.set(name, value)
  })
  for (const limit of ['partsLimit', 'fieldsLimit'])
    parser.on(limit, () => failure.reject(malformed('', 'max_items', 'The body has too many parts.')))
  parser.on('error', () => failure.reject(malformed('', 'invalid_format', 'The body is no multipart body.')))
  const finished = new Promise<void>((resolve) => parser.once('finish', resolve))

  const feed = async (): Promise<void> => {
    for await (const part of source)
      if (!parser.write(part))
        await Promise.race([new Promise((resolve) => parser.once('drain', resolve)), failure.promise])
    parser.end()
    await finished
  }
  try {
    await Promise.race([feed(), failure.promise])
    if (file === undefined) return { file, fields }
    const { filename, contentType: type, receiving } = file
    return { file: { filename, contentType: type, result: await receiving }, fields }
  } catch (error) {
    parser.destroy()
    await file?.receiving.then(discard, () => undefined)
    throw error
  }
}

function openParser(contentType: string): InstanceType<typeof Busboy> {
  try {
    return new Busboy({ headers: { 'content-type': contentType }, limits })
  } catch {
    throw malformed('', 'invalid_format', 'The content type names no boundary.')
  }
}

function malformed(field: string, code: 'invalid_format' | 'max_items' | 'max_length', message: string): Error {
  return validationError([{ field, code, message }])
}
