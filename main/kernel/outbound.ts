// The one sender of HTTP requests to addresses that people chose. It looks names up itself, connects to the very address
// it judged, follows no redirect, and takes nothing along but what it was given. Knows no capability.
import { lookup as systemLookup } from 'node:dns/promises'
import type { Agent, IncomingMessage, RequestOptions } from 'node:http'
import { isIP } from 'node:net'
import type { LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import { isPublicAddress, isSameAddress } from './target-address.ts'

/** Why a request did not get an answer; its text may be shown and logged, it quotes neither address nor content. */
export type OutboundFailure = 'target_forbidden' | 'unreachable' | 'timeout' | 'invalid_target'

/** A request that got no answer. */
export class OutboundError extends Error {
  readonly reason: OutboundFailure

  constructor(reason: OutboundFailure, cause?: unknown) {
    super(`The request failed: ${reason}.`, cause === undefined ? undefined : { cause })
    this.name = 'OutboundError'
    this.reason = reason
  }
}

/** One request. */
export interface OutboundRequest {
  readonly url: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Names of the connection, of its length and of its target are the sender's own and left out. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** For everything from the lookup of the name to the last byte. Default: 10 s. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /**
   * True: it may go over a connection that was kept from a request before, and is sent again over a new one where that was
   * lost before an answer came. Only for what the other side tells apart by itself.
   */
  readonly mayArriveTwice?: boolean
  /** Hears the bytes of a 2xx answer as they come; all of them are in the answer as well. */
  readonly onBytes?: (bytes: Buffer) => void
}

/** An answer; a redirect is one like any other. */
export interface OutboundAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** At most {@link OutboundOptions.maxAnswerBytes}; `isCut` says that there was more. */
  readonly body: Buffer
  readonly isCut: boolean
}

/** What the sender is made from. */
export interface OutboundOptions {
  /** Hosts of private networks that an administrator allows all the same: names or addresses as an URL writes them. */
  readonly allowedHosts: () => readonly string[]
  /** Default: 64 KB. */
  readonly maxAnswerBytes?: number
  /** See `Database.onDisk`: what a request may rest on is kept before it leaves. Default: nothing is waited for. */
  readonly onDisk?: () => Promise<void> | null
  /** Looks a name up; default: the system's resolver. */
  readonly resolve?: (host: string) => Promise<readonly string[]>
  /** Judges an address; default: it is public and none of this machine. Only twins of checks pass another one. */
  readonly isAllowed?: (address: string) => boolean
}

/** Sends requests. */
export interface Outbound {
  /** @throws OutboundError when there is no answer; whatever the other side answers is no failure */
  send(request: OutboundRequest): Promise<OutboundAnswer>
  /** Why an address cannot be a target whatever its name leads to; undefined when it can. For the moment of saving. */
  problemOf(url: string): OutboundFailure | undefined
}

const defaultTimeoutMs = 10_000
const defaultAnswerBytes = 65_536
const maxHeaderBytes = 16_384

/** Set by the sender itself. */
const ownHeaders: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Ports above 1023 where something else than HTTP listens. @source WHATWG Fetch, "bad port"; databases added */
const refusedPorts: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3306, 3659, 4045, 4190, 5060, 5061, 5432, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669,
  6679, 6697, 9200, 10_080, 11_211, 27_017,
])

/**
 * Makes the sender.
 * @source D-195, safety N6
 */
