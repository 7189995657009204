// The steps of files: one large file up and down over loopback, against a stream written by hand that sums the bytes up and
// waits for the disk. Cairn takes a large file in chunks, each on disk before its answer, and puts them together.
import { createHash, randomBytes } from 'node:crypto'
import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { Pair } from './figures.ts'
import { alternate } from './measures.ts'
import type { Run, Sample, Step } from './measures.ts'
import { processorMs } from './servers.ts'
import type { Target } from './targets.ts'

const mib = 1024 ** 2
const chunkBytes = 64 * mib
/** Repeated, so that the client costs little: neither server packs what it is given. */
const piece = randomBytes(mib)

/** Bytes of the file; both servers keep what they are given until the end of the run. */
const sizeOf = (run: Run): number => (run.quick ? 128 : 1024) * mib

interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Mebibytes of the body, or what goes as JSON. */
  readonly body?: number | object
}

/** @throws Error when the answer is no success */
async function send(
  { server }: Target,
  path: string,
  { method = 'GET', headers, body }: Sent,
): Promise<IncomingMessage> {
  const json = typeof body === 'object' ? JSON.stringify(body) : undefined
  const type = json === undefined ? 'application/octet-stream' : 'application/json'
  const length = typeof body === 'number' ? body * mib : json === undefined ? undefined : Buffer.byteLength(json)
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port: server.port,
        path,
        method,
        headers: {
          ...(server.token === '' ? {} : { authorization: `Bearer ${server.token}` }),
          ...(length === undefined ? {} : { 'content-type': type, 'content-length': length }),
          ...headers,
        },
      },
      resolve,
    )
    sent.once('error', reject)
    if (typeof body === 'number') Readable.from(Array.from({ length: body }, () => piece)).pipe(sent)
    else sent.end(json)
  })
  if (response.statusCode! >= 300) throw new Error(`${path} answered ${response.statusCode}: ${await textOf(response)}`)
  return response
}

async function textOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of response) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

async function dataOf<T>(response: IncomingMessage): Promise<T> {
  return (JSON.parse(await textOf(response)) as { data: T }).data
}

/** Sends a file of so many bytes; answers where it is read. @throws Error when its sum is another one */
type Upload = (target: Target, bytes: number) => Promise<string>

const toCairn: Upload = async (target, bytes) => {
  const base = '/api/v1/storage/upload/chunked'
  const begun = await dataOf<{ uploadId: string; resumeToken: string; totalChunks: number }>(
    await send(target, base, {
      method: 'POST',
      body: {
        filename: 'large.bin',
        mimeType: 'application/octet-stream',
        totalSize: bytes,
        chunkSize: chunkBytes,
        scope: 'private',
      },
    }),
  )
  const parts: { chunkIndex: number; eTag: string }[] = []
  for (let chunkIndex = 0; chunkIndex < begun.totalChunks; chunkIndex += 1) {
    const put = await send(target, `${base}/${begun.uploadId}/chunk/${chunkIndex}`, {
      method: 'PUT',
      headers: { 'x-resume-token': begun.resumeToken },
      body: Math.min(chunkBytes, bytes - chunkIndex * chunkBytes) / mib,
    })
    parts.push({ chunkIndex, eTag: (await dataOf<{ eTag: string }>(put)).eTag })
  }
  const file = await dataOf<{ fileId: string; sha256: string }>(
    await send(target, `${base}/${begun.uploadId}/complete`, { method: 'POST', body: { parts } }),
  )
  requireSum(file.sha256, bytes)
  return `/api/v1/storage/${file.fileId}`
}

let floorFiles = 0
const toFloor: Upload = async (target, bytes) => {
  const path = `/files/large-${(floorFiles += 1)}.bin`
  const answer = await textOf(await send(target, path, { method: 'PUT', body: bytes / mib }))
  requireSum((JSON.parse(answer) as { sha256: string }).sha256, bytes)
  return path
}

const sums = new Map<number, string>()
function requireSum(found: string, bytes: number): void {
  if (!sums.has(bytes)) {
    const sum = createHash('sha256')
    for (let sent = 0; sent < bytes; sent += mib) sum.update(piece)
    sums.set(bytes, sum.digest('hex'))
  }
  if (found !== sums.get(bytes)) throw new Error(`stored other bytes than were sent: ${found}`)
}

/** Mebibytes per second, and processor time for each. */
async function rateOf(target: Target, bytes: number, work: () => Promise<unknown>): Promise<Sample> {
  const before = processorMs(target.server.pid)
  const startedAt = performance.now()
  await work()
  const seconds = (performance.now() - startedAt) / 1_000
  return { value: bytes / mib / seconds, cpuMs: (processorMs(target.server.pid) - before) / (bytes / mib) }
}

async function read(target: Target, path: string, bytes: number): Promise<void> {
  let received = 0
  for await (const part of await send(target, path, {})) received += (part as Buffer).length
  if (received !== bytes) throw new Error(`${path} gave ${received} of ${bytes} bytes`)
}

const uploads = (run: Run): [Upload, Target][] => [
  [toCairn, run.cairn],
  [toFloor, run.floor],
]

function storageStep(id: string, label: string, measure: (run: Run) => Promise<Pair[]>): Step {
  return { id, label, unit: 'MiB/s', better: 'higher', goal: 0.5, reference: 'floor', measure }
}

/** The steps. */
export const storageSteps: readonly Step[] = [
  storageStep('storage-upload', 'upload of a large file', (run) => {
    const [ours, theirs] = uploads(run).map(
      ([upload, target]) =>
        () =>
          rateOf(target, sizeOf(run), () => upload(target, sizeOf(run))),
    )
    return alternate(run, ours!, theirs!)
  }),
  storageStep('storage-download', 'download of a large file', async (run) => {
    const bytes = sizeOf(run)
    const [ours, theirs] = await Promise.all(
      uploads(run).map(async ([upload, target]) => {
        const path = await upload(target, bytes)
        return () => rateOf(target, bytes, () => read(target, path, bytes))
      }),
    )
    return alternate(run, ours!, theirs!)
  }),
]
