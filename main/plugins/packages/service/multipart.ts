// Reads an upload in parts: the file `artifact` into a temporary file as it arrives, the texts beside it (D-129). The
// library is loaded at first use.
import { Readable } from 'node:stream'
import type { FieldError } from '#shared/errors.ts'
import { PlatformError, validationError } from '#shared/errors.ts'
import type { Artifacts, ReceivedFile, UploadFacts } from './artifacts.ts'

const texts = ['sha256', 'token', 'releaseNotes', 'format', 'packageId', 'version'] as const
const maxTextBytes = 100_000

/**
 * Receives the parts; the caller keeps or discards the file.
 * @throws validation_error for parts that cannot be read or are missing, payload_too_large, upload_failed
 */
export async function receiveParts(
  stream: AsyncIterable<Uint8Array>,
  contentType: string,
  artifacts: Pick<Artifacts, 'receive' | 'discard'>,
): Promise<{ file: ReceivedFile; facts: UploadFacts }> {
  const { Busboy } = await import('@fastify/busboy')
  const facts: Record<string, string> = {}
  const problems: FieldError[] = []
  let receiving: Promise<ReceivedFile> | undefined
  let failure: unknown

  const parser = createParser(Busboy, contentType)
  const source = Readable.from(stream, { objectMode: false })
  await new Promise<void>((resolve) => {
    const end = (error?: unknown): void => {
      failure ??= error
      resolve()
    }
    parser.on('file', (name: string, part: NodeJS.ReadableStream) => {
      if (name !== 'artifact' || receiving !== undefined) {
        problems.push({ field: name, code: 'not_allowed', message: 'Only one file is taken, the part `artifact`.' })
        part.resume()
        return
      }
      receiving = artifacts.receive(part as AsyncIterable<Uint8Array> & NodeJS.ReadableStream)
      // Whoever stops reading ends the request; nothing waits for the rest.
      receiving.catch((error: unknown) => {
        source.unpipe(parser)
        end(error)
      })
    })
    parser.on('field', (name: string, value: string, _nameCut: boolean, isCut: boolean) => {
      if (isCut)
        problems.push({ field: name, code: 'max_length', message: 'The text is too long.', constraint: maxTextBytes })
      if ((texts as readonly string[]).includes(name)) facts[name] = value
    })
    for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit']) {
      parser.on(limit, () => problems.push({ field: '', code: 'max_items', message: 'There are too many parts.' }))
    }
    parser.on('finish', () => end())
    parser.on('error', (error: unknown) => end(error))
    source.on('error', (error) => end(error))
    source.pipe(parser)
  })
  const received = await Promise.allSettled(receiving === undefined ? [] : failure === undefined ? [receiving] : [])
  const [first] = received
  const file = first?.status === 'fulfilled' ? first.value : undefined
  try {
    if (failure instanceof PlatformError) throw failure
    if (failure !== undefined) throw unreadable()
    if (first?.status === 'rejected') throw first.reason
    if (facts['format'] !== undefined && facts['format'] !== 'zip' && facts['format'] !== 'tgz') {
      problems.push({
        field: 'format',
        code: 'invalid_option',
        message: 'Expected zip or tgz.',
        value: facts['format'],
      })
    }
    if (facts['sha256'] !== undefined && !/^[0-9a-f]{64}$/.test(facts['sha256'])) {
      const message = 'Expected 64 hex digits in lower case.'
      problems.push({ field: 'sha256', code: 'invalid_format', message, value: facts['sha256'] })
    }
    if (file === undefined) problems.push({ field: 'artifact', code: 'required', message: 'The file is required.' })
    if (problems.length > 0) throw validationError(problems)
    return { file: file!, facts: facts as UploadFacts }
  } catch (error) {
    if (file !== undefined) await artifacts.discard(file)
    throw error
  }
}

type BusboyClass = (typeof import('@fastify/busboy'))['Busboy']

function createParser(Busboy: BusboyClass, contentType: string): NodeJS.WritableStream {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: { files: 2, fields: 20, parts: 30, fieldNameSize: 100, fieldSize: maxTextBytes, headerPairs: 50 },
    })
  } catch {
    throw unreadable()
  }
}

function unreadable(): PlatformError {
  const message = 'The parts of the body cannot be read.'
  return validationError([{ field: '', code: 'invalid_format', message }])
}
