// Hears, inside the transactions of an import, what each update changes, so that it can be undone.
import type { PlatformEvent } from '#shared/events.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RowChanges } from './row-outcome.ts'

/** Watches the updates of one request. */
export interface ChangeWatch {
  /** What was heard of a record since the last `clear`. */
  changesOf(id: string): RowChanges | undefined
  clear(): void
}

/** The watches under way. */
export interface ChangeWatches {
  /** Hears one event, in its transaction. */
  hear(event: PlatformEvent): void
  /** Watches the object's updates that carry a request id, until `stop`. */
  watch(requestId: string, schema: ObjectSchema): ChangeWatch & { stop(): void }
}

interface Payload {
  readonly changes: Readonly<Record<string, { readonly old: unknown; readonly new: unknown }>>
}

/** Makes the watches. */
export function createChangeWatches(): ChangeWatches {
  const watches = new Map<string, { schema: ObjectSchema; heard: Map<string, Record<string, [unknown, unknown]>> }>()
  return {
    hear(event) {
      if (event.source !== 'import' || watches.size === 0) return
      const watch = watches.get(event.requestId)
      if (watch === undefined || event.object !== watch.schema.name || event.recordId === undefined) return
      const changes = watch.heard.get(event.recordId) ?? (Object.create(null) as Record<string, [unknown, unknown]>)
      for (const [name, change] of Object.entries((event.payload as Payload).changes)) {
        const field = watch.schema.byName.get(name)
        // The engine's own values follow from the others.
        if (field === undefined || field.computed || (field.system && name !== 'owner')) continue
        changes[name] = [changes[name] === undefined ? change.old : changes[name][0], change.new]
      }
      watch.heard.set(event.recordId, changes)
    },
    watch(requestId, schema) {
      const heard = new Map<string, Record<string, [unknown, unknown]>>()
      watches.set(requestId, { schema, heard })
      return {
        changesOf: (id) => heard.get(id),
        clear: () => heard.clear(),
        stop: () => watches.delete(requestId),
      }
    },
  }
}
