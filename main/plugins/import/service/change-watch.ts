// Hears, inside the transactions of an import, what each update changes and what each create makes, so that both can be
// undone.
import type { PlatformEvent } from '#shared/events.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { isConcealed, declaredTypeOf } from '#shared/field-types/registry.ts'
import type { RowChanges } from './row-outcome.ts'
import { hash } from 'node:crypto'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'

/** Watches the writes of one request. */
export interface ChangeWatch {
  /** What was heard of a record since the last `clear`. */
  changesOf(id: string): RowChanges | undefined
  /** The digest of a record that was created since the last `clear`; undefined where its version says enough. */
  sealOf(id: string): string | undefined
  clear(): void
}

/** The watches under way. */
export interface ChangeWatches {
  /** Hears one event, in its transaction. */
  hear(event: PlatformEvent): void
  /** Watches the object's creates and updates that carry a request id, until `stop`. */
  watch(requestId: string, schema: ObjectSchema): ChangeWatch & { stop(): void }
}

interface Watch {
  readonly schema: ObjectSchema
  readonly derives: boolean
  readonly heard: Map<string, Record<string, [unknown, unknown]>>
  readonly seals: Map<string, string>
}

interface Payload {
  readonly record: Readonly<Record<string, unknown>>
  readonly changes: Readonly<Record<string, { readonly old: unknown; readonly new: unknown }>>
}

/** Makes the watches. */
export function createChangeWatches(): ChangeWatches {
  const watches = new Map<string, Watch>()
  return {
    hear(event) {
      if (event.source !== 'import' || watches.size === 0) return
      const watch = watches.get(event.requestId)
      if (watch === undefined || event.object !== watch.schema.name || event.recordId === undefined) return
      if (event.type === 'record.created') {
        if (watch.derives) watch.seals.set(event.recordId, sealOf(watch.schema, (event.payload as Payload).record))
        return
      }
      const changes = watch.heard.get(event.recordId) ?? (Object.create(null) as Record<string, [unknown, unknown]>)
      for (const [name, change] of Object.entries((event.payload as Payload).changes)) {
        const field = watch.schema.byName.get(name)
        // The engine's own values follow from the others.
        if (field === undefined || field.computed || (field.system && name !== 'owner')) continue
        // That a secret has changed is kept, what it was is not.
        if (isConcealed(field)) changes[name] = [null, null]
        else changes[name] = [changes[name] === undefined ? change.old : changes[name][0], change.new]
      }
      watch.heard.set(event.recordId, changes)
    },
    watch(requestId, schema) {
      const heard: Watch['heard'] = new Map()
      const seals: Watch['seals'] = new Map()
      watches.set(requestId, { schema, derives: derivesValues(schema), heard, seals })
      return {
        changesOf: (id) => heard.get(id),
        sealOf: (id) => seals.get(id),
        clear() {
          heard.clear()
          seals.clear()
        },
        stop: () => watches.delete(requestId),
      }
    },
  }
}

/** Whether the engine may change records by itself: then their version alone says nothing. */
export function derivesValues(schema: ObjectSchema): boolean {
  return schema.fields.some((field) => field.computed && !declaredTypeOf(field).issued)
}

/** The digest of a record's own values. */
export function sealOf(schema: ObjectSchema, record: Readonly<Record<string, unknown>>): string {
  const values = schema.fields.filter(isOwn).map((field) => record[field.name] ?? null)
  return hash('sha256', JSON.stringify([record['owner'] ?? null, ...values]), 'base64url').slice(0, 16)
}

function isOwn(field: FieldSchema): boolean {
  return !field.computed && !isConcealed(field)
}
