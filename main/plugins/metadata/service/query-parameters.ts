// Reads the query parameters of the metadata routes (D-12, D-14). Pure.
import { numberProblem } from '#shared/contracts/common.ts'
import { metadataStates } from '#shared/contracts/metadata.ts'
import { notFound } from '#shared/errors.ts'
import type { LanguageRequest } from '#shared/language.ts'
import { refusal } from './check-input.ts'

/** A query parameter as the contract lets it in. */
export type QueryText = string | string[] | undefined

const defaultLimit = 50
const maxLimit = 200

/** The last value of a parameter, undefined when absent. */
export function lastText(value: QueryText): string | undefined {
  return Array.isArray(value) ? value.at(-1) : value
}

/** What a request says of its language; the parameter wins over the header. */
export function languageOf(
  query: { readonly locale?: QueryText },
  headers: Readonly<Record<string, string | undefined>>,
): LanguageRequest {
  return { locale: lastText(query.locale), acceptLanguage: headers['accept-language'] }
}

/** A boolean; absent is false, empty is true. @throws validation_error */
export function parseFlag(field: string, value: QueryText): boolean {
  const text = lastText(value)
  if (text === undefined || text === 'false' || text === '0') return false
  if (text === 'true' || text === '1' || text === '') return true
  throw refusal(field, 'invalid_boolean', 'Expected true, false, 1 or 0.', { value: text })
}

/** States of the lifecycle, undefined when absent (D-13). @throws validation_error */
export function parseStates(value: QueryText): readonly string[] | undefined {
  if (value === undefined) return undefined
  const states = [value].flat().flatMap((text) => text.split(',').map((word) => word.trim()))
  const wrong = states.find((state) => !(metadataStates as readonly string[]).includes(state))
  if (wrong === undefined) return states
  throw refusal('state', 'invalid_option', 'There is no such state.', { value: wrong, constraint: metadataStates })
}

/** Where a page of history starts and how long it is. @throws validation_error */
export function parsePage(query: { sinceSeq?: QueryText; limit?: QueryText }): { sinceSeq: number; limit: number } {
  const limit = integer('limit', query.limit, defaultLimit)
  if (limit < 1) {
    throw refusal('limit', 'min_value', 'The limit is at least 1.', { value: limit, constraint: 1 })
  }
  if (limit > maxLimit) {
    const message = `The limit is at most ${maxLimit}.`
    throw refusal('limit', 'max_value', message, { value: limit, constraint: maxLimit })
  }
  return { sinceSeq: integer('sinceSeq', query.sinceSeq, 0), limit }
}

/** The number of a history event. @throws resource_not_found when the segment is none */
export function parseSeq(segment: string): number {
  if (!/^\d{1,15}$/.test(segment)) throw notFound('history', segment)
  return Number(segment)
}

function integer(field: string, value: QueryText, fallback: number): number {
  const text = lastText(value)
  if (text === undefined) return fallback
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw refusal(field, numberProblem(text), 'Expected decimal digits.', { value: text })
}
