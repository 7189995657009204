// Notes which deletions of one group belong together, so that restoring the first record here brings the others back, as it
// does on the machine that deleted them (D-61). Their origin deleted each by itself; the references tell which followed which.
import { deleteBehaviorOf } from '#shared/field-types/relation.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Tx } from '#main/kernel/database.ts'
import { addDeleteEffect } from '../store.ts'
import type { Row } from './codec.ts'
import { codecOf } from './codec.ts'
import { targetsOf } from './reference-checks.ts'

/** A record that went into the trash, as it was. */
export interface TrashedRecord {
  readonly schema: ObjectSchema
  readonly row: Row
}

/** Remembers for each record that went with another one of the list the first of that chain. */
export function noteCascades(tx: Tx, trashed: readonly TrashedRecord[]): void {
  if (trashed.length < 2) return
  const byKey = new Map(trashed.map((one) => [keyOf(one.schema.name, one.row['id'] as string), one]))
  for (const one of trashed) {
    const first = firstAbove(one, byKey)
    if (first === one) continue
    addDeleteEffect(tx, first.schema.name, first.row['id'] as string, {
      effect: 'cascade',
      object: one.schema.name,
      recordId: one.row['id'] as string,
      field: '',
    })
  }
}

/** The record a cascade began with; records that point at each other have none above them once the walk comes round. */
function firstAbove(from: TrashedRecord, byKey: ReadonlyMap<string, TrashedRecord>): TrashedRecord {
  const seen = new Set([from])
  for (let at = from; ;) {
    const above = ownersOf(at, byKey).find((one) => !seen.has(one))
    if (above === undefined) return at
    seen.add(above)
    at = above
  }
}

function ownersOf({ schema, row }: TrashedRecord, byKey: ReadonlyMap<string, TrashedRecord>): TrashedRecord[] {
  return codecOf(schema)
    .relations.filter((field) => field.type !== 'record' && deleteBehaviorOf(field) === 'cascade')
    .flatMap((field) => targetsOf(schema, field, row))
    .flatMap(({ object, id }) => byKey.get(keyOf(object, id)) ?? [])
}

function keyOf(object: string, id: string): string {
  return `${object}/${id}`
}
