// One request of a channel, as the cases of the leak and oracle checks are written.
import type { Role } from './people.ts'
import type { Answered, World } from './world.ts'

/** Who performs a case of more than one request. */
export interface LeakCaller {
  /** Address of the host, without trailing slash. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** A request of a caller; the path is below `/api/v1` unless it starts with `//`. */
export interface LeakCase {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Does more than the one request; the bytes of the answer are everything that was heard. */
  readonly perform?: (caller: LeakCaller) => Promise<Answered>
}

/** The requests of one channel; `at` is the number of the caller. */
export type ChannelCases = (world: World, role: Role, at: number) => readonly LeakCase[]

/** A read. */
export const get = (path: string, headers?: Record<string, string>): LeakCase => ({
  method: 'GET',
  path,
  ...(headers === undefined ? {} : { headers }),
})

/** A request with a body. */
export const post = (path: string, body?: unknown, headers?: Record<string, string>): LeakCase => ({
  method: 'POST',
  path,
  ...(body === undefined ? {} : { body }),
  ...(headers === undefined ? {} : { headers }),
})

/** Any other request. */
export const ask = (method: string, path: string, body?: unknown, headers?: Record<string, string>): LeakCase => ({
  ...post(path, body, headers),
  method,
})

/** A list by JSON. */
export const query = (body: unknown, object = 'matter'): LeakCase => post(`/data/${object}/query`, body)

/** An id that nothing has. */
export const absentId = '0190f2a4-0000-7000-8000-0000000000ff'
