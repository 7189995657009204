// One call of the public API over HTTP with the connection token, for programs outside the host. Knows no route.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The status and parsed body of an answer; the body is undefined when there is none. */
export interface ApiAnswer {
  readonly status: number
  readonly body: unknown
}

/** Calls a path below the server's root, for example `PUT /api/v1/meta/object/task`. */
export type ApiCall = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<ApiAnswer>

/** Calls a running host. */
export function createApiCall(url: string, token: string): ApiCall {
  return async (method, path, body, headers) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }
}

/** Calls the host that runs on a data directory. @source D-29 @throws Error when none runs there */
export function connectToDataDir(dataDir: string): ApiCall {
  const connection = JSON.parse(readFileSync(join(dataDir, 'connection.json'), 'utf8')) as {
    url: string
    token: string
  }
  return createApiCall(connection.url, connection.token)
}

/** Calls and returns the body. @throws Error with the answer when the status is another than `status` */
export async function expectStatus(
  call: ApiCall,
  status: number,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const answer = await call(method, path, body)
  if (answer.status === status) return answer.body
  throw new Error(`${method} ${path} answered ${answer.status}, not ${status}: ${JSON.stringify(answer.body)}`)
}
