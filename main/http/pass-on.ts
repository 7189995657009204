// Passes requests and sockets on to the node that leads a hub: as they come, and once more where that cannot do a thing
// twice. Knows no route: whether a request may be repeated is in its method and its key.
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { defaultArrival, watchArrival } from './arrival.ts'
import { isReadMethod } from './guard.ts'
import { addressKey } from './rate-key.ts'
import { createShares } from './shares.ts'

/** What passing on works with. */
export interface PassOnParts {
  /** Address of the node that leads; null while nobody knows. Asked again and again. */
  readonly leader: () => string | null
  /** Headers beside those of the client. @param isRepeat somebody may have done already what is asked */
  readonly headersFor: (request: IncomingMessage, isRepeat: boolean) => OutgoingHttpHeaders
  /** Answers in place of a leader. */
  readonly refuse: (response: ServerResponse, why: PassOnRefusal) => void
  /** How long a request waits for somebody who leads. */
  readonly patienceMs?: number
  readonly limits?: PassOnLimits
}

/** Why a request is not answered by a leader. */
export type PassOnRefusal =
  /** Nobody leads. */
  | 'nobody'
  /** Somebody who led may have done what was asked. */
  | 'unknown'
  /** As much is under way, of that address or of all, as may be. */
  | 'full'
  /** The body did not arrive in time. */
  | 'late'

/** What may be under way. Of places and bytes one address gets half, and several leave some to others. */
export interface PassOnLimits {
  /** Requests and sockets at once; as many bodies may be arriving beside them. */
  readonly places: number
  /** Bytes of bodies that are kept, in sum. */
  readonly keptBytes: number
  /** From the end of the headers to that of a body that is kept, for each MiB of it that was begun. */
  readonly bodyMs: number
}

/** Passes on until it is ended. */
export interface PassOn {
  /** @param upgrade the connection of a client that asks for another protocol, and what it has sent of that */
  pass(
    request: IncomingMessage,
    response: ServerResponse,
    upgrade?: { readonly socket: Socket; readonly head: Buffer },
  ): void
  /** Ends what is under way. */
  end(): void
}

/** A try of a request. */
interface UnderWay {
  readonly address: string
  cut(): void
  /** How long it goes on where another machine leads. */
  restMs?: number
  /** Since when another machine leads. */
  leftAt?: number
}

/** What became of one try. */
type Outcome =
  /** The client has its answer, or has gone. */
  | 'over'
  /** Nothing was done: there was no connection, or whoever was asked does not lead. */
  | 'not-taken'
  /** Nobody knows. */
  | 'unknown'

/** Bodies up to here are kept until the answer, so that they can be sent again. */
const maxKeptBytes = 1024 * 1024
/** Those of requests that may be repeated up to here, where there is room: as long as what a host takes, but for files. */
const maxRepeatedBytes = 10 * maxKeptBytes
/** The limits of a door, as it is delivered. */
export const defaultPassOnLimits: PassOnLimits = Object.freeze({
  places: 10_000,
  keptBytes: 256 * 1024 * 1024,
  bodyMs: defaultArrival.bodyMs,
})
const maxRefusalBytes = 64 * 1024
const retryMs = 50
/** A connection gets so long at least. */
const connectMs = 500
/** How often is looked whether whoever was asked still leads: one that stands still ends no connection. */
const lookMs = 250
/** So long an answer that has begun, and has an end, may still come from a machine that led when it was asked. */
const restMs = 5_000

/** Headers that belong to one connection (RFC 9110 section 7.6.1). */
const ofConnection = new Set(
  'connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
)

/** Reasons of 503 by which a node says that it has not begun. */
const notBegun = new Set(['standby', 'stopping'])
/** Reasons by which it says that another one may lead soon. */
const notKept = new Set(['hub_store', 'hub_lease'])

