// The way of rooms to machines that only a relay leads to: what is typed in a moment is gathered and signed once. Knows
// sessions and words, no room.
import * as decoding from 'lib0/decoding'
import * as encoding from 'lib0/encoding'
import { awarenessLimit, frameLimit } from '#main/replication/wire/limits.ts'
import type { PeerSession } from '../../session/peer-session.ts'
import type { AwarenessEntry } from '../text/frames.ts'
import type { AwareWord } from './aware-codec.ts'
import { encodeAware } from './aware-codec.ts'
import type { Vouching } from './vouched.ts'
import { vouchedOverhead } from './vouched.ts'

/** How long what is typed is gathered: a relay passes on 200 frames of one machine in a second. */
const gatherMs = 50

/** Bytes of letters in one word: what is left of a frame beside its head. */
const maxLetters = frameLimit - 4096

/** Letters in one word. */
const maxUpdates = 1_024

/** The way over relays. */
export interface RelayLine {
  /** Sends letters to whoever has the text open, with others of this moment. */
  typed(doc: string, update: Uint8Array): void
  /** Sends where somebody's cursor is by the end of this moment. */
  moved(doc: string, epoch: number, entry: AwarenessEntry): void
  /** Sends a word about a room at once. */
  say(doc: string, word: AwareWord): void
}

interface Gathered {
  updates: Uint8Array[]
  bytes: number
  epoch: number
  readonly cursors: Map<number, AwarenessEntry>
}

/** Makes the way. @param relays those that are open */
export function createRelayLine(vouching: Vouching, relays: () => readonly PeerSession[]): RelayLine {
  const gathered = new Map<string, Gathered>()
  let timer: ReturnType<typeof setTimeout> | undefined

  const sayWord = (doc: string, word: AwareWord): void => {
    const bytes = vouching.sign('AWARE', doc, encodeAware(word, awarenessLimit - vouchedOverhead))
    for (const relay of relays()) relay.sendAware(doc, bytes)
  }

  const sendLetters = (doc: string, moment: Gathered): void => {
    if (moment.updates.length === 0) return
    const encoder = encoding.createEncoder()
    for (const update of moment.updates) encoding.writeVarUint8Array(encoder, update)
    const bytes = vouching.sign('LIVE', doc, encoding.toUint8Array(encoder))
    for (const relay of relays()) relay.sendLive(doc, bytes)
    Object.assign(moment, { updates: [], bytes: 0 })
  }

  const flush = (): void => {
    timer = undefined
    for (const [doc, moment] of gathered) {
      sendLetters(doc, moment)
      const { epoch, cursors } = moment
      if (cursors.size > 0) sayWord(doc, { isOpen: true, epoch, cursors: [...cursors.values()] })
    }
    gathered.clear()
  }

  const momentOf = (doc: string): Gathered => {
    timer ??= setTimeout(flush, gatherMs).unref()
    const moment = gathered.get(doc) ?? { updates: [], bytes: 0, epoch: 0, cursors: new Map() }
    gathered.set(doc, moment)
    return moment
  }

  return {
    typed(doc, update) {
      // What does not fit comes with the log, as between machines that are connected.
      if (update.byteLength > maxLetters) return
      const moment = momentOf(doc)
      if (moment.bytes + update.byteLength > maxLetters || moment.updates.length >= maxUpdates) sendLetters(doc, moment)
      moment.updates.push(update)
      moment.bytes += update.byteLength + 4
    },
    moved(doc, epoch, entry) {
      const moment = momentOf(doc)
      moment.epoch = epoch
      moment.cursors.set(entry.clientId, entry)
    },
    say(doc, word) {
      // Where a cursor went in a room that nobody is in any more would say that somebody is.
      if (!word.isOpen) gathered.get(doc)?.cursors.clear()
      sayWord(doc, word)
    },
  }
}

/** The updates that were gathered; null for bytes that are none, or too many. */
export function readLetters(bytes: Uint8Array): Uint8Array[] | null {
  const decoder = decoding.createDecoder(bytes)
  const updates: Uint8Array[] = []
  try {
    while (decoding.hasContent(decoder)) updates.push(decoding.readVarUint8Array(decoder))
  } catch {
    return null
  }
  return updates.length > maxUpdates ? null : updates
}
