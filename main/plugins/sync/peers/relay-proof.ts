// That machines which meet through a relay alone have the same documents (D-431): each tells what its log and its documents
// come to, signed, and whoever finds its own in that knows that the other one has them. Knows no document.
import { createHash } from 'node:crypto'
import { systemTimers } from '#main/replication/channel/timers.ts'
import { encodeVector, sameVector } from '#main/replication/wire/vector-codec.ts'
import type { JoinedEngine } from '../engine/open-engine.ts'
import { createPeerLimits } from '../service/shared/peer-limits.ts'
import type { Sessions } from '../session/sessions.ts'
import { relayId } from './peer-store.ts'

/** The name in place of a document's. */
const sameness = 'w/same'

/** How often it is told at most, and how often the same is told again: others may not have been there, or not so far. */
const tellMs = 2_000
const againMs = 60_000

/** Makes what tells and hears; it has told nothing yet. */
export function createRelayProof({
  engine,
  sessions,
  others,
}: {
  readonly engine: Pick<JoinedEngine, 'replica' | 'vouch'>
  readonly sessions: Pick<Sessions, 'of' | 'noteProved'>
  /** The other machines that take part. */
  readonly others: () => readonly string[]
}) {
  const { replica } = engine
  const { now } = systemTimers
  const vouching = engine.vouch()
  const limits = createPeerLimits(now)
  let told = ''
  let toldAt = -Infinity

  /** What all that is here comes to; null while some of it is not in its place. */
  const known = (): Buffer | null => {
    const digest = replica.digest()
    if (digest === null || !sameVector(digest.vector, replica.vector())) return null
    return createHash('sha256').update(encodeVector(digest.vector)).update(digest.buckets).digest()
  }

  return {
    /** To be called about once a second. */
    beat(): void {
      const relay = sessions.of(relayId)
      if (relay?.status().proof === undefined || now() - toldAt < tellMs) return
      if (others().every((id) => sessions.of(id) !== undefined)) return
      const body = known()
      if (body === null || (body.toString('hex') === told && now() - toldAt < againMs)) return
      if (!relay.sendAware(sameness, vouching.sign('AWARE', sameness, body))) return
      told = body.toString('hex')
      toldAt = now()
    },
    /** Takes what a relay passes on. @returns false: it is about something else */
    hear(doc: string, bytes: Uint8Array): boolean {
      if (doc !== sameness) return false
      if (!limits.allows('', bytes.byteLength)) return true
      const word = vouching.judge('AWARE', doc, bytes)
      if (word === 'forged') limits.bad('')
      else if (word !== 'stale' && known()?.equals(word.body) === true) sessions.noteProved(word.device)
      return true
    },
  }
}
