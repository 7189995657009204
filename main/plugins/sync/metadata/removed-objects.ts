// Conflicts of objects that were removed while somebody who did not know of it wrote to their records. The removal says how
// much of every log whoever removed the object had seen; what the logs have beyond that was written without knowing. So all
// machines with the same logs list the same, in whatever order both came.
import type { Clock } from '#main/kernel/clock.ts'
import type { Reads, Tx } from '#main/kernel/database.ts'
import { closeOthers, conflictId, openConflict } from '../conflicts/conflict-store.ts'
import type { ConflictSide } from '../conflicts/conflict-store.ts'
import { DocError } from '#main/replication/core/doc-error.ts'
import { formatDocName, parseDocName } from '#main/replication/core/doc-names.ts'
import type { Register } from '#main/replication/core/register.ts'
import type { Json, SealedEnvelope } from '#main/replication/core/types.ts'
import type { DocWriter } from '../engine/docs.ts'
import { readDocument } from '../store/doc-store.ts'
import { readEnvelopes, readIncarnation, readIncarnations } from '../store/log-store.ts'
import { readProblem } from '../store/problem-store.ts'
import { decodeBody, isOpaque } from '#main/replication/wire/envelope-codec.ts'
import { WireError } from '#main/replication/wire/wire-error.ts'
import { unpackGenesis } from '../write/genesis-body.ts'
import { docItem } from './item-entries.ts'

/** How much of the log of each incarnation is applied here, by its number in decimal digits. */
export type SeenLog = Readonly<Record<string, number>>

/** What somebody has seen who writes now. */
export function seenLog(reads: Pick<Reads, 'all' | 'get'>): SeenLog {
  return Object.fromEntries(readIncarnations(reads).map(({ inc, appliedSeq }) => [String(inc), appliedSeq]))
}

/** What a side of such a conflict wrote, as the conflict shows it. */
export interface WrittenRecords {
  /** The object, by the last names there were. */
  readonly object: { readonly name: string; readonly label: string }
  readonly count: number
  /** The first of them, with a text of theirs that people may know them by. */
  readonly records: readonly { readonly id: string; readonly title: string | null }[]
}

/** What judging works with. */
export interface RemovedObjectParts {
  readonly docs: Pick<DocWriter, 'read'>
  readonly clock: Clock
}

/** Lists, or ends, the conflict of an object by its uid. */
export type JudgeRemovedObject = (tx: Tx, uid: string) => void

/** Envelopes looked at in one go. */
const sliceSize = 500
/** Records that a conflict names. */
const namedRecords = 20
const titleTypes: ReadonlySet<unknown> = new Set(['text', 'email', 'url', 'phone', 'autonumber'])

interface Written {
  readonly device: string
  actor: string
  ms: number
  readonly records: Set<string>
}

/** What was found of one removal, and how far the logs were looked through: each envelope is decoded once. */
interface Scan {
  /** The stamp of the removal. */
  readonly stamp: string
  readonly upTo: ReadonlyMap<number, number>
  readonly found: Map<string, Written>
}

/** Makes the judge; each object is judged once at the end of a job. */
export function createRemovedObjectJudge({ docs, clock }: RemovedObjectParts): JudgeRemovedObject {
  const scans = new Map<string, Scan>()
  const scan = (tx: Tx, uid: string, removal: Removal): Written[] => {
    const known = scans.get(uid)
    const { stamp } = removal
    const next = scanned(
      tx,
      uid,
      removal,
      known?.stamp === stamp ? known : { stamp, upTo: new Map(), found: new Map() },
    )
    // What was found stays true when the job fails; where it was found may be written once more.
    tx.afterCommit(() => scans.set(uid, next))
    return [...next.found.values()].toSorted((a, b) => (a.device < b.device ? -1 : 1))
  }
  const judge = (tx: Tx, uid: string): void => {
    const register = docs.read(tx, { kind: 'metadata', type: 'object', uid })?.register
    if (register === undefined) return
    const doc = formatDocName({ kind: 'metadata', type: 'object', uid })
    const removal = removalOf(tx, register)
    const at = clock.iso()
    const ids = new Set<string>()
    if (removal === null) scans.delete(uid)
    else {
      const losers = scan(tx, uid, removal).map((written) => sideOf(tx, uid, register, written))
      const draft = {
        kind: 'delete_edit' as const,
        doc,
        object: '',
        recordId: '',
        field: '',
        winner: removal.side,
        losers,
      }
      if (losers.length > 0) {
        openConflict(tx, draft, at)
        ids.add(conflictId(draft))
      }
    }
    closeOthers(tx, { doc }, ['delete_edit'], ids, at)
  }
  const judgeAll = (items: readonly { readonly tx: Tx; readonly uid: string }[]): void => {
    for (const uid of new Set(items.map((item) => item.uid))) judge(items[0]!.tx, uid)
  }
  return (tx, uid) => tx.gather(judgeAll, { tx, uid })
}

