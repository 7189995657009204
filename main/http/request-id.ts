// The id of a request: the one its client gave, else a new one. Knows no route.
import type { IncomingHttpHeaders } from 'node:http'
import type { Ids } from '#main/kernel/ids.ts'

const requestIdPattern = /^[A-Za-z0-9_-]{8,64}$/

/** The `X-Request-Id` of a request, when it is one. @source D-15 */
export function requestIdOf(headers: IncomingHttpHeaders, ids: Ids): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && requestIdPattern.test(given) ? given : ids.uuid()
}