export function createOutbound(options: OutboundOptions): Outbound {
  const { allowedHosts, maxAnswerBytes = defaultAnswerBytes, onDisk = () => null } = options
  const resolve = options.resolve ?? resolveBySystem
  const isAllowed = options.isAllowed ?? ((address) => isPublicAddress(address) && !isOwnAddress(address))

  const isListed = (host: string): boolean => allowedHosts().some((allowed) => plainHost(allowed) === host)

  /** The target as far as its text tells. */
  const judge = (text: string): URL | OutboundFailure => {
    if (text.length > 2_000 || !URL.canParse(text)) return 'invalid_target'
    const url = new URL(text)
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'invalid_target'
    // A password in an address ends up in logs and lists.
    if (url.username !== '' || url.password !== '') return 'invalid_target'
    const host = plainHost(url.hostname)
    if (host === '') return 'invalid_target'
    if (isListed(host)) return url
    if (!isOpenPort(url)) return 'target_forbidden'
    if (isIP(host) !== 0) return isAllowed(host) ? url : 'target_forbidden'
    // Names that never leave this machine or its network need no lookup.
    return /(^|[.])(localhost|local|internal)$/.test(host) && !isAllowed('127.0.0.1') ? 'target_forbidden' : url
  }

  /** The address to connect to. Every address of the name must do: which one is taken is not for the name to decide. */
  const addressOf = async (url: URL): Promise<string> => {
    const host = plainHost(url.hostname)
    const addresses = isIP(host) === 0 ? await resolve(host) : [host]
    const [first] = addresses
    if (first === undefined) throw new OutboundError('unreachable')
    if (!isListed(host) && !addresses.every((address) => isAllowed(address)))
      throw new OutboundError('target_forbidden')
    return first
  }

  return {
    problemOf(url) {
      const judged = judge(url)
      return judged instanceof URL ? undefined : judged
    },
    async send(outgoing) {
      const url = judge(outgoing.url)
      if (!(url instanceof URL)) throw new OutboundError(url)
      const end = new AbortController()
      let isLate = false
      const timer = setTimeout(() => {
        isLate = true
        end.abort()
      }, outgoing.timeoutMs ?? defaultTimeoutMs).unref()
      const giveUp = (): void => end.abort()
      outgoing.signal?.addEventListener('abort', giveUp, { once: true })
      if (outgoing.signal?.aborted === true) end.abort()
      try {
        const kept = onDisk()
        if (kept !== null) await orAborted(kept, end.signal)
        const address = await orAborted(addressOf(url), end.signal)
        const limits = { signal: end.signal, maxAnswerBytes }
        const agent = outgoing.mayArriveTwice === true ? agentOf(url) : undefined
        if (agent !== undefined) {
          const answer = await exchange(url, address, outgoing, { ...limits, kept: agent })
          if (answer !== 'lost') return answer
        }
        return (await exchange(url, address, outgoing, limits)) as OutboundAnswer
      } catch (error) {
        if (error instanceof OutboundError) throw error
        throw new OutboundError(isLate ? 'timeout' : 'unreachable', error)
      } finally {
        clearTimeout(timer)
        outgoing.signal?.removeEventListener('abort', giveUp)
      }
    },
  }
}

interface ExchangeOptions {
  readonly signal: AbortSignal
  readonly maxAnswerBytes: number
  /** Keeps connections; absent: this one is the request's own. */
  readonly kept?: Agent
}

