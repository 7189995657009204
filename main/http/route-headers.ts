// Which headers a route reads and sends: what its contract names, and what follows from it as the pipeline does it. The
// documents are made from this, and in tests handlers are held to it.
import type { RequestHeader, ResponseHeader } from '#shared/route-headers.ts'
import type { AnyRoute } from '#shared/route.ts'
import { routeMutates } from '#shared/route.ts'

/** Headers of requests that every route heeds. */
const alwaysRead: readonly RequestHeader[] = ['Accept-Language', 'X-API-Version', 'X-Request-Id']

/** Whether repeats of a call may get the first answer: keys are for POST and PATCH, and some answers must not be kept (D-42). */
export function takesIdempotencyKey(contract: AnyRoute): boolean {
  const { method, keepsAnswer } = contract
  return (method === 'POST' || method === 'PATCH') && routeMutates(contract) && keepsAnswer !== false
}

/** Headers that requests of a route may have, by name; those of credentials and of the body are left out. */
export function headersRead(contract: AnyRoute): RequestHeader[] {
  const own: RequestHeader[] = [...alwaysRead, ...(contract.reads ?? [])]
  if (routeMutates(contract)) own.push('X-Cairn-Source')
  if (takesIdempotencyKey(contract)) own.push('Idempotency-Key')
  if (contract.ranges === true) own.push('If-Range', 'Range')
  return own.toSorted()
}

/** Headers that answers of a route with this status may have beside those of every answer, by name. */
export function headersSent(contract: AnyRoute, status: number): ResponseHeader[] {
  if (status >= 400) {
    const ofItsOwn = Object.keys(contract.refusalsSend ?? {}) as ResponseHeader[]
    return [...headersOfRefusals(status), ...ofItsOwn].toSorted()
  }
  const own = new Set<ResponseHeader>(contract.sends)
  if (status === 302 || status === 303) own.add('Location')
  if (contract.ranges === true) own.add('Accept-Ranges')
  if (status === 206) own.add('Content-Range')
  if (status < 300 && takesIdempotencyKey(contract)) own.add('Idempotent-Replay')
  return [...own].toSorted()
}

/** Headers that refusals of any route with this status may have, by name. */
export function headersOfRefusals(status: number): readonly ResponseHeader[] {
  return ofRefusals[status] ?? []
}

const ofRefusals: Readonly<Record<number, readonly ResponseHeader[] | undefined>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  416: ['Content-Range'],
  429: ['Retry-After', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'],
  503: ['Retry-After'],
}

/** Headers of credentials, of the body and of the connection, which contracts do not name. */
const unnamed: ReadonlySet<string> = new Set(
  'accept authorization content-length content-type cookie host origin user-agent'.split(' '),
)

/**
 * The headers of a request for its handler, which fails when it reads one that its contract does not name.
 * A receiver takes whatever its sender proves itself with.
 */
export function heldToContract(
  contract: AnyRoute,
  headers: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> {
  if (contract.keepsRawBody === true) return headers
  const named = new Set(headersRead(contract).map((name) => name.toLowerCase()))
  return new Proxy(headers, {
    get(target, name: string) {
      if (named.has(name) || unnamed.has(name)) return target[name]
      throw new Error(`The contract of ${contract.operationId} does not say that it reads ${name}.`)
    },
  })
}
