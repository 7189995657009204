// What a tool answers when it fails: the platform's error object as text, so that whoever called can mend the call.
import { PlatformError, errorObject, platformError } from '#shared/errors.ts'
import { diskFullError, isDiskFull } from '#main/kernel/disk-full.ts'
import type { Logger } from '#main/kernel/logger.ts'

/** The error a failure stands for; what is unforeseen goes to the log and says nothing. */
export function platformErrorOf(thrown: unknown, requestId: string, log: Logger): PlatformError {
  if (thrown instanceof PlatformError) return thrown
  if (isDiskFull(thrown)) return diskFullError(thrown)
  log.error({ err: thrown, requestId }, 'A tool failed.')
  return platformError('internal_error')
}

/** The result of a call that failed (D-297). */
export function failedResult(error: PlatformError, requestId: string): Record<string, unknown> {
  const object = errorObject(error, requestId)
  const reasons = reasonsOf(error)
  const lines = [`${object.code}: ${object.message}`, ...reasons, JSON.stringify({ error: object })]
  return { isError: true, content: [{ type: 'text', text: lines.join('\n') }] }
}

/** A line per problem: where and why. */
function reasonsOf({ details }: PlatformError): string[] {
  const problems = details['fieldErrors']
  if (Array.isArray(problems))
    return (problems as { field: string; message: string }[]).map(
      ({ field, message }) => `${field === '' ? '(all)' : field}: ${message}`,
    )
  const { parameter, reason } = details
  if (typeof reason !== 'string') return []
  return [typeof parameter === 'string' ? `${parameter}: ${reason}` : reason]
}
