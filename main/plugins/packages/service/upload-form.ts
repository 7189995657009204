// Reads an upload by a form: the file `artifact` into a temporary file as it arrives, the texts beside it (D-129).
import { validationError } from '#shared/errors.ts'
import type { FieldError } from '#shared/errors.ts'
import type { Artifacts, ReceivedFile, UploadFacts } from './artifacts.ts'

const texts = ['sha256', 'token', 'releaseNotes', 'format', 'packageId', 'version'] as const

/**
 * Receives the form; the caller keeps or discards the file.
 * @throws validation_error for a form that cannot be read or lacks a part, payload_too_large, upload_failed
 */
export async function receiveForm(
  stream: AsyncIterable<Uint8Array>,
  contentType: string,
  artifacts: Pick<Artifacts, 'receive' | 'discard'>,
): Promise<{ file: ReceivedFile; facts: UploadFacts }> {
  // Loads a parser that no start needs.
  const { readMultipart } = await import('#main/kernel/multipart.ts')
  const { file, fields } = await readMultipart(stream, contentType, { name: 'artifact', ...artifacts })
  const facts = Object.fromEntries(texts.flatMap((name) => (fields.has(name) ? [[name, fields.get(name)!]] : [])))
  const problems = [...problemsOf(facts)]
  if (file === undefined)
    problems.push({ field: 'artifact', code: 'required', message: 'The part "artifact" is needed, with a file name.' })
  if (problems.length > 0) {
    if (file !== undefined) await artifacts.discard(file.result)
    throw validationError(problems)
  }
  return { file: file!.result, facts: facts as UploadFacts }
}

function* problemsOf({ format, sha256 }: Readonly<Record<string, string>>): Iterable<FieldError> {
  if (format !== undefined && format !== 'zip' && format !== 'tgz')
    yield { field: 'format', code: 'invalid_option', message: 'Expected zip or tgz.', value: format }
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/.test(sha256))
    yield { field: 'sha256', code: 'invalid_format', message: 'Expected 64 hex digits in lower case.', value: sha256 }
}
