// The log and the documents of this machine as peers see them, over the tables. Knows no connection.
import type { Reads, Tx, Write } from '#main/kernel/database.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { Actor } from '#shared/events.ts'
import type { Applier } from '../apply/applier.ts'
import { mergeRemote } from '../apply/merge-step.ts'
import type { MergeOutcome, MergeParts } from '../apply/merge-step.ts'
import type { DocChange } from '../apply/change-judge.ts'
import { Forbidden, Waits } from '../apply/refusals.ts'
import { openConflict } from '../conflicts/conflict-store.ts'
import { listBucket, nameHash } from '#main/replication/core/digest.ts'
import { parseDocName } from '#main/replication/core/doc-names.ts'
import { openDocument } from '#main/replication/core/sync-document.ts'
import type { Head } from '#main/replication/core/types.ts'
import { readBucket, readDocument, readHashes } from '../store/doc-store.ts'
import { readEnvelopes, readHeads, readIncarnation } from '../store/log-store.ts'
import { chainStart, signHead } from '#main/replication/wire/chain.ts'
import type { Signer } from '#main/replication/wire/device-key.ts'
import { envelopeSize } from '#main/replication/wire/envelope-codec.ts'
import { repairPartBytes, runLimitCount } from '#main/replication/wire/limits.ts'
import type { LogState } from './log-state.ts'
import type { Replica, ReplicaIdentity } from './replica.ts'

/** What a replica works with. */
export interface ReplicaParts extends Pick<Replica, 'receive' | 'beforeSending' | 'unprojected' | 'mayMend'> {
  readonly identity: ReplicaIdentity
  readonly signer: Signer
  readonly read: Reads
  readonly write: Write
  readonly log: Pick<Logger, 'warn'>
  readonly state: LogState
  readonly applier: Applier
  readonly merge: MergeParts
  /** Resolves when documents that are projected again are through. */
  projected(): Promise<void>
  /** Why a device may not change a document; undefined when it may. */
  refuse(doc: string, device: string): string | undefined
  /** @throws Forbidden, Waits for a change the person of a device may not make */
  judge(tx: Tx, device: string, change: DocChange): void
  now(): string
}

/** Repairs may bring a whole document at once. */
const repairLimits = { bytes: 16 * 1024 * 1024, structs: 1_000_000 }
const nobody: Actor = { type: 'system', id: 'system' }

/** Makes the replica. */
export function createReplica(parts: ReplicaParts): Replica {
  const { identity, signer, read, write, state, applier } = parts
  const { workspace, device } = identity

  /** A signed end of what is stored; only for logs of this device. */
  const ownHead = (inc: number): Head | undefined => {
    const row = readIncarnation(read, inc)
    if (row === undefined || row.device !== device || row.storedSeq === 0) return undefined
    return signHead(signer, workspace, inc, { seq: row.storedSeq, hash: row.chain })
  }

  const readRun: Replica['read'] = ({ inc, from, to }, maxBytes) => {
    // What is not on disk yet may not leave.
    const last = Math.min(to, state.vector().get(inc) ?? 0)
    if (last < from) return { envelopes: [], heads: [] }
    const found = readEnvelopes(read, inc, from, Math.min(last - from + 1, 2 * runLimitCount))
    const heads = readHeads(read, inc, from, 2 * runLimitCount + 2)
    const own = ownHead(inc)
    // The head of a log that grows meanwhile lies beyond what may leave.
    if (own !== undefined && own.seq === last && heads.at(-1)?.seq !== own.seq) heads.push(own)
    const ends = new Set(heads.map(({ seq }) => seq))
    let bytes = 0
    let end = -1
    for (const [index, envelope] of found.entries()) {
      bytes += envelopeSize(envelope)
      if (bytes > maxBytes && end >= 0) break
      if (ends.has(envelope.seq)) end = index
    }
    const envelopes = found.slice(0, end + 1)
    const lastSeq = envelopes.at(-1)?.seq ?? 0
    return { envelopes, heads: heads.filter(({ seq }) => seq <= lastSeq) }
  }

  const documentOf = (doc: string) => readDocument(read, doc) ?? openDocument(doc, null)

  return {
    identity: () => identity,
    vector: state.vector,
    backlog: () => ({ waiting: state.waiting(), ...state.problems() }),
    unprojected: parts.unprojected,
    read: readRun,
    chain(inc) {
      const row = readIncarnation(read, inc)
      return row === undefined ? chainStart() : { seq: row.storedSeq, hash: row.chain }
    },
    beforeSending: parts.beforeSending,
    receive: parts.receive,
    async settled() {
      await applier.settled()
      await parts.projected()
    },
    digest() {
      const { parked, quarantined } = state.problems()
      if (!state.isSettled() || parked > 0 || quarantined > 0) return null
      return { vector: state.vector(), buckets: state.digest.bytes() }
    },
    bucket: (bucket) => listBucket(readBucket(read, bucket).map(({ name, lhash }) => [name, lhash] as const)),
    namesIn: (bucket) => new Map(readBucket(read, bucket).map(({ name }) => [hex(nameHash(name)), name])),
    stateVector: (doc) => documentOf(doc).stateVector(),
    difference: (doc, stateVector) => documentOf(doc).difference(stateVector, repairPartBytes),
    async repair(doc, update, { peer, isLast }) {
      // A repair brings no envelope and no signature: the peer answers for all of it.
      if (parts.refuse(doc, peer) !== undefined) return false
      const at = parts.now()
      const repair = {
        doc,
        update,
        actor: nobody,
        at,
        limits: repairLimits,
        repair: isLast ? 'whole' : 'part',
      } as const
      const outcome = await write('sync.repair', (tx): MergeOutcome => {
        const judge = (change: DocChange): void => parts.judge(tx, peer, change)
        try {
          return tx.savepoint(() => mergeRemote(tx, parts.merge, { ...repair, judge }))
        } catch (error) {
          if (error instanceof Forbidden || error instanceof Waits) return { merged: true, changed: false }
          throw error
        }
      })
      state.tellApplied()
      const isChanged = outcome.merged && outcome.changed
      if (isChanged && isLast) applier.retryFailed('damaged_state')
      return isChanged
    },
    refusalsOf: (writer) => readHashes(read, `x/${device}/${writer}/`),
    noteFork(doc, peer) {
      const name = parseDocName(doc)
      if (name === null) return
      const at = parts.now()
      const [object, recordId] = 'record' in name ? [name.object, name.record] : ['', '']
      const side = { value: null, actor: '', device: '', at }
      write('sync.fork', (tx) => {
        const draft = { kind: 'fork' as const, doc, object, recordId, field: '' }
        return openConflict(tx, { ...draft, winner: side, losers: [{ ...side, device: peer }] }, at).id
      })
        // As on a full disk: the next comparison finds it again.
        .catch((error: unknown) => parts.log.warn({ err: error, peer }, 'A difference to a peer could not be noted.'))
    },
    onGrown: state.onGrown,
    onQuarantined: state.onQuarantined,
    onDamaged: state.onDamaged,
    retryFailed: () => applier.retryFailed('damaged_state'),
    mayMend: parts.mayMend,
    onApplied: state.onApplied,
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
