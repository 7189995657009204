// Remembers how lists that are asked for again and again are read: the same query of the same caller needs no parsing and
// no writing of SQL. Knows no rights: what names the world of a query changes with them.
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { FindPlan, JsonPage } from '#main/database/query/build-find.ts'
import type { RecordQuery } from '../api.ts'
import type { ReadHints } from './read-runner.ts'

/** A list whose rows come as JSON. */
export interface JsonList {
  readonly statement: FindPlan['statement']
  readonly hints: ReadHints
  readonly finish: (rows: Record<string, unknown>[]) => JsonPage
}

/** The memory of one host for plans of one kind. */
export interface ListPlans<Plan> {
  /** Undefined for a list that is not known; null for one that is known to have no plan of this kind. */
  get(schema: ObjectSchema, key: string): Plan | null | undefined
  /** Whether the key was asked about before; a list that never comes again is not worth a plan of its own. */
  isRepeated(key: string): boolean
  put(schema: ObjectSchema, key: string, list: Plan | null): void
  /** Forgets everything; needed after a change of tables or statistics. */
  clear(): void
}

/** Lists remembered per object. */
const maxLists = 200
/** After so many uses a list is planned anew: the index may be another one by then. */
const maxUses = 200
const maxKeyLength = 4_000

/** Places for the marks of queries seen once. */
const seenPlaces = 4_096

/** Words whose meaning changes from one moment to the next (D-85). */
const moment = /\$(?:today|now|startOf|during)|\{(?:today|now)/

/** What makes two list requests the same; null for one that must be read anew every time. */
export function listKey(query: RecordQuery, world: string): string | null {
  if (query.cursor !== undefined || query.search !== undefined) return null
  const key = `${world}\n${JSON.stringify(query)}`
  return key.length > maxKeyLength || moment.test(key) ? null : key
}

/** Makes the memory. */
export function createListPlans<Plan>(): ListPlans<Plan> {
  let objects = new WeakMap<ObjectSchema, Map<string, { readonly list: Plan | null; uses: number }>>()
  const seen = new Int32Array(seenPlaces)
  return {
    get(schema, key) {
      const lists = objects.get(schema)
      const known = lists?.get(key)
      if (lists === undefined || known === undefined) return undefined
      known.uses += 1
      if (known.uses > maxUses) lists.delete(key)
      return known.list
    },
    isRepeated(key) {
      const mark = hashOf(key)
      const place = mark & (seenPlaces - 1)
      if (seen[place] === mark) return true
      seen[place] = mark
      return false
    },
    put(schema, key, list) {
      let lists = objects.get(schema)
      if (lists === undefined) {
        lists = new Map()
        objects.set(schema, lists)
      }
      if (lists.size >= maxLists) lists.clear()
      lists.set(key, { list, uses: 0 })
    },
    clear() {
      objects = new WeakMap()
    },
  }
}

/** A number that equal texts share; never 0. */
function hashOf(text: string): number {
  let hash = 0
  for (let index = 0; index < text.length; index += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0
  return hash === 0 ? 1 : hash
}
