// What a dry run remembers of rows that would be written, so that later rows meet what they would find. Nothing of it is in
// the database: rows of one write meet each other there before it is rolled back, all others meet here.
import { randomUUID } from 'node:crypto'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ParseEnv } from '#shared/field-types/field-type.ts'
import { parseField } from '#shared/field-types/parse-field.ts'
import { foldCase } from '#shared/filter/fold-case.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { namingFields } from './links.ts'
import type { Found } from './links.ts'

type Values = Readonly<Record<string, unknown>>

/** A record that a row would make. */
export interface MadeRecord {
  /** An id that stands for it; no record has it. */
  readonly made: string
  /** What it would hold; undefined where too many are remembered. */
  readonly values: Values | undefined
}

/** What rows would leave behind. */
export interface Foretold {
  /** The record that a row of the key would make. */
  find(key: string): MadeRecord | undefined
  /** What a name of the object would lead to. */
  named(name: string): Found | undefined
  /**
   * The unique field whose value another record would have by then.
   * @param moving places of records that rows between give other values, as {@link Foretold.placesOf} answers them
   */
  taken(values: Values, owner: string | undefined, moving?: ReadonlySet<string>): FieldSchema | undefined
  /** What of a record a row gives a value, of fields with unique ones. */
  placesOf(values: Values, owner: string): readonly string[]
  /** Whether a record that has the value now would have another one by then. */
  leaves(owner: string, field: FieldSchema, value: unknown): boolean
  /** The values without links to records that are not there; `left` names the fields that lost one. */
  writable(values: Values): { readonly values: Record<string, unknown>; readonly left: readonly string[] }
  /**
   * Remembers a row that would be written.
   * @param owner the id of its record, its own or one that stands for it; undefined for a new one
   * @param key what later rows would find the new record by
   */
  remember(values: Values, owner: string | undefined, key: string | null): void
}

/** Records whose values are kept; beyond them only that they would be there. */
const maxKept = 20_000

/**
 * Makes the memory of one dry run.
 * @param ownLinks names of the fields that lead to records of the object itself
 * @param isMatched whether several rows may mean one record
 */
export function createForetold(
  schema: ObjectSchema,
  { ownLinks, isMatched }: { readonly ownLinks: ReadonlySet<string>; readonly isMatched: boolean },
  env: ParseEnv,
): Foretold {
  const unique = schema.fields.filter((field) => field.unique)
  const naming = ownLinks.size === 0 ? [] : namingFields(schema)
  const records = new Map<string, MadeRecord>()
  let kept = 0
  /** Ids that stand for records, and those that rows would give their own. */
  const standing = new Set<string>()
  const owners = new Map<string, string>()
  /** The place in `owners` that a record has, to be free once it has another; empty for no value. */
  const places = new Map<string, string>()
  const names = naming.map(() => new Map<string, Found>())

  const folded = (field: FieldSchema, text: string): string => (field.caseSensitive ? text : foldCase(text))

  const placeOf = (field: FieldSchema, value: unknown): string | undefined => {
    if (value === null || value === undefined) return undefined
    const result = parseField(field, value, env)
    const stored = result.ok ? result.value : value
    if (stored === null) return undefined
    return `${field.name}\n${typeof stored === 'string' ? folded(field, stored) : JSON.stringify(stored)}`
  }

  const seatOf = (owner: string, field: FieldSchema): string => `${owner}\n${field.name}`

  const claim = (values: Values, owner: string): void => {
    for (const field of unique) {
      if (!Object.hasOwn(values, field.name)) continue
      const seat = seatOf(owner, field)
      const before = places.get(seat)
      if (before !== undefined && owners.get(before) === owner) owners.delete(before)
      const place = placeOf(field, values[field.name])
      if (place !== undefined) owners.set(place, owner)
      if (isMatched) places.set(seat, place ?? '')
    }
  }

  const call = (values: Values, id: string): void => {
    naming.forEach((field, at) => {
      const name = values[field.name]
      if (typeof name !== 'string') return
      const key = folded(field, name)
      const known = names[at]!.get(key)
      names[at]!.set(key, known === undefined || (known !== 'several' && known.id === id) ? { id } : 'several')
    })
  }

  return {
    find: (key) => records.get(key),
    named(name) {
      for (const [at, field] of naming.entries()) {
        const found = names[at]!.get(folded(field, name))
        if (found !== undefined) return found
      }
      return undefined
    },
    taken(values, owner, moving) {
      return unique.find((field) => {
        const place = placeOf(field, values[field.name])
        const other = place === undefined ? undefined : owners.get(place)
        return other !== undefined && other !== owner && moving?.has(seatOf(other, field)) !== true
      })
    },
    placesOf: (values, owner) =>
      unique.filter(({ name }) => Object.hasOwn(values, name)).map((field) => seatOf(owner, field)),
    leaves(owner, field, value) {
      const place = places.get(seatOf(owner, field))
      return place !== undefined && place !== placeOf(field, value)
    },
    writable(values) {
      const left: string[] = []
      const rest: Record<string, unknown> = Object.assign(Object.create(null) as Record<string, unknown>, values)
      for (const name of ownLinks) {
        const value = rest[name]
        const isThere = (id: unknown): boolean => typeof id !== 'string' || !standing.has(id.toLowerCase())
        if ([value].flat().every(isThere)) continue
        left.push(name)
        if (Array.isArray(value)) rest[name] = value.filter(isThere)
        else delete rest[name]
      }
      return { values: rest, left }
    },
    remember(values, owner, key) {
      const given = values['id']
      const id = owner ?? (typeof given === 'string' ? given.toLowerCase() : randomUUID())
      claim(values, id)
      call(values, id)
      if (owner === undefined && ownLinks.size > 0) standing.add(id)
      if (key === null) return
      const known = records.get(key)
      if (known === undefined && owner !== undefined) return
      const isKept = known === undefined ? kept < maxKept : known.values !== undefined
      if (known === undefined && isKept) kept += 1
      records.set(key, { made: id, values: isKept ? { ...known?.values, ...values } : undefined })
    },
  }
}
