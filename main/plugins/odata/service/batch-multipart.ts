// Batches in their older form: requests and answers as parts of a multipart message. Knows no entities.
import { parseJsonText } from '#main/kernel/json-body.ts'
import { validationError } from '#shared/errors.ts'
import type { PartAnswer } from './batch-answers.ts'

/** The media type of such a batch, without its boundary. */
export const multipartType = 'multipart/mixed'

interface Part {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * The requests of a message, in the form of a batch in JSON: a change set is a group.
 * @throws validation_error for what is no such message
 */
export function requestsOfMultipart(text: string, contentType: string): { requests: unknown[] } {
  let unnamed = 0
  const requestOf = (part: Part, group: string | null): object => {
    if (!/^application\/http\b/i.test(part.headers['content-type'] ?? ''))
      throw malformed('A part must be application/http, or a change set of such parts.')
    const [line = '', ...rest] = part.body.replace(/^\s+/, '').split('\n')
    const asked = line.trim()
    const [method, url] = [asked.slice(0, Math.max(asked.indexOf(' '), 0)), addressIn(asked)]
    if (method === '' || url === '') throw malformed('A request must begin with its method and address.')
    const { headers, body } = splitPart(rest)
    return {
      id: part.headers['content-id'] ?? headers['content-id'] ?? `part-${++unnamed}`,
      method,
      url,
      headers,
      ...(body.trim() === '' ? {} : { body: bodyOf(body) }),
      ...(group === null ? {} : { atomicityGroup: group }),
    }
  }
  const requests = partsOf(text, contentType).flatMap((part, index) => {
    const type = part.headers['content-type'] ?? ''
    if (!type.toLowerCase().startsWith(multipartType)) return [requestOf(part, null)]
    return partsOf(part.body, type).map((inner) => requestOf(inner, `changes-${index + 1}`))
  })
  return { requests }
}

/** The answers as a message; a change set that failed is one answer, as the protocol has it. */
export function multipartOf(answers: readonly PartAnswer[], boundary: string): { body: string; contentType: string } {
  const parts: string[] = []
  for (let index = 0; index < answers.length;) {
    const { atomicityGroup: group } = answers[index]!
    const members = group === undefined ? [answers[index]!] : answers.filter((one) => one.atomicityGroup === group)
    index += members.length
    const failed = members.filter(({ status }) => status >= 400)
    if (group === undefined) parts.push(partOf(members[0]!))
    else if (failed.length > 0) parts.push(partOf(failed.find((one) => !isRolledBack(one)) ?? failed[0]!))
    else {
      const inner = `${boundary}_${index}`
      parts.push(`Content-Type: ${multipartType}; boundary=${inner}\r\n\r\n${joined(members.map(partOf), inner)}`)
    }
  }
  return { body: joined(parts, boundary), contentType: `${multipartType}; boundary=${boundary}` }
}

function joined(parts: readonly string[], boundary: string): string {
  return `${parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')}--${boundary}--\r\n`
}

function partOf({ id, status, headers = {}, body }: PartAnswer): string {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
  const type = body === undefined || headers['content-type'] !== undefined ? {} : { 'content-type': 'application/json' }
  const lines = Object.entries({ ...headers, ...type }).map(([name, value]) => `${name}: ${value}\r\n`)
  const named = id.startsWith('part-') ? '' : `Content-ID: ${id}\r\n`
  return `Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n${named}\r\nHTTP/1.1 ${status} \r\n${lines.join('')}\r\n${text}`
}

function isRolledBack({ body }: PartAnswer): boolean {
  const { error } = (body ?? {}) as { error?: { details?: { reason?: unknown } } }
  return error?.details?.reason === 'rolled_back'
}

/** The parts between the boundaries that a content type names; what stands before and behind them counts for nothing. */
function partsOf(text: string, contentType: string): Part[] {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;,"]{1,70}))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) throw malformed('The content type must name its boundary.')
  const parts: Part[] = []
  let lines: string[] | null = null
  for (const line of text.split(/\r?\n/)) {
    const mark = line.trimEnd()
    if (mark !== `--${boundary}` && mark !== `--${boundary}--`) {
      lines?.push(line)
      continue
    }
    if (lines !== null) parts.push(splitPart(lines))
    if (mark.endsWith('--') && mark.length === boundary.length + 4) return parts
    lines = []
  }
  throw malformed('The message does not end with its boundary.')
}

/** What stands between the method and the version; services are asked without one, too. */
function addressIn(line: string): string {
  const version = line.lastIndexOf(' HTTP/1.')
  return line.slice(line.indexOf(' ') + 1, version > 0 ? version : undefined).trim()
}

function splitPart(lines: readonly string[]): Part {
  const end = lines.findIndex((line) => line.trim() === '')
  const head = end < 0 ? lines : lines.slice(0, end)
  const headers: Record<string, string> = Object.create(null) as Record<string, string>
  for (const line of head) {
    const colon = line.indexOf(':')
    if (colon > 0) headers[line.slice(0, colon).trim().toLowerCase()] = line.slice(colon + 1).trim()
  }
  return { headers, body: end < 0 ? '' : lines.slice(end + 1).join('\n') }
}

function bodyOf(text: string): unknown {
  try {
    return parseJsonText(text)
  } catch {
    throw malformed('The body of a request must be JSON.')
  }
}

function malformed(message: string): Error {
  return validationError([{ field: '', code: 'invalid_format', message }])
}
