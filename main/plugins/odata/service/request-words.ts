// What the headers and $format of a request ask for: the form of the answer, the version, preferences.
import { invalidQuery, validationError } from '#shared/errors.ts'
import { odataVersionOf } from '#shared/odata-version.ts'
import { unsupported } from './token-reader.ts'

/** How an answer is written. */
export interface AnswerForm {
  /** How much the answer says beside the values. */
  readonly metadata: 'none' | 'minimal' | 'full'
  /** Whether 64-bit integers and decimals are written as texts. */
  readonly numbersAsText: boolean
  readonly version: '4.0' | '4.01'
}

/** Preferences of a request. */
export interface Preferences {
  readonly returns: 'minimal' | 'representation' | null
  /** Most rows of one answer; null: as the service likes. */
  readonly pageSize: number | null
  /** The names of those that are honoured, as the answer says them. */
  readonly applied: readonly string[]
}

/** Request headers by lower-case name. */
export type Headers = Readonly<Record<string, string | undefined>>

/** Most rows of one answer (D-75). */
export const maxPageSize = 1_000

/**
 * How a JSON answer is to be written.
 * @throws invalid_query for a $format that is none, not_implemented for other formats, validation_error for old versions
 */
export function formOf(headers: Headers, format: string | undefined): AnswerForm {
  const asked = format === undefined ? (headers['accept'] ?? '') : formatType(format)
  const words = new Map(
    asked
      .split(/[;,]/)
      .map((part) => part.trim().toLowerCase().split('='))
      .map(([name = '', value = '']) => [name.trim().replace(/^odata\./, ''), value.trim().replaceAll('"', '')]),
  )
  const metadata = words.get('metadata')
  return {
    metadata: metadata === 'none' || metadata === 'full' ? metadata : 'minimal',
    numbersAsText: words.get('ieee754compatible') === 'true',
    version: versionOf(headers),
  }
}

/** The media type of an answer of this form. @source OData JSON Format, "Header Content-Type" */
export function mediaTypeOf({ metadata, numbersAsText }: AnswerForm): string {
  return `application/json;odata.metadata=${metadata}${numbersAsText ? ';IEEE754Compatible=true' : ''};charset=utf-8`
}

/** Whether the model is wanted as JSON. @throws invalid_query, not_implemented */
export function wantsJson(headers: Headers, format: string | undefined): boolean {
  if (format !== undefined) {
    const type = format.trim().toLowerCase()
    if (type === 'xml' || type.startsWith('application/xml')) return false
    formatType(format)
    return true
  }
  const accept = headers['accept'] ?? ''
  return accept.includes('application/json') && !accept.includes('xml')
}

/** Reads `Prefer`. Preferences that are not known or not understood are not honoured, as RFC 7240 says. */
export function preferencesOf(headers: Headers): Preferences {
  let returns: Preferences['returns'] = null
  let pageSize: number | null = null
  const applied: string[] = []
  for (const part of (headers['prefer'] ?? '').split(/[,;]/)) {
    const [name = '', value = ''] = part.split('=').map((word) => word.trim().toLowerCase().replaceAll('"', ''))
    if (name === 'return' && returns === null && (value === 'minimal' || value === 'representation')) {
      returns = value
      applied.push(`return=${value}`)
    }
    if (/^(?:odata\.)?maxpagesize$/.test(name) && pageSize === null && /^[1-9]\d{0,8}$/.test(value)) {
      pageSize = Math.min(Number(value), maxPageSize)
      applied.push(`${name}=${pageSize}`)
    }
  }
  return { returns, pageSize, applied }
}

/** $format as a media type. */
function formatType(format: string): string {
  const type = format.trim().toLowerCase()
  if (type === 'json') return 'application/json'
  if (/^application\/json(?:\s*;|$)/.test(type)) return type
  if (/^(?:xml|atom|application\/(?:xml|atom\+xml)|text\/.*)$/.test(type))
    throw unsupported('$format', 'A format other than JSON')
  throw invalidQuery('$format', 'The value must be json or a media type of JSON.', { path: '' })
}

/** @throws validation_error for versions that are not spoken */
function versionOf(headers: Headers): AnswerForm['version'] {
  const most = headers['odata-maxversion']?.trim()
  const used = headers['odata-version']?.trim()
  for (const [field, version] of [
    ['OData-MaxVersion', most],
    ['OData-Version', used],
  ] as const) {
    if (version === undefined) continue
    const isNumber = /^\d+(?:\.\d+)?$/.test(version)
    const isOff = field === 'OData-Version' ? Number(version) > 4.01 : false
    if (!isNumber || Number(version) < 4 || isOff) {
      const message = 'The service speaks the versions 4.0 and 4.01.'
      throw validationError([{ field, code: 'not_allowed', message, value: version.slice(0, 20) }])
    }
  }
  return odataVersionOf(headers)
}
