// What was written to the records of an object by somebody who did not know that it was removed. The removal says how much
// of every log whoever removed the object had seen; what the logs have beyond that was written without knowing.
import type { Reads, Tx } from '#main/kernel/database.ts'
import type { ConflictSide } from '../conflicts/conflict-store.ts'
import { DocError } from '#main/replication/core/doc-error.ts'
import { formatDocName, parseDocName } from '#main/replication/core/doc-names.ts'
import type { Register } from '#main/replication/core/register.ts'
import type { SealedEnvelope } from '#main/replication/core/types.ts'
import { readDocument } from '../store/doc-store.ts'
import { readEnvelopes, readIncarnation, readIncarnations } from '../store/log-store.ts'
import { readProblem } from '../store/problem-store.ts'
import { decodeBody, isOpaque } from '#main/replication/wire/envelope-codec.ts'
import { WireError } from '#main/replication/wire/wire-error.ts'
import { unpackGenesis } from '../write/genesis-body.ts'
import { docItem, labelIn } from './item-entries.ts'

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

/** Envelopes looked at in one go. */
const sliceSize = 500
/** Records that a conflict names. */
const namedRecords = 20
const titleTypes: ReadonlySet<unknown> = new Set(['text', 'email', 'url', 'phone', 'autonumber'])

/** What a machine wrote to records of a removed object. */
export interface Written {
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

/** Looks through the logs for what was written to records of removed objects. */
export interface RecordScan {
  /** Who wrote to the records of an object without knowing of its removal, one for each machine. */
  written(tx: Tx, uid: string, removal: Removal): Written[]
  /** The object is there: what was found is of no use any more. */
  forget(uid: string): void
}

/** Makes the scan; it remembers how far it has come. */
export function createRecordScan(): RecordScan {
  const scans = new Map<string, Scan>()
  return {
    written(tx, uid, removal) {
      const known = scans.get(uid)
      const { stamp } = removal
      const from = known?.stamp === stamp ? known : { stamp, upTo: new Map(), found: new Map() }
      const next = scanned(tx, uid, removal, from)
      // What was found stays true when the job fails; where it was found may be written once more.
      tx.afterCommit(() => scans.set(uid, next))
      return [...next.found.values()]
    },
    forget: (uid) => void scans.delete(uid),
  }
}

/** A removal, as whoever removed the item wrote it. */
export interface Removal {
  readonly stamp: string
  readonly side: ConflictSide
  readonly seen: SeenLog
}

/** Null for an item that is there, and for one that was removed by a version that did not say what it had seen. */
export function removalOf(tx: Tx, register: Register): Removal | null {
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

/** The records a machine wrote to, as a conflict shows them. */
export function writtenRecords(tx: Tx, uid: string, register: Register, records: ReadonlySet<string>): WrittenRecords {
  const { name, portable } = docItem('object', uid, register)
  const titles = (portable.fields ?? []).flatMap(({ uid: field, definition }) =>
    titleTypes.has((definition as { type?: unknown }).type) ? [field] : [],
  )
  return {
    object: { name, label: labelIn(portable.item) ?? name },
    count: records.size,
    records: [...records]
      .toSorted()
      .slice(0, namedRecords)
      .map((id) => ({ id, title: titleOf(tx, formatDocName({ kind: 'record', object: uid, record: id }), titles) })),
  }
}

function titleOf(tx: Tx, doc: string, fields: readonly string[]): string | null {
  const register = readDocument(tx, doc)?.register
  const texts = fields.map((field) => register?.get(field)?.winner[1])
  return texts.find((text): text is string => typeof text === 'string' && text !== '') ?? null
}
