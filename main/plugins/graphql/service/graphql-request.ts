// What a request asks for, from a body or a query string; what has the wrong form is refused by name (D-181).
import { hash } from 'node:crypto'
import { validationError } from '#shared/errors.ts'
import type { FieldError } from '#shared/errors.ts'

/** A document to run, or the hash of one. */
export interface GraphqlRequest {
  /** Undefined where only the hash is given. */
  readonly query: string | undefined
  readonly variables: Readonly<Record<string, unknown>>
  readonly operationName: string | undefined
  /** SHA-256 of the document, hexadecimal, in lower case. */
  readonly hash: string | undefined
}

/** Reads the body of a POST. @throws validation_error */
export function requestOfBody(body: unknown): GraphqlRequest {
  if (body === undefined) throw refusal([['query', 'required', 'A document is needed.']])
  if (!isMap(body)) throw refusal([['', 'invalid_type', 'The body must be one object; lists of requests are not run.']])
  return requestOf(body)
}

/** Reads the query string of a GET; maps are JSON. @throws validation_error */
export function requestOfQuery(
  parameters: Readonly<Record<string, string | readonly string[] | undefined>>,
): GraphqlRequest {
  const given: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(parameters)) {
    const text = typeof value === 'object' ? value.at(-1) : value
    if (text === undefined || (text === '' && name !== 'query')) continue
    given[name] = name === 'variables' || name === 'extensions' ? parseMap(text, name) : text
  }
  return requestOf(given)
}

function parseMap(text: string, name: string): unknown {
  try {
    return JSON.parse(text, (key, value: unknown) => {
      if (key === '__proto__') throw refusal([[name, 'not_allowed', 'The key "__proto__" is not allowed.']])
      return value
    }) as unknown
  } catch {
    throw refusal([[name, 'invalid_json', 'The value is not JSON.']])
  }
}

function requestOf(given: Readonly<Record<string, unknown>>): GraphqlRequest {
  const { query, variables, operationName, extensions } = given
  const problems: (readonly [string, FieldError['code'], string])[] = []
  const sha = hashOf(extensions, problems)
  if (query === undefined || query === null || query === '') {
    if (sha === undefined) problems.push(['query', 'required', 'A document is needed.'])
  } else if (typeof query !== 'string') problems.push(['query', 'invalid_type', 'The document must be text.'])
  if (variables !== undefined && variables !== null && !isMap(variables))
    problems.push(['variables', 'invalid_type', 'The variables must be an object.'])
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string')
    problems.push(['operationName', 'invalid_type', 'The name must be text.'])
  const text = typeof query === 'string' && query !== '' ? query : undefined
  if (sha !== undefined && text !== undefined && hash('sha256', text) !== sha)
    problems.push(['extensions.persistedQuery.sha256Hash', 'invalid_format', 'The hash is not that of the document.'])
  if (problems.length > 0) throw refusal(problems)
  return {
    query: text,
    variables: (variables ?? {}) as Readonly<Record<string, unknown>>,
    // Some clients send an empty name for none.
    operationName: typeof operationName === 'string' && operationName !== '' ? operationName : undefined,
    hash: sha,
  }
}

function hashOf(extensions: unknown, problems: (readonly [string, FieldError['code'], string])[]): string | undefined {
  if (extensions === undefined || extensions === null) return undefined
  if (!isMap(extensions)) {
    problems.push(['extensions', 'invalid_type', 'The extensions must be an object.'])
    return undefined
  }
  const persisted = extensions['persistedQuery']
  if (persisted === undefined || persisted === null) return undefined
  const sha = isMap(persisted) && persisted['version'] === 1 ? persisted['sha256Hash'] : undefined
  if (typeof sha === 'string' && /^[0-9a-f]{64}$/i.test(sha)) return sha.toLowerCase()
  problems.push([
    'extensions.persistedQuery',
    'invalid_format',
    'Expected version 1 and a SHA-256 hash in hexadecimal digits.',
  ])
  return undefined
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function refusal(problems: readonly (readonly [string, FieldError['code'], string])[]) {
  return validationError(problems.map(([field, code, message]) => ({ field, code, message })))
}
