// Remembers how callers with restricted rights read single records, and gives their rights short names. Knows no right: a
// name stands for rights that do not change.
import type { RecordReadPlan } from '#main/database/query/build-record.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'

/** Callers remembered per object. */
const maxCallers = 1_000

/** What is remembered of reading single records. */
export interface ReadPlanCache {
  /** The way to read for a world, worked out at its first use. */
  of(schema: ObjectSchema, world: string, prepare: () => RecordReadPlan | null): RecordReadPlan | null
  /** Forgets everything; needed after a change of tables or definitions. */
  clear(): void
}

/** Makes an empty memory. */
export function createReadPlanCache(): ReadPlanCache {
  let objects = new WeakMap<ObjectSchema, Map<string, RecordReadPlan | null>>()
  return {
    of(schema, world, prepare) {
      let worlds = objects.get(schema)
      if (worlds === undefined) objects.set(schema, (worlds = new Map()))
      let found = worlds.get(world)
      if (found === undefined) {
        if (worlds.size >= maxCallers) worlds.clear()
        worlds.set(world, (found = prepare()))
      }
      return found
    },
    clear() {
      objects = new WeakMap()
    },
  }
}

/** Numbers for values; equal for the same value, never used again for another one. */
export function createStandings(): { numberOf(standing: object): number } {
  const numbers = new WeakMap<object, number>()
  let last = 0
  return {
    numberOf(standing) {
      let number = numbers.get(standing)
      if (number === undefined) numbers.set(standing, (number = last += 1))
      return number
    },
  }
}
