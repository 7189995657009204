// Carries words about bytes to a machine: over the link to it, else through the relay, where each is signed. They go behind
// everything of the log, and may be lost.
import { parseDocName } from '#main/replication/core/doc-names.ts'
import { WireError } from '#main/replication/wire/wire-error.ts'
import type { Sessions } from '../session/sessions.ts'
import type { PeerSession } from '../session/peer-session.ts'
import type { Vouching } from '../service/shared/vouched.ts'
import type { ByteWord } from './byte-words.ts'
import { decodeByteWord, encodeByteWord } from './byte-words.ts'

/** The ways to the other machines. */
export interface ByteCarrier {
  /** Machines that can be asked: those that are connected, then those that may be at the relay. */
  reachable(): string[]
  /** @returns whether there was a way */
  say(file: string, word: ByteWord): boolean
  /** The way a word would take now. */
  wayTo(device: string): PeerSession | null
  /** Takes a frame about a file. @returns false: it is about something else */
  hear(peer: string, doc: string, update: Uint8Array): boolean
}

/** Makes the carrier. */
export function createByteCarrier(parts: {
  readonly sessions: () => Pick<Sessions, 'of' | 'all'>
  readonly device: string
  readonly vouching: Vouching
  /** The other machines that take part. */
  readonly others: () => readonly string[]
  readonly heard: (device: string, file: string, word: ByteWord) => void
}): ByteCarrier {
  const { sessions, device, vouching } = parts
  const isOpen = (session: PeerSession): boolean => ['open', 'catching_up'].includes(session.status().state)
  const linkTo = (peer: string): PeerSession | null => {
    const session = sessions().of(peer)
    return session?.kind === 'device' && isOpen(session) ? session : null
  }
  const relay = (): PeerSession | null =>
    sessions()
      .all()
      .find((one) => one.kind === 'relay' && isOpen(one)) ?? null
  const wayTo = (peer: string): PeerSession | null => linkTo(peer) ?? relay()

  return {
    reachable() {
      const others = parts.others()
      const linked = others.filter((one) => linkTo(one) !== null)
      return relay() === null ? linked : [...linked, ...others.filter((one) => linkTo(one) === null)]
    },
    wayTo,
    say(file, word) {
      const session = wayTo(word.to)
      const doc = `b/${file}`
      const bytes = encodeByteWord(word)
      return session?.sendLast(doc, session.kind === 'relay' ? vouching.sign('LIVE', doc, bytes) : bytes) ?? false
    },
    hear(peer, doc, update) {
      const name = parseDocName(doc)
      if (name?.kind !== 'file') return false
      const session = sessions().of(peer)
      let from = peer
      let body = update
      if (session?.kind === 'relay') {
        const word = vouching.judge('LIVE', doc, update)
        // A relay repeats and forges nothing that counts; what it did is no machine's fault.
        if (typeof word === 'string') return true
        from = word.device
        body = word.body
      }
      try {
        const word = decodeByteWord(body)
        if (word.to === device) parts.heard(from, name.file, word)
        else if (session?.kind === 'device') session.blame('file_not_for_us')
      } catch (error) {
        if (!(error instanceof WireError)) throw error
        if (session?.kind === 'device') session.blame(`file_${error.code}`)
      }
      return true
    },
  }
}
