// Keeps one device connected: dials its addresses, waits longer after each failure, and tries at once when the network is
// back. Knows no roster and no message.
import { randomInt } from 'node:crypto'
import { DialError, dialPeer } from './peer-dial.ts'
import type { DialReason, PeerAddress } from './peer-dial.ts'
import type { LinkOptions, PeerLink } from './peer-link.ts'
import type { ChannelIdentity } from './self-signed.ts'
import { systemTimers } from './timers.ts'
import type { Timers } from './timers.ts'

/** What a dialler does now. */
export interface DialStatus {
  readonly state: 'connecting' | 'connected' | 'waiting' | 'stopped'
  /** Tries that failed since the last link that lasted. */
  readonly failures: number
  readonly lastError: DialReason | undefined
  /** Milliseconds until the next try; only while waiting. */
  readonly retryInMs: number | undefined
}

/** What a dialler works with. */
export interface DiallerOptions {
  readonly identity: ChannelIdentity
  /** Fingerprint of the device. */
  readonly peer: string
  /** Where it may be, best first; asked again before each try. */
  addresses(): readonly PeerAddress[]
  /** Asked before each try; false while the device is connected another way. */
  isNeeded?(): boolean
  onLink(link: PeerLink): void
  changed?(status: DialStatus): void
  readonly timers?: Timers
  /** A number from 0 to 1, for the jitter. */
  readonly random?: () => number
  /** For one address; default 5 s. */
  readonly timeoutMs?: number
  readonly link?: LinkOptions
}

/** Keeps a device connected until stopped. */
export interface PeerDialler {
  status(): DialStatus
  /**
   * To be called when the network or the machine came back: tries at once, and asks an open link for a sign of life,
   * since it may be half open.
   */
  networkBack(): void
  /** Ends the link and tries no more. */
  stop(): void
}

const firstWaitMs = 500
const longestWaitMs = 30_000
/** A link that lived this long was a good one: the next failure is the first again. */
const lastedMs = 10_000
const probeMs = 2_000

/** How long to wait after `failures` failures in a row: doubling from 0.5 s to 30 s, of which half is left to chance. */
export function waitAfter(failures: number, random: () => number): number {
  const longest = Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(failures, 10))
  return Math.max(firstWaitMs, Math.round(longest / 2 + (longest / 2) * random()))
}

/** Begins to keep a device connected. */
export function createPeerDialler(options: DiallerOptions): PeerDialler {
  const { timers = systemTimers, random = () => randomInt(2 ** 32) / 2 ** 32 } = options
  let state: DialStatus['state'] = 'connecting'
  let failures = 0
  let lastError: DialReason | undefined
  let retryAt: number | undefined
  let cancelWait = (): void => undefined
  let attempt: AbortController | undefined
  let link: PeerLink | undefined

  const status = (): DialStatus => ({
    state,
    failures,
    lastError,
    retryInMs: retryAt === undefined ? undefined : Math.max(0, retryAt - timers.now()),
  })

  function become(next: DialStatus['state'], waitMs?: number): void {
    state = next
    retryAt = waitMs === undefined ? undefined : timers.now() + waitMs
    options.changed?.(status())
  }

  function wait(): void {
    const ms = waitAfter(failures, random)
    cancelWait = timers.after(ms, () => void dial())
    // Last: whoever hears of it may stop.
    become('waiting', ms)
  }

  async function dial(): Promise<void> {
    cancelWait()
    const own = new AbortController()
    attempt = own
    if (options.isNeeded?.() === false) {
      wait()
      return
    }
    become('connecting')
    for (const address of options.addresses()) {
      const opened = await dialOne(address, own.signal)
      if (own.signal.aborted) {
        opened?.close('stopping')
        return
      }
      if (opened !== undefined) {
        hold(opened)
        return
      }
    }
    failures += 1
    wait()
  }

  async function dialOne(address: PeerAddress, signal: AbortSignal): Promise<PeerLink | undefined> {
    const { identity, peer, timeoutMs = 5_000, link: linkOptions = {} } = options
    try {
      return await dialPeer(address, { identity, peer, purpose: 'peer', timeoutMs, signal, link: linkOptions })
    } catch (error) {
      if (!(error instanceof DialError)) throw error
      if (!signal.aborted) lastError = error.reason
      return undefined
    }
  }

  function hold(opened: PeerLink): void {
    link = opened
    lastError = undefined
    const since = timers.now()
    become('connected')
    opened.onClose(({ reason }) => {
      link = undefined
      if (state === 'stopped') return
      const isGood = timers.now() - since >= lastedMs || reason === 'silent' || reason === 'lost'
      // A side that hangs up at once would be dialled without end if each link counted as a success.
      failures = isGood ? 0 : failures + 1
      wait()
    })
    options.onLink(opened)
  }

  function dialNow(): void {
    attempt?.abort()
    failures = 0
    void dial()
  }

  async function probe(open: PeerLink): Promise<void> {
    if (await open.probe(probeMs)) return
    // The end of the link has begun a wait by then; the network is back, so there is nothing to wait for.
    open.onClose(() => {
      if (state === 'waiting') dialNow()
    })
  }

  void dial()
  return {
    status,
    networkBack() {
      if (state === 'waiting' || state === 'connecting') dialNow()
      else if (state === 'connected' && link !== undefined) void probe(link)
    },
    stop() {
      if (state === 'stopped') return
      attempt?.abort()
      cancelWait()
      become('stopped')
      link?.close('stopping')
    },
  }
}