interface Removal {
  readonly stamp: string
  readonly side: ConflictSide
  readonly seen: SeenLog
}

/** Null for an object that is there, and for one that was removed by a version that did not say what it had seen. */
function removalOf(tx: Tx, register: Register): Removal | null {
  const winner = register.get('_del')?.winner
  const value = winner?.[1]
  if (winner === undefined || typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const { at, by, seen } = value as Record<string, unknown>
  if (typeof at !== 'string' || typeof by !== 'string' || typeof seen !== 'object' || seen === null) return null
  const device = readIncarnation(tx, winner[4])?.device ?? ''
  const stamp = winner.slice(2).join(' ')
  return { stamp, side: { value: null, actor: by, device, at }, seen: seen as SeenLog }
}

/** Who wrote to the records of an object without knowing of its removal, by machine. */
function scanned(tx: Tx, uid: string, { seen, side }: Removal, { stamp, upTo: before, found }: Scan): Scan {
  const upTo = new Map(before)
  for (const { inc, device, storedSeq } of readIncarnations(tx)) {
    if (device === side.device) continue
    upTo.set(inc, storedSeq)
    // The removal may be here before all that whoever removed the object had seen.
    const first = Math.max(before.get(inc) ?? 0, seen[String(inc)] ?? 0) + 1
    for (let from = first; from <= storedSeq; from += sliceSize) {
      for (const envelope of readEnvelopes(tx, inc, from, sliceSize)) {
        if (readProblem(tx, inc, envelope.seq)?.kind === 'quarantine') continue
        for (const { record, author, ms } of recordsIn(envelope, uid)) {
          const written = found.get(device) ?? { device, actor: author, ms: 0, records: new Set() }
          found.set(device, written)
          written.records.add(record)
          if (ms < written.ms) continue
          written.ms = ms
          written.actor = author
        }
      }
    }
  }
  return { stamp, upTo, found }
}

interface RecordWrite {
  readonly record: string
  readonly author: string
  readonly ms: number
}

/** What people wrote to records of an object with an envelope; nothing of one that cannot be read. */
function recordsIn({ body }: SealedEnvelope, uid: string): RecordWrite[] {
  try {
    const decoded = decodeBody(body)
    if (isOpaque(decoded)) return []
    const { doc, author, kind, update, hlc } = decoded
    const docs = kind === 'genesis' ? unpackGenesis(update) : [{ name: doc, author }]
    return docs.flatMap((one) => {
      const name = one.author === 'system' ? null : parseDocName(one.name)
      const isMeant = name !== null && 'object' in name && 'record' in name && name.object === uid
      return isMeant ? [{ record: name.record, author: one.author, ms: hlc.ms }] : []
    })
  } catch (error) {
    if (error instanceof WireError || error instanceof DocError) return []
    throw error
  }
}

function sideOf(tx: Tx, uid: string, register: Register, { device, actor, ms, records }: Written): ConflictSide {
  const { name, portable } = docItem('object', uid, register)
  const { label } = portable.item as { label?: unknown }
  const titles = (portable.fields ?? []).flatMap(({ uid: field, definition }) =>
    titleTypes.has((definition as { type?: unknown }).type) ? [field] : [],
  )
  const value: WrittenRecords = {
    object: { name, label: typeof label === 'string' && label !== '' ? label : name },
    count: records.size,
    records: [...records]
      .toSorted()
      .slice(0, namedRecords)
      .map((id) => ({ id, title: titleOf(tx, formatDocName({ kind: 'record', object: uid, record: id }), titles) })),
  }
  return { value: value as unknown as Json, actor, device, at: new Date(ms).toISOString() }
}

function titleOf(tx: Tx, doc: string, fields: readonly string[]): string | null {
  const register = readDocument(tx, doc)?.register
  const texts = fields.map((field) => register?.get(field)?.winner[1])
  return texts.find((text): text is string => typeof text === 'string' && text !== '') ?? null
}
