// Writes the records a package brings along, inside the transaction that stores the package (D-135).
import { createHash } from 'node:crypto'
import type { PackageSeed } from '#shared/contracts/package-parts.ts'
import { PlatformError } from '#shared/errors.ts'
import { isSameJson } from '#shared/merge-patch.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { PlatformRecord, RecordKey, RecordsWithin } from '#main/plugins/data/api.ts'
import type { PackageRow } from '../store.ts'
import { getSeeded, putSeeded } from '../store.ts'

/** One record to write. */
interface Seed {
  readonly seed: PackageSeed
  readonly index: number
  readonly record: Readonly<Record<string, unknown>>
}

/**
 * Writes the records; samples only where they are wanted. Records may refer to later ones: what misses a reference is tried again once the others are written.
 * @throws what refuses a record, with `seed {object, index}` in its details
 */
export function writeSeeds(
  tx: Tx,
  records: RecordsWithin,
  { id: packageId, samples }: Pick<PackageRow, 'id' | 'samples'>,
  seeds: readonly PackageSeed[],
): void {
  let waiting = seeds
    .filter((seed) => seed.sample !== true || samples === 1)
    .flatMap((seed) => seed.records.map((record, index): Seed => ({ seed, index, record })))
  let isBackwards = false
  while (waiting.length > 0) {
    const refused: { readonly one: Seed; readonly error: PlatformError }[] = []
    for (const one of waiting) {
      try {
        writeSeed(tx, records, packageId, one)
      } catch (error) {
        if (!(error instanceof PlatformError)) throw error
        if (!misses(error)) throw about(one, error)
        refused.push({ one, error })
      }
    }
    if (refused.length === waiting.length) {
      const { one, error } = refused.at(isBackwards ? -1 : 0)!
      throw about(one, error)
    }
    // The other way round: where each needs the one after it, a pass in the same order would write one of them.
    waiting = refused.map(({ one }) => one).toReversed()
    isBackwards = !isBackwards
  }
}

function writeSeed(tx: Tx, records: RecordsWithin, packageId: string, { seed, index, record: written }: Seed): void {
  const { object, mode, externalId } = seed
  const record = seed.cells === true ? records.valuesOf(object, written) : written
  const { id: given, ...values } = record
  const named = given === undefined && externalId !== undefined ? record[externalId] : undefined
  const isNamed = externalId !== undefined && named !== undefined && named !== null
  const derived =
    given === undefined
      ? derivedId([packageId, object, isNamed ? JSON.stringify([externalId, named]) : String(index)])
      : undefined
  const id = derived ?? (typeof given === 'string' ? given.toLowerCase() : undefined)
  const key: RecordKey = { id: id ?? String(given) }
  const remember = (recordId: string, seeded: PlatformRecord): void =>
    putSeeded(tx, packageId, {
      object,
      record_id: recordId,
      seeded: JSON.stringify(seeded),
      sample: seed.sample === true ? 1 : 0,
    })
  // By its name first, which a record of people may have; one that people renamed is known by its id.
  const byName = isNamed ? records.find(object, { field: externalId, value: named }) : undefined
  const found = byName ?? records.find(object, key)
  if (found === undefined) {
    // Somebody removed it for good, and it stays gone.
    if (id !== undefined && getSeeded(tx, packageId, object, id) !== undefined) return
    const made = records.create(object, { ...values, id: id ?? given })
    // Of a sample everything counts: whoever changes a field the package left alone has made the record their own.
    remember(made.id, seed.sample === true ? made.record : chosen(made.record, Object.keys(values)))
    return
  }
  if (mode === 'insert' || found.isDeleted) return
  const text = getSeeded(tx, packageId, object, found.id)
  // One that the package wrote on another machine: what stands there may be of people by now.
  const unnoted: PlatformRecord | null = found.id === derived ? {} : null
  const known = text === undefined ? unnoted : (JSON.parse(text) as PlatformRecord)
  const isFree = (field: string): boolean => {
    const now = found.record[field] ?? null
    if (known === null) return true
    return Object.hasOwn(known, field) ? isSameJson(now, known[field] ?? null) : now === null
  }
  const changes = Object.fromEntries(Object.entries(values).filter(([field]) => isFree(field)))
  const stored = Object.keys(changes).length === 0 ? found : records.update(object, found.id, changes)
  remember(found.id, { ...known, ...chosen(stored.record, Object.keys(changes)) })
}

function chosen(record: PlatformRecord, fields: readonly string[]): PlatformRecord {
  return Object.fromEntries(fields.map((field) => [field, record[field] ?? null]))
}

/** Whether nothing is wrong with a record but that what it refers to is not there. */
function misses({ details }: PlatformError): boolean {
  const errors = details['fieldErrors'] as readonly { code: string }[] | undefined
  return errors !== undefined && errors.length > 0 && errors.every(({ code }) => code === 'invalid_reference')
}

function about({ seed, index }: Seed, error: PlatformError): PlatformError {
  return new PlatformError(error.code, error, { ...error.details, seed: { object: seed.object, index } }, error)
}

/** The id of a record without one, from its name or else its place: the same on every machine and at every upgrade. @source RFC 9562 section 5.8 */
function derivedId(parts: readonly [packageId: string, object: string, key: string]): string {
  const hex = createHash('sha256').update(parts.join('|')).digest('hex').slice(0, 32).split('')
  hex[12] = '8'
  hex[16] = '89ab'[Number.parseInt(hex[16]!, 16) & 3]!
  return hex.join('').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