/** Makes what passes requests on. */
export function createPassOn({
  leader,
  headersFor,
  refuse,
  patienceMs = 15_000,
  limits = defaultPassOnLimits,
}: PassOnParts): PassOn {
  /** The try of each request under way. */
  const underWay = new Map<object, UnderWay>()
  const places = createShares(limits.places)
  // Apart: a body that does not come takes no place of what is passed on.
  const arriving = createShares(limits.places)
  const bytes = createShares(limits.keptBytes)
  let isEnded = false
  const watch = setInterval(() => {
    const address = leader()
    const now = performance.now()
    for (const one of underWay.values()) {
      if (address === null || one.address === address) continue
      one.leftAt ??= now
      if (one.leftAt + (one.restMs ?? 0) <= now) one.cut()
    }
  }, lookMs).unref()

  /** Waits for a body that is kept; what of it is kept until the answer is in `kept`. */
  const arrived = async (request: IncomingMessage, who: string, kept: Kept): Promise<Buffer | null | PassOnRefusal> => {
    const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers
    const size = Number(length)
    if (coding !== undefined || size > maxRepeatedBytes) return null
    if (size > maxKeptBytes) {
      if (!mayRepeat(request) || !bytes.take(who, size)) return null
      kept.bytes = size
    }
    if (length === '0') return Buffer.alloc(0)
    if (!arriving.take(who, 1)) return 'full'
    try {
      return await readKept(request, limits.bodyMs * Math.ceil(size / maxKeptBytes), (amount) => {
        if (size > maxKeptBytes) return true
        if (!bytes.take(who, amount)) return false
        kept.bytes += amount
        return true
      })
    } finally {
      arriving.give(who, 1)
    }
  }

  const run = async (
    request: IncomingMessage,
    response: ServerResponse,
    upgrade: { readonly socket: Socket; readonly head: Buffer } | undefined,
  ): Promise<void> => {
    const who = addressKey(request.socket.remoteAddress)
    const kept: Kept = { bytes: 0 }
    try {
      const body = await arrived(request, who, kept)
      if (typeof body === 'string' || !places.take(who, 1)) {
        refuse(response, typeof body === 'string' ? body : 'full')
        // What still comes is not kept.
        request.resume()
        return
      }
      try {
        await passWith(body, request, response, upgrade)
      } finally {
        places.give(who, 1)
      }
    } finally {
      bytes.give(who, kept.bytes)
    }
  }

  const passWith = async (
    body: Buffer | null,
    request: IncomingMessage,
    response: ServerResponse,
    upgrade: { readonly socket: Socket; readonly head: Buffer } | undefined,
  ): Promise<void> => {
    const isRepeatable = body !== null && mayRepeat(request)
    const until = performance.now() + patienceMs
    let mayHaveActed = false
    while (!response.destroyed && !isEnded) {
      const address = leader()
      const isLast = performance.now() >= until
      if (address !== null) {
        const sent = { body, isRepeatable, isRepeat: mayHaveActed, until }
        const outcome = await attempt(address, request, response, sent, upgrade, (reason) => {
          if (isLast || body === null) return false
          return notBegun.has(reason) || (isRepeatable && notKept.has(reason))
        })
        if (outcome === 'over') return
        mayHaveActed ||= outcome === 'unknown'
        // What is not kept was read by whoever was asked.
        if (outcome === 'unknown' && !isRepeatable) break
      }
      if (isLast) break
      await pause(retryMs)
    }
    if (!response.destroyed) refuse(response, mayHaveActed ? 'unknown' : 'nobody')
  }

  /** @param goesOn whether a refusal with this reason is kept from the client, and asked again */
  const attempt = (
    address: string,
    request: IncomingMessage,
    response: ServerResponse,
    sent: {
      readonly body: Buffer | null
      readonly isRepeatable: boolean
      readonly isRepeat: boolean
      /** How long it may take to be connected, by `performance.now()`: a machine that is lost refuses nothing. */
      readonly until: number
    },
    upgrade: { readonly socket: Socket; readonly head: Buffer } | undefined,
    goesOn: (reason: string) => boolean,
  ): Promise<Outcome> =>
    new Promise((resolve) => {
      const { body, isRepeatable, isRepeat } = sent
      const target = new URL(address)
      const { request: ask } = process.getBuiltinModule(target.protocol === 'https:' ? 'node:https' : 'node:http')
      let isSent = false
      let hasAnswer = false
      // A leader that comes or goes may drop a connection before it has looked at it: what it may not be asked twice is sent
      // once it has said that it reads.
      const asksFirst = body !== null && body.length > 0 && !isRepeatable
      const asked: ClientRequest = ask({
        // Of its own: what the leader learns of a connection is true of one client.
        agent: false,
        host: target.hostname.replace(/^\[|\]$/g, ''),
        port: target.port === '' ? (target.protocol === 'https:' ? 443 : 80) : target.port,
        ...(target.protocol === 'https:' ? { servername: target.hostname } : {}),
        method: request.method,
        path: request.url,
        headers: {
          ...clientHeaders(request, body),
          // A leader that ends the connection after an answer does not hear the rest of a body, and the answer is lost.
          ...(body === null ? { connection: 'keep-alive' } : {}),
          ...(upgrade === undefined ? {} : { connection: 'Upgrade', upgrade: request.headers.upgrade }),
          host: target.host,
          ...(asksFirst ? { expect: '100-continue' } : {}),
          ...headersFor(request, isRepeat),
        },
      })
      const done = (outcome: Outcome): void => {
        clearTimeout(late)
        underWay.delete(asked)
        response.off('close', cut)
        resolve(outcome)
      }
      const cut = (): void => void asked.destroy()
      const late = setTimeout(cut, Math.max(connectMs, sent.until - performance.now())).unref()
      const own: UnderWay = { address, cut }
      underWay.set(asked, own)
      response.on('close', cut)
      asked.on('socket', (socket) =>
        socket.once(target.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
          clearTimeout(late)
          isSent = !asksFirst
          // Not before: where nobody listens it stays whole for the next try.
          if (body === null) request.pipe(asked)
        }),
      )
      asked.on('error', () => {
        if (hasAnswer) return
        done(response.destroyed ? 'over' : isSent ? 'unknown' : 'not-taken')
      })
      asked.on('response', (answer) => {
        hasAnswer = true
        // A stream without an end would be one of a machine that says nothing new.
        if (answer.headers['content-length'] !== undefined) own.restMs = restMs
        if (answer.statusCode === 503) void weigh(answer)
        else answerWith(answer)
      })
      asked.on('upgrade', (answer, socket, head) => {
        hasAnswer = true
        if (upgrade === undefined) {
          socket.destroy()
          return
        }
        joinSockets(answer, { socket, head }, upgrade)
        underWay.set(asked, { address, cut: () => void socket.destroy() })
        socket.once('close', () => done('over'))
      })

      /** Hands the answer on as it comes. */
      const answerWith = (answer: IncomingMessage, read?: Buffer): void => {
        answer.on('error', () => undefined)
        // A client that still writes, and whose connection ends, sees that and not the answer: the leader reads on, or not.
        const isLast = request.complete || answer.headers.connection === 'close'
        response.writeHead(answer.statusCode!, answer.statusMessage, ownHeaders(answer, isLast))
        const end = (): void => {
          // Not paused by the end of the other connection.
          request.unpipe(asked).resume()
          if (body === null) asked.destroy()
          done('over')
        }
        if (read !== undefined) {
          response.end(read)
          end()
          return
        }
        answer.pipe(response)
        answer.once('close', () => {
          // Cut off in the middle: the client is to notice.
          if (!answer.complete) response.destroy()
          end()
        })
      }
      const weigh = async (answer: IncomingMessage): Promise<void> => {
        const read = await readUpTo(answer, maxRefusalBytes).catch(() => null)
        if (read === null) {
          asked.destroy()
          done('unknown')
          return
        }
        const reason = reasonOf(read)
        if (goesOn(reason)) done(notBegun.has(reason) ? 'not-taken' : 'unknown')
        else answerWith(answer, read)
      }

      asked.on('continue', () => {
        isSent = true
        asked.end(body)
      })
      if (body === null || asksFirst) asked.flushHeaders()
      else asked.end(body)
    })

  return {
    pass(request, response, upgrade) {
      run(request, response, upgrade).catch(() => void response.destroy())
    },
    end() {
      isEnded = true
      clearInterval(watch)
      for (const one of underWay.values()) one.cut()
    },
  }
}

