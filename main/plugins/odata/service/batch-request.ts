// Reads the body of a batch. Knows no entities.
import { validationError } from '#shared/errors.ts'
import type { FieldError } from '#shared/errors.ts'
import type { ODataRequest } from '../api.ts'

/** One request of a batch. */
export interface BatchPart extends ODataRequest {
  readonly id: string
  /** Requests of one group are done together or not at all. */
  readonly group: string | null
  /** Ids of requests and names of groups that must have worked. */
  readonly dependsOn: readonly string[]
}

/** Most requests of one batch. */
export const maxBatchParts = 100

const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const

/**
 * Reads the requests.
 * @throws validation_error with every problem
 * @source D-278
 */
export function readBatch(body: unknown): BatchPart[] {
  const requests = isMap(body) ? body['requests'] : undefined
  if (!Array.isArray(requests) || requests.length === 0)
    throw problem('requests', 'required', 'The body needs a list of requests.')
  if (requests.length > maxBatchParts)
    throw validationError(
      [{ field: 'requests', code: 'max_items', message: `A batch has at most ${maxBatchParts} requests.` }],
      { limit: maxBatchParts, received: requests.length },
    )
  const seen = new Set<string>()
  return requests.map((request: unknown, index) => {
    const part = readPart(request, `requests.${index}`)
    if (seen.has(part.id)) throw problem(`requests.${index}.id`, 'duplicate_value', 'The id occurs twice.')
    for (const name of part.dependsOn) {
      if (!seen.has(name))
        throw problem(`requests.${index}.dependsOn`, 'invalid_reference', 'No earlier request or group has this name.')
    }
    seen.add(part.id)
    if (part.group !== null) seen.add(part.group)
    return part
  })
}

/** The path and the query of an address below the service, whole or in part. @throws validation_error */
export function readAddress(url: string, field: string): Pick<ODataRequest, 'path' | 'query'> {
  const local = url.replace(/^https?:\/\/[^/]*/i, '').replace(/^\/(?:.*?\/)?odata(?:\/|$)/, '')
  const [path = '', ...rest] = local.split('?')
  const query: Record<string, string | string[]> = Object.create(null) as Record<string, string>
  for (const [name, value] of new URLSearchParams(rest.join('?'))) {
    const before = query[name]
    query[name] = before === undefined ? value : [before, value].flat()
  }
  try {
    return { path: path.split('/').map(decodeURIComponent).join('/').replace(/^\//, ''), query }
  } catch {
    throw problem(field, 'invalid_url', 'The address is not well formed.')
  }
}

function readPart(request: unknown, at: string): BatchPart {
  if (!isMap(request)) throw problem(at, 'invalid_type', 'A request must be an object.')
  const { id, url, headers = {}, body, atomicityGroup = null, dependsOn = [] } = request
  const given = request['method']
  const method = methods.find((known) => typeof given === 'string' && known === given.toUpperCase())
  if (method === undefined)
    throw problem(`${at}.method`, 'invalid_option', `The method must be one of ${methods.join(', ')}.`)
  if (typeof id !== 'string' || !/^[\w.~-]{1,64}$/.test(id))
    throw problem(`${at}.id`, id === undefined ? 'required' : 'invalid_format', 'A request needs an id.')
  if (typeof url !== 'string' || url.length > 16_384) throw problem(`${at}.url`, 'required', 'A request needs a url.')
  if (!isMap(headers)) throw problem(`${at}.headers`, 'invalid_type', 'The headers must be an object.')
  if (atomicityGroup !== null && typeof atomicityGroup !== 'string')
    throw problem(`${at}.atomicityGroup`, 'invalid_type', 'The group must be a text.')
  if (!Array.isArray(dependsOn) || !dependsOn.every((name) => typeof name === 'string'))
    throw problem(`${at}.dependsOn`, 'invalid_type', 'The value must be a list of ids.')
  const lowered = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)])
  return {
    id,
    method,
    ...readAddress(url, `${at}.url`),
    headers: Object.fromEntries(lowered) as Record<string, string>,
    body,
    group: atomicityGroup,
    dependsOn,
  }
}

function problem(field: string, code: FieldError['code'], message: string): Error {
  return validationError([{ field, code, message }])
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
