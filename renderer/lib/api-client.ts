// Owns every request to the host: address, credential, the headers that mark the application, envelopes and errors.
// Knows no screen and no object; what an operation takes and gives comes from the contracts.
import { ApiError, errorOfAnswer, isDiskFull, unreachable } from './api-error.ts'
import { connection, forgetConnection, shellBridge } from './bridge.ts'
import type { Connection } from './bridge.ts'
import { endpoints } from './endpoints.ts'
import type { CallInput, CallResult, OperationId } from './endpoints.ts'
import type { RouteMount } from '#shared/route.ts'
import { language } from './language.ts'
import { reportAnswered, reportDiskFull, reportSilent } from './host-status.ts'

type Listener = () => void
const lostSession = new Set(['unauthenticated', 'session_expired', 'api_key_invalid'])
const signedOutListeners = new Set<Listener>()

/** Calls back whenever the host refuses the credential, until the returned function is called. */
export function onSignedOut(listener: Listener): Listener {
  signedOutListeners.add(listener)
  return () => signedOutListeners.delete(listener)
}

/**
 * Calls one operation of the contracts.
 * @throws ApiError for a refused request and for a host that does not answer; DOMException AbortError when stopped
 */
export async function call<K extends OperationId>(operation: K, input: CallInput<K>): Promise<CallResult<K>> {
  return (await callTagged(operation, input)).result
}

/**
 * Calls one operation and also answers the version token of the resource, undefined when the answer has none.
 * @throws ApiError, DOMException AbortError
 */
export async function callTagged<K extends OperationId>(
  operation: K,
  input: CallInput<K>,
): Promise<{ result: CallResult<K>; etag: string | undefined }> {
  const [method, url] = await addressOf(operation, input.params ?? {}, input.query ?? {})
  const { body, etag } = await exchange(method, url, input.body, input.headers ?? {}, input.signal)
  return { result: unwrap(body) as CallResult<K>, etag }
}

/**
 * Sends a request below the host's address and answers the parsed body.
 * @throws ApiError, DOMException AbortError
 */
export async function request(method: string, path: string, body: unknown): Promise<unknown> {
  return (await exchange(method, path, body, {}, undefined)).body
}

/**
 * Sends a file, or a form with files, as the body of an operation that takes one beside JSON; its options go into the query.
 * @throws ApiError, DOMException AbortError
 */
export async function upload<K extends OperationId>(
  operation: K,
  input: {
    params: Record<string, unknown>
    query: Record<string, unknown>
    file: Blob | FormData
    signal?: AbortSignal
  },
): Promise<CallResult<K>> {
  const [method, url] = await addressOf(operation, input.params, input.query)
  return unwrap((await exchange(method, url, input.file, {}, input.signal)).body) as CallResult<K>
}

/**
 * Fetches the file an operation answers, and the name the host gives it.
 * @throws ApiError, DOMException AbortError; ApiError `unreachable` when the file ends early
 */
export async function download(
  operation: OperationId,
  input: { params: Record<string, unknown>; query: Record<string, unknown>; signal?: AbortSignal },
): Promise<{ file: Blob; name: string | undefined }> {
  const [method, url] = await addressOf(operation, input.params, input.query)
  const answer = await sendAgain(method, url, undefined, {}, input.signal)
  if (!answer.ok) await readAnswer(answer)
  try {
    const name = /filename="([^"]+)"/.exec(answer.headers.get('Content-Disposition') ?? '')?.[1]
    return { file: await answer.blob(), name }
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw unreachable(error)
  }
}

/**
 * Calls an operation whose answer goes on for as long as both sides want it to.
 * @throws ApiError, DOMException AbortError
 */
export async function openStream(
  operation: OperationId,
  input: { query: Record<string, unknown>; body?: unknown; signal: AbortSignal },
): Promise<Response> {
  const [method, url] = await addressOf(operation, {}, input.query)
  const answer = await sendAgain(method, url, input.body, { Accept: 'text/event-stream' }, input.signal)
  if (!answer.ok) await readAnswer(answer)
  return answer
}

async function addressOf(
  operation: OperationId,
  params: Record<string, unknown>,
  query: Record<string, unknown>,
): Promise<[method: string, url: string]> {
  const [method, mount, path] = endpoints[operation].split(' ') as [string, RouteMount, string]
  const filled = fillPath(path, params) + queryString(query)
  if (mount === 'versioned') return [method, (await reached()).prefix + filled]
  return [method, mount === 'api' ? `/api${filled}` : filled]
}

