// How a program of the same user talks to a running host: first the host proves that it knows the secret of the
// connection file, then the secret is used. Both halves of the proof live here. Knows no route beyond the two it calls.
import { defaultPrefix } from '#shared/api-prefix.ts'
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** What `connection.json` says of a running host (D-29). */
export interface RunningHostAddress {
  readonly url: string
  readonly token: string
  /** Default: that of every host without another one (D-01). */
  readonly prefix?: string
  /** Default: `/_console`. */
  readonly uiBasePath?: string
}

/** Longest wait for an answer of a host on the same machine. */
const patienceMs = 2_000

/** A backup copies and checks the whole database first. */
const backupPatienceMs = 10 * 60_000

/** Answers largest accepted, in bytes: whoever holds the port may be a stranger. */
const maxAnswerBytes = 65_536

/** The proof for a nonce: only a holder of the token can make it, and it tells nothing about the token. */
export function proofFor(token: string, nonce: string): string {
  return createHmac('sha256', token).update(`cairn host proof\n${nonce}`).digest('base64url')
}

/**
 * Whether the program on that address is the host that wrote the connection file. Sends a random nonce and no secret,
 * so a stranger on the port learns nothing.
 */
export async function verifyHost(host: RunningHostAddress): Promise<boolean> {
  const nonce = randomBytes(24).toString('base64url')
  const answer = await call(host, 'GET', `${shellOf(host)}/proof?nonce=${nonce}`, {})
  const proof = answer?.['proof']
  if (typeof proof !== 'string') return false
  const expected = Buffer.from(proofFor(host.token, nonce))
  const given = Buffer.from(proof)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/**
 * Asks a verified host for another one-time code and answers the address to open.
 * @throws Error when the host does not answer as expected
 */
export async function mintCodeOf(host: RunningHostAddress): Promise<string> {
  const answer = await call(host, 'POST', `${shellOf(host)}/session/code`, { authorization: `Bearer ${host.token}` })
  if (typeof answer?.['url'] !== 'string') throw new Error(`The host at ${host.url} gave no sign-in address.`)
  return answer['url']
}

/**
 * Asks a verified host for a backup and answers it (D-207).
 * @throws Error when the host does not answer as expected
 */
export async function makeBackupOf(
  host: RunningHostAddress,
): Promise<{ id: string; sizeBytes: number; sha256: string }> {
  const headers = { authorization: `Bearer ${host.token}` }
  const answer = await call(host, 'POST', `${host.prefix ?? defaultPrefix}/backups`, headers, backupPatienceMs)
  const { id, sizeBytes, sha256 } = answer ?? {}
  if (typeof id !== 'string' || typeof sizeBytes !== 'number' || typeof sha256 !== 'string') {
    throw new Error(`The host at ${host.url} made no backup; its log says why.`)
  }
  return { id, sizeBytes, sha256 }
}

/** Path of the application shell. */
export function shellOf({ uiBasePath }: RunningHostAddress): string {
  return uiBasePath ?? '/_console'
}

function call(
  host: RunningHostAddress,
  method: string,
  path: string,
  headers: Record<string, string>,
  timeout = patienceMs,
): Promise<Record<string, unknown> | undefined> {
  // Importing node:http as a module also loads the fetch implementation, a tenth of a second that every start would pay.
  const { request } = process.getBuiltinModule('node:http')
  return new Promise((resolve) => {
    const outgoing = request(new URL(path, host.url), { method, headers, timeout }, (incoming) => {
      let text = ''
      incoming.setEncoding('utf8')
      incoming.on('data', (chunk: string) => {
        text += chunk
        if (text.length > maxAnswerBytes) outgoing.destroy()
      })
      incoming.on('end', () => resolve(isSuccess(incoming.statusCode) ? parseObject(text) : undefined))
      incoming.on('error', () => resolve(undefined))
    })
    outgoing.on('timeout', () => outgoing.destroy())
    outgoing.on('error', () => resolve(undefined))
    outgoing.on('close', () => resolve(undefined))
    outgoing.end()
  })
}

function isSuccess(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status < 300
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    // A stranger on the port may answer anything.
    return undefined
  }
}