/** Sends to one address and no other. `lost`: a connection that was kept ended before an answer came. */
function exchange(
  url: URL,
  address: string,
  { method, headers = {}, body, onBytes }: OutboundRequest,
  { signal, maxAnswerBytes, kept }: ExchangeOptions,
): Promise<OutboundAnswer | 'lost'> {
  const bytes = body === undefined ? undefined : Buffer.from(body)
  const options: RequestOptions & { rejectUnauthorized: true; pinned: string } = {
    method,
    // Neither the agent all share nor a proxy named in the environment.
    agent: kept ?? false,
    pinned: address,
    lookup: pinTo(address),
    rejectUnauthorized: true,
    maxHeaderSize: maxHeaderBytes,
    setHost: true,
    headers: {
      ...Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.has(name.toLowerCase()))),
      'accept-encoding': 'identity',
      ...(kept === undefined ? { connection: 'close' } : {}),
      ...(bytes === undefined ? {} : { 'content-length': String(bytes.length) }),
    },
  }
  return new Promise((resolve, reject) => {
    // Importing node:http as a module also loads the fetch implementation, a tenth of a second of every start.
    const request = moduleOf(url).request(url, options)
    const abort = (): void => void request.destroy(new Error('The request was given up.'))
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    let hasAnswer = false
    request.on('socket', (socket) => {
      const check = (): void => {
        // The address of the socket itself is the last word.
        if (isSameAddress(socket.remoteAddress ?? '', address)) return
        request.destroy(new OutboundError('target_forbidden'))
      }
      if (socket.connecting) socket.once('connect', check)
      else check()
    })
    request.on('response', (response) => {
      hasAnswer = true
      readAnswer(response, maxAnswerBytes, onBytes).then(resolve, reject)
    })
    // Another protocol is none of ours.
    request.on('upgrade', (_response, socket) => {
      socket.destroy()
      reject(new OutboundError('unreachable'))
    })
    request.on('error', (error) => {
      if (request.reusedSocket && !hasAnswer && !signal.aborted && !(error instanceof OutboundError)) resolve('lost')
      else reject(error)
    })
    request.end(bytes)
  })
}

async function readAnswer(
  response: IncomingMessage,
  maxAnswerBytes: number,
  onBytes: OutboundRequest['onBytes'],
): Promise<OutboundAnswer> {
  const { statusCode: status = 0, headers } = response
  const isGood = status >= 200 && status < 300
  const chunks: Buffer[] = []
  let size = 0
  let isCut = false
  for await (const chunk of response as AsyncIterable<Buffer>) {
    const room = maxAnswerBytes - size
    chunks.push(chunk.subarray(0, room))
    if (isGood) onBytes?.(chunk.subarray(0, room))
    size += Math.min(chunk.length, room)
    isCut = chunk.length > room
    if (isCut) break
  }
  return { status, headers, body: Buffer.concat(chunks), isCut }
}

function moduleOf(url: URL): typeof import('node:http') | typeof import('node:https') {
  return process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
}

/** Connections of one name are kept apart by the address they lead to: the next request may only be meant for another. */
function agentOf(url: URL): Agent {
  const known = agents.get(url.protocol)
  if (known !== undefined) return known
  const { Agent } = moduleOf(url)
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 8, timeout: idleMs })
  const nameOf = agent.getName.bind(agent)
  agent.getName = (options) => `${nameOf(options)}:${(options as { pinned?: string }).pinned ?? ''}`
  agents.set(url.protocol, agent)
  return agent
}
const agents = new Map<string, Agent>()
/** Most servers end a connection after five seconds without a request. */
const idleMs = 4_000

/** Answers every question for the name with one address. */
function pinTo(address: string): LookupFunction {
  const family = isIP(address)
  return (_host, { all }, callback) => {
    if (all === true) callback(null, [{ address, family }])
    else callback(null, address, family)
  }
}

async function resolveBySystem(host: string): Promise<string[]> {
  return (await systemLookup(host, { all: true })).map(({ address }) => address)
}

/** A name in lower case without the root's dot, an IPv6 address without brackets. */
function plainHost(host: string): string {
  const bare = host.toLowerCase().replace(/[.]$/, '')
  return bare.startsWith('[') && bare.endsWith(']') ? bare.slice(1, -1) : bare
}

function isOpenPort(url: URL): boolean {
  if (url.port === '') return true
  const port = Number(url.port)
  return port === 80 || port === 443 || (port >= 1_024 && !refusedPorts.has(port))
}

/** A machine may have public addresses of its own; what listens there is as much inside as what listens on loopback. */
function isOwnAddress(address: string): boolean {
  return Object.values(networkInterfaces()).some((entries) =>
    (entries ?? []).some((entry) => isSameAddress(entry.address, address)),
  )
}

async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const abort = (): void => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    if (signal.aborted) abort()
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
    // Whoever loses the race has nobody to tell.
    work.catch(() => undefined)
    aborted.promise.catch(() => undefined)
  }
}
