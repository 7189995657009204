// A link between two ends in memory, whose messages take as many turns of the event loop as a seed says, and which may be
// cut at any of them. Ordered and whole like a real one; knows no message.
import { randomBytes } from 'node:crypto'
import type { LinkClose, LinkEnd } from '#main/replication/channel/link-close.ts'
import type { PeerLink } from '#main/replication/channel/peer-link.ts'

/** Both ends of a link in memory. */
export interface VirtualLink {
  readonly ends: readonly [PeerLink, PeerLink]
  /** Ends the link without a word; what is under way is lost. */
  cut(): void
}

/** What a link in memory does with messages. */
export interface VirtualWeather {
  /** From 0 to 1. */
  readonly random: () => number
  /** Turns a message takes at most. */
  readonly turns: number
  /** Whether a message arrives twice. */
  readonly twice?: (message: Uint8Array) => boolean
}

interface End {
  readonly link: PeerLink
  put(message: Uint8Array): void
  end(close: LinkClose): void
}

/** Makes a link; the first end dialled the second. */
export function createVirtualLink(fingerprints: readonly [string, string], weather: VirtualWeather): VirtualLink {
  const secret = new Uint8Array(randomBytes(32))
  const ends: End[] = []
  ends.push(
    createEnd({ peer: fingerprints[1], direction: 'out', secret, weather, other: () => ends[1]! }),
    createEnd({ peer: fingerprints[0], direction: 'in', secret, weather, other: () => ends[0]! }),
  )
  return {
    ends: [ends[0]!.link, ends[1]!.link],
    cut() {
      for (const end of ends) end.end({ reason: 'lost', here: false })
    },
  }
}

interface EndParts {
  readonly peer: string
  readonly direction: 'in' | 'out'
  readonly secret: Uint8Array
  readonly weather: VirtualWeather
  readonly other: () => End
}

function createEnd({ peer, direction, secret, weather, other }: EndParts): End {
  const { random, turns, twice } = weather
  const listeners: ((close: LinkClose) => void)[] = []
  const arrived: Uint8Array[] = []
  let consumer: ((message: Uint8Array) => void | Promise<void>) | undefined
  let ended: LinkClose | undefined
  let isBusy = false
  let bytesIn = 0
  let bytesOut = 0
  /** Messages under way leave in their order, each some turns after the one before it. */
  let under = Promise.resolve()

  const pause = async (): Promise<void> => {
    for (let left = Math.floor(random() * turns); left > 0; left -= 1)
      await new Promise<void>((resolve) => void setImmediate(resolve))
  }

  async function handOver(): Promise<void> {
    if (isBusy || consumer === undefined) return
    isBusy = true
    for (let message = arrived.shift(); message !== undefined; message = arrived.shift()) await consumer(message)
    isBusy = false
  }

  function end(close: LinkClose): void {
    if (ended !== undefined) return
    ended = close
    arrived.length = 0
    for (const listener of listeners.splice(0)) listener(close)
  }

  function offer(message: Uint8Array): boolean {
    if (ended !== undefined || random() < 0.1) return false
    bytesOut += message.byteLength
    const copies = twice?.(message) === true ? 2 : 1
    under = under.then(async () => {
      await pause()
      for (let copy = 0; copy < copies; copy += 1) other().put(message.slice())
    })
    return true
  }

  const link: PeerLink = {
    peer,
    purpose: 'peer',
    direction,
    address: 'memory',
    secret: () => secret,
    offer,
    async send(message) {
      while (ended === undefined) {
        if (offer(message)) return true
        await new Promise<void>((resolve) => void setImmediate(resolve))
      }
      return false
    },
    queuedBytes: () => 0,
    traffic: () => ({ bytesIn, bytesOut }),
    onMessage(given) {
      consumer = given
      void handOver()
    },
    onClose(listener) {
      if (ended === undefined) listeners.push(listener)
      else listener(ended)
    },
    probe: () => Promise.resolve(ended === undefined),
    close(reason: Exclude<LinkEnd, 'lost'> = 'done') {
      void under.then(() => other().end({ reason, here: false }))
      end({ reason, here: true })
    },
    ended: () => ended,
  }
  return {
    link,
    end,
    put(message) {
      if (ended !== undefined) return
      bytesIn += message.byteLength
      arrived.push(message)
      void handOver()
    },
  }
}
