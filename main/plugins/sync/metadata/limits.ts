// What whoever made a limit of a field stricter had seen by then, kept in the definition's document beside the limit: a value
// that breaks it and was not seen was written by somebody who did not know (D-388).
import { fieldLimits } from '#shared/field-types/field-limits.ts'
import type { FieldLimit } from '#shared/field-types/field-limits.ts'
import type { Reads, Tx } from '#main/kernel/database.ts'
import type { Register } from '#main/replication/core/register.ts'
import type { EditPlace } from '#main/replication/core/sync-document.ts'
import type { Json } from '#main/replication/core/types.ts'
import { decodeBody, isOpaque } from '#main/replication/wire/envelope-codec.ts'
import { readEnvelope, readIncarnations } from '../store/log-store.ts'
import type { DeletionMark } from '../write/deletion-mark.ts'
import { fromEntry, parseEntryKey } from './entry-keys.ts'
import type { Shown } from './item-entries.ts'

/** The stamps somebody had seen, as `ms.ctr` by incarnation. */
type Seen = Pick<DeletionMark, 'seen'>

/** A limit of a field, by the field's uid. */
interface Limit {
  readonly uid: string
  readonly property: FieldLimit
}

const pattern = /^field\.([^.]+)\._limit\.([A-Za-z]+)$/
const lower: ReadonlySet<string> = new Set(['min', 'minLength', 'minItems'])
/** What counts where a scale does not say it. @source D-94 */
const implied: ReadonlyMap<string, number> = new Map([
  ['maxRating', 5],
  ['step', 1],
])
const upper: ReadonlySet<string> = new Set(['max', 'maxLength', 'maxItems', 'precision'])

/** What a maker of a limit had seen, and under which incarnation it was made. */
type Maker = Seen & { readonly inc: number }

/** The makers of each limit, by field and property; those that did not know of each other stand side by side. */
export function limitsIn(register: Register): ReadonlyMap<string, ReadonlyMap<FieldLimit, readonly Maker[]>> {
  const found = new Map<string, Map<FieldLimit, readonly Maker[]>>()
  for (const [key, { winner, losers }] of register) {
    const [, uid = '', property] = pattern.exec(key) ?? []
    const known = fieldLimits.find((one) => one === property)
    if (known === undefined) continue
    const said = [winner, ...losers].filter(([, value]) => value !== null)
    if (said.length === 0) continue
    const makers = said.map((entry) => ({ seen: entry[1] as unknown as Seen['seen'], inc: entry[4] }) as Maker)
    found.set(uid, (found.get(uid) ?? new Map<FieldLimit, readonly Maker[]>()).set(known, makers))
  }
  return found
}

/** Whether keys of a document say something of limits. */
export function sayLimits(keys: Iterable<string>): boolean {
  return [...keys].some((key) => pattern.test(key))
}

/** Whether another version of a definition limits values otherwise. */
export function hasOtherLimits(before: Shown | null, after: Shown): boolean {
  return before !== null && limitsOf(before, after).length > 0
}

/** Notes what is seen by whoever makes limits stricter. @param before null for a definition that was not here: it limits nothing */
export function writeLimits(tx: Pick<Tx, 'all' | 'get'>, place: EditPlace, before: Shown | null, after: Shown): void {
  if (before === null) return
  const stricter = limitsOf(before, after).filter((limit) =>
    isStricter(limit.property, valueIn(before, limit), valueIn(after, limit)),
  )
  if (stricter.length === 0) return
  const seen: Json = seenOf(tx, place)
  place.set(Object.fromEntries(stricter.map(({ uid, property }) => [`field.${uid}._limit.${property}`, seen])))
}

/** Limits that differ, of fields that are there. */
function limitsOf(before: Shown, after: Shown): Limit[] {
  const keys = new Set([...Object.keys(before.entries), ...Object.keys(after.entries)])
  return [...keys].flatMap((key): Limit[] => {
    const parsed = parseEntryKey(key)
    if (parsed?.kind !== 'field' || !after.sequence.includes(parsed.uid)) return []
    const property = fieldLimits.find((one) => one === parsed.key)
    const isSame = JSON.stringify(before.entries[key]) === JSON.stringify(after.entries[key])
    return property === undefined || isSame ? [] : [{ uid: parsed.uid, property }]
  })
}

function valueIn({ entries }: Shown, { uid, property }: Limit): unknown {
  return fromEntry(entries[`field.${uid}.${property}`] ?? null)
}

function isStricter(property: FieldLimit, before: unknown, after: unknown): boolean {
  if (property === 'allowHalf') return before === true && after !== true
  const scale = implied.get(property)
  if (scale !== undefined) {
    const [was, is] = [before, after].map((given) => (typeof given === 'number' ? given : scale))
    // All steps there were are on the new ones where these go into them.
    return property === 'step' ? !Number.isInteger(was! / is!) : is! < was!
  }
  if (after === undefined || after === null || after === false) return false
  if (property === 'options') {
    const kept = new Set(optionsOf(after))
    return optionsOf(before).some((option) => !kept.has(option))
  }
  if (property === 'fields') return hasStricterPart(partsIn(before), partsIn(after))
  if (typeof before !== 'number' || typeof after !== 'number') return true
  if (lower.has(property)) return after > before
  return upper.has(property) ? after < before : true
}

type Parts = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** One that is new limits nothing but to be there. */
function hasStricterPart(before: Parts, after: Parts): boolean {
  return Object.entries(after).some(([name, part]) =>
    fieldLimits.some((limit) => isStricter(limit, before[name]?.[limit], part[limit])),
  )
}

function partsIn(value: unknown): Parts {
  return typeof value === 'object' && value !== null ? (value as Parts) : {}
}

function optionsOf(options: unknown): readonly unknown[] {
  return Array.isArray(options) ? options.map((option) => (option as { value?: unknown } | null)?.value ?? option) : []
}

/** The last stamp of each incarnation that is applied here; of the own one everything up to this change. */
export function seenOf(tx: Pick<Tx, 'all' | 'get'>, { inc, hlc }: EditPlace): Record<string, string> {
  const seen: Record<string, string> = {}
  for (const { inc: one, appliedSeq } of readIncarnations(tx as Pick<Reads, 'all' | 'get'>)) {
    const envelope = readEnvelope(tx, one, appliedSeq)
    const body = envelope === undefined ? undefined : decodeBody(envelope.body)
    if (body !== undefined && !isOpaque(body)) seen[String(one)] = `${body.hlc.ms}.${body.hlc.ctr}`
  }
  return { ...seen, [String(inc)]: `${hlc.ms}.${hlc.ctr}` }
}
