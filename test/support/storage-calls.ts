// Files over HTTP: bodies as browsers make them, samples of types, downloads as bytes, what lies on disk.
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { corePlugins, optionalPlugins } from '#main/host.ts'
import type { Answer, TestHost } from './create-test-host.ts'

/** Every plugin but this one: fields for files take what has their form, as no file is known. */
export const withoutStorage = { plugins: [...corePlugins, ...optionalPlugins.filter(({ id }) => id !== 'storage')] }

/** A picture of one pixel. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** The beginning of a picture of another type. */
export const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffdb00430008', 'hex')

/** A drawing that would run a script. */
export const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')

/** A page. */
export const page = Buffer.from('<!DOCTYPE html><html><script>alert(1)</script></html>')

/** Bytes that are nothing in particular; the same for the same seed. */
export function noise(length: number, seed = 1): Buffer {
  const block = createHash('sha256').update(`noise ${seed}`).digest()
  // A first byte that begins no text and no known mark.
  return Buffer.concat([Buffer.from([0, 255]), Buffer.alloc(Math.max(0, length - 2), block)]).subarray(0, length)
}

/** The checksum of bytes. */
export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** One part of a body: a text, or a file. */
export type Part =
  | readonly [name: string, text: string]
  | readonly [name: string, bytes: Uint8Array, filename: string, type?: string]

/** A multipart body and its headers. */
export function multipart(...parts: readonly Part[]): [body: Uint8Array, headers: Record<string, string>] {
  const boundary = `b${randomBytes(8).toString('hex')}`
  const pieces = parts.flatMap(([name, value, filename, type]) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}\r\n` +
        `${type === undefined ? '' : `Content-Type: ${type}\r\n`}\r\n`,
    ),
    Buffer.from(value as string),
    Buffer.from('\r\n'),
  ])
  const body = Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)])
  return [body, { 'content-type': `multipart/form-data; boundary=${boundary}` }]
}

/** Whoever posts: the owner's host, or one user's calls. */
interface Poster {
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

/** Uploads a file and answers what is told of it; fails the test when it is refused. */
export async function upload(
  poster: Poster,
  bytes: Uint8Array | string,
  options: { name?: string; type?: string; scope?: string } = {},
): Promise<{ fileId: string; sha256: string; [key: string]: unknown }> {
  const { name = 'note.txt', type, scope } = options
  const parts: Part[] = [['file', Buffer.from(bytes), name, type]]
  if (scope !== undefined) parts.push(['scope', scope])
  const answer = await poster.post('/storage/upload', ...multipart(...parts))
  if (answer.status !== 201) throw new Error(`The file was refused: ${JSON.stringify(answer.body)}`)
  return answer.body.data
}

/** An answer of bytes. */
export interface BytesAnswer {
  readonly status: number
  readonly bytes: Buffer
  readonly headers: Headers
}

/** Reads an address as bytes. */
export async function fetchBytes(url: string, headers: Record<string, string> = {}): Promise<BytesAnswer> {
  const response = await fetch(url, { headers })
  return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()), headers: response.headers }
}

/** The files below the folder of a data folder that hold bytes, by kind; each stored one is compared with its name. */
export function filesOnDisk(dataDir: string): { stored: string[]; temporary: string[]; parts: string[] } {
  const root = join(dataDir, 'files')
  const names = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])
  const stored = names(root)
    .filter((name) => /^[0-9a-f]{2}$/.test(name))
    .flatMap((prefix) => names(join(root, prefix)).map((name) => [prefix, name] as const))
  for (const [prefix, name] of stored) {
    const found = sha256(readFileSync(join(root, prefix, name)))
    if (found !== name) throw new Error(`The bytes of ${name} have the checksum ${found}.`)
  }
  return {
    stored: stored.map(([, name]) => name).toSorted(),
    temporary: names(join(root, 'tmp')),
    parts: names(join(root, 'uploads')),
  }
}

/** Uploads bytes as they are and answers the file's id and checksum; fails the test when they are refused. */
export async function uploadBytes(
  { host }: TestHost,
  bytes: Uint8Array,
  scope = 'public',
): Promise<{ readonly fileId: string; readonly sha256: string }> {
  const answer = await fetch(`${host.url}/api/v1/storage/upload?filename=plan.bin&scope=${scope}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${host.token}`, 'content-type': 'application/octet-stream' },
    body: bytes as Uint8Array<ArrayBuffer>,
  })
  const body = (await answer.json()) as { data: { fileId: string; sha256: string } }
  if (answer.status !== 201) throw new Error(`The file was refused: ${JSON.stringify(body)}`)
  return body.data
}

/** Reads the bytes of a file, or some of them. */
export function readBytes({ host }: TestHost, id: string, range?: string): Promise<BytesAnswer> {
  const headers = { authorization: `Bearer ${host.token}`, ...(range === undefined ? {} : { range }) }
  return fetchBytes(`${host.url}/api/v1/storage/${id}`, headers)
}

/** What is told of a file; undefined where none is known. */
export const fileTold = async (host: TestHost, id: string) =>
  (await host.get(`/storage/files/${id}/metadata`)).body.data