/** Whether it may be sent twice. */
function mayRepeat({ method, headers }: IncomingMessage): boolean {
  return isReadMethod(method) || headers['idempotency-key'] !== undefined
}

/** What is kept of the body of one request. */
interface Kept {
  bytes: number
}

/** Reads a body of known length. @param takes whether so many bytes may be kept */
function readKept(
  request: IncomingMessage,
  bodyMs: number,
  takes: (amount: number) => boolean,
): Promise<Buffer | PassOnRefusal> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    const end = (what: Buffer | PassOnRefusal): void => {
      request.off('data', keep)
      resolve(what)
    }
    const keep = (part: Buffer): void => {
      if (takes(part.length)) parts.push(part)
      else end('full')
    }
    request.on('data', keep)
    request.once('end', () => end(Buffer.concat(parts)))
    request.once('error', reject)
    request.once('close', () => reject(new Error('The client has gone.')))
    watchArrival(request, bodyMs, false, () => end('late'))
  })
}

async function readUpTo(from: IncomingMessage, limit: number): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of from as AsyncIterable<Buffer>) {
    parts.push(part)
    size += part.length
    if (size > limit) throw new Error('The body is longer than was said.')
  }
  return Buffer.concat(parts)
}

function clientHeaders({ headers }: IncomingMessage, body: Buffer | null): OutgoingHttpHeaders {
  const kept = Object.entries(headers).filter(([name]) => !ofConnection.has(name) && name !== 'expect')
  const { 'transfer-encoding': coding } = headers
  return {
    ...Object.fromEntries(kept),
    ...(body === null && coding !== undefined ? { 'transfer-encoding': coding } : {}),
  }
}

/** The headers of an answer, each as often as it came. @param isLast the connection ends with it */
function ownHeaders({ rawHeaders }: IncomingMessage, isLast: boolean): string[] {
  const kept: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (!ofConnection.has(rawHeaders[at]!.toLowerCase())) kept.push(rawHeaders[at]!, rawHeaders[at + 1]!)
  }
  // The next request finds whoever leads then.
  return isLast ? [...kept, 'connection', 'close'] : kept
}

function reasonOf(body: Buffer): string {
  try {
    const { error } = JSON.parse(body.toString()) as { error?: { details?: { reason?: unknown } } }
    return String(error?.details?.reason ?? '')
  } catch {
    return ''
  }
}

type Side = { readonly socket: Socket; readonly head: Buffer }

/** Carries both directions until one side ends. */
function joinSockets(answer: IncomingMessage, leader: Side, client: Side): void {
  const { rawHeaders } = answer
  const lines = [`HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}`]
  for (let at = 0; at < rawHeaders.length; at += 2) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`)
  client.socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  client.socket.write(leader.head)
  leader.socket.write(client.head)
  for (const [one, other] of [
    [client.socket, leader.socket],
    [leader.socket, client.socket],
  ] as const) {
    one.setNoDelay(true)
    one.setTimeout(0)
    one.on('error', () => one.destroy())
    one.on('close', () => other.destroy())
    one.pipe(other)
  }
}