/** @throws ApiError `unreachable` */
async function reached(): Promise<Connection> {
  try {
    return await connection()
  } catch (error) {
    throw silent(error)
  }
}

function silent(error: unknown): ApiError {
  forgetConnection()
  reportSilent(answersAgain)
  return unreachable(error)
}

interface Exchanged {
  body: unknown
  etag: string | undefined
}

async function exchange(
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string>,
  signal: AbortSignal | undefined,
): Promise<Exchanged> {
  const answer = await sendAgain(method, path, body, headers, signal)
  return { body: await readAnswer(answer), etag: answer.headers.get('ETag') ?? undefined }
}

async function sendAgain(
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string>,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const answer = await send(method, path, body, headers, signal)
  if (answer.status !== 401 || !shellBridge()) return answer
  // The host of the shell may have been started anew with another token: ask once more.
  forgetConnection()
  return send(method, path, body, headers, signal)
}

async function send(
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string>,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const { baseUrl, token } = await reached()
  try {
    const answer = await fetch(baseUrl + path, {
      method,
      headers: {
        Accept: 'application/json, */*;q=0.1',
        'Accept-Language': language,
        'X-Cairn-Source': 'UI',
        // A cookie alone authorises no write (D-31); other origins cannot send this header.
        'X-Requested-With': 'cairn',
        ...typeOf(body),
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        ...headers,
      },
      body: body === undefined || body instanceof Blob || body instanceof FormData ? body : JSON.stringify(body),
      credentials: token === undefined ? 'same-origin' : 'omit',
      signal,
    })
    reportAnswered()
    return answer
  } catch (error) {
    if (signal?.aborted) throw signal.reason instanceof DOMException ? signal.reason : error
    throw silent(error)
  }
}

/** The type of a body; the browser writes that of a form, with the boundary between its parts. */
function typeOf(body: unknown): Record<string, string> {
  if (body === undefined || body instanceof FormData) return {}
  return { 'Content-Type': body instanceof Blob ? body.type : 'application/json' }
}

async function answersAgain(): Promise<boolean> {
  try {
    const { baseUrl } = await connection()
    return (await fetch(`${baseUrl}/healthz`, { cache: 'no-store' })).ok
  } catch {
    forgetConnection()
    return false // still silent: that is what is being asked
  }
}

/** Asks the host whether its disk is full, and says so on the screen until it no longer is. */
export async function lookAtDisk(): Promise<void> {
  if ((await diskStillFull()) === true) reportDiskFull(diskStillFull)
}

async function diskStillFull(): Promise<boolean | undefined> {
  try {
    const { baseUrl } = await connection()
    const answer = await fetch(`${baseUrl}/readyz`, { cache: 'no-store' })
    return !answer.ok && isDiskFull(errorOfAnswer(answer.status, await answer.json(), null))
  } catch {
    return undefined // no answer says nothing of the disk
  }
}

async function readAnswer(answer: Response): Promise<unknown> {
  let body: unknown
  try {
    const text = await answer.text()
    body = text === '' ? undefined : JSON.parse(text)
  } catch (error) {
    if (error instanceof DOMException) throw error
    if (!(error instanceof SyntaxError)) throw unreachable(error)
  }
  if (answer.ok) return body
  const error = errorOfAnswer(answer.status, body, answer.headers.get('Retry-After'))
  if (isDiskFull(error)) reportDiskFull(diskStillFull)
  // A wrong password is a 401 too, and ends no session.
  if (lostSession.has(error.code)) for (const listener of signedOutListeners) listener()
  throw error
}

// A bare body never has a boolean `success` beside `data` (D-06), so this pair is the envelope and nothing else.
function unwrap(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body
  if ('success' in body && body.success === true && 'data' in body) return body.data
  return body
}

/** Replaces `:name` parts of a path; values are percent-encoded. */
export function fillPath(path: string, params: Record<string, unknown>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined) throw new ApiError({ ...missingParameter, details: { name } })
    return encodeURIComponent(String(value))
  })
}

const missingParameter = {
  code: 'invalid_answer',
  message: 'A path parameter is missing.',
  httpStatus: 0,
  category: 'request',
  retryable: false,
} as const

/** Writes a query string with its `?`; undefined values are left out and lists repeat the name (D-13). */
export function queryString(query: Record<string, unknown>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const entry of Array.isArray(value) ? value : [value]) {
      if (entry !== undefined && entry !== null) search.append(name, String(entry))
    }
  }
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}
