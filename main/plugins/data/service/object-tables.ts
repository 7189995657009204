// Keeps object tables in step with object definitions: plans a change, and applies it in the write that stores the
// definition. Registered with the metadata service as the hook of type `object`.
import type { ObjectDefinition } from '#shared/object-definition.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import { compileObject } from '#shared/object-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { Reads } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import { applyObjectChange } from '#main/database/schema/object-change.ts'
import { planObjectChange } from '#main/database/schema/object-plan.ts'
import type { TypeHook } from '#main/plugins/metadata/api.ts'
import type { SearchService } from '#main/plugins/search/api.ts'
import { addSchemaBackup } from '../store.ts'

/** What the hook works with. */
export interface ObjectTablesParts {
  readonly read: Reads
  readonly search: () => SearchService | undefined
  readonly clock: Clock
  readonly ids: Ids
  readonly timeZone: () => string
}

type Candidate = Parameters<TypeHook['plan']>[1]

/** Makes the hook. */
export function createObjectTables(parts: ObjectTablesParts): TypeHook {
  return {
    plan(previous, next) {
      return planObjectChange(parts.read, previous === null ? null : compile(previous), compile(next))
    },
    apply(tx, _ctx, previous, next) {
      const before = previous === null ? null : compile(previous)
      const after = compile(next)
      applyObjectChange(tx, before, after, {
        backupTable: () => `data_backup_${parts.ids.uuid().replaceAll('-', '')}`,
        keep: (removed) => {
          addSchemaBackup(tx, { id: parts.ids.uuid(), createdAt: parts.clock.iso(), ...removed })
        },
        initialValue: (field) => initialValue(field, parts.timeZone()),
      })
      const search = parts.search()
      if (search === undefined) return
      if (before !== null && (after === null || after.abstract)) search.drop(tx, before)
      else if (after !== null && !after.abstract) search.ensure(tx, after, before)
    },
  }
}

function compile(item: Candidate): ObjectSchema | null {
  if (item === null) return null
  // The metadata service checked the definition before it asked.
  return compileObject({ ...item.item, name: item.name, uid: item.uid } as ObjectDefinition)
}

/** Existing records get literal defaults only (D-100). */
function initialValue(field: FieldSchema, timeZone: string): unknown {
  const { defaultValue } = field
  if (defaultValue === undefined || defaultValue === null || field.computed) return null
  if (typeof defaultValue === 'string' && /^\{.*\}$/.test(defaultValue)) return null
  if (typeof defaultValue === 'object' && !Array.isArray(defaultValue) && 'expression' in defaultValue) return null
  const result = fieldTypeOf(field).parse(defaultValue, field, { timeZone })
  return result.ok ? result.value : null
}
