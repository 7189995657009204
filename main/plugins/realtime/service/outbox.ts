// Events a connection could not take yet. Bounded: beyond the limit updates of one record become one. Knows no transport.
import type { PlatformEvent } from '#shared/events.ts'
import type { EventMessage } from './messages.ts'
import type { RecordPayload } from './record-filter.ts'
import type { Subscription } from './subscription.ts'

/** An event that waits, with what was written of it. */
export interface WaitingEvent {
  readonly event: PlatformEvent
  readonly subscriptions: readonly Subscription[]
  readonly messages: readonly EventMessage[]
  readonly bytes: number
  /** The state of rights it was written under. */
  readonly stamp: string
}

/** The waiting events of one connection. */
export interface Outbox {
  readonly bytes: number
  readonly length: number
  push(entry: WaitingEvent): void
  shift(): WaitingEvent | undefined
  /** Makes one of the updates of each record; `rewrite` writes the merged ones anew. */
  coalesce(rewrite: (event: PlatformEvent, subscriptions: readonly Subscription[]) => WaitingEvent): void
  clear(): void
}

/** Makes an empty outbox. */
export function createOutbox(): Outbox {
  let entries: WaitingEvent[] = []
  let bytes = 0
  return {
    get bytes() {
      return bytes
    },
    get length() {
      return entries.length
    },
    push(entry) {
      entries.push(entry)
      bytes += entry.bytes
    },
    shift() {
      const entry = entries.shift()
      if (entry !== undefined) bytes -= entry.bytes
      return entry
    },
    coalesce(rewrite) {
      const newest = new Map<string, PlatformEvent>()
      const wanting = new Map<string, Set<Subscription>>()
      for (const { event, subscriptions } of entries) {
        if (event.type !== 'record.updated') continue
        const key = keyOf(event)
        const before = newest.get(key)
        newest.set(key, before === undefined ? event : merged(before, event))
        const all = wanting.get(key) ?? new Set()
        for (const one of subscriptions) all.add(one)
        wanting.set(key, all)
      }
      const kept: WaitingEvent[] = []
      for (const entry of entries) {
        const last = entry.event.type === 'record.updated' ? newest.get(keyOf(entry.event))! : entry.event
        if (last === entry.event) kept.push(entry)
        // The merged update stands where the last one stood, so that ids go on rising.
        else if (last.eventId === entry.event.eventId) kept.push(rewrite(last, [...wanting.get(keyOf(last))!]))
      }
      entries = kept
      bytes = kept.reduce((sum, entry) => sum + entry.bytes, 0)
    },
    clear() {
      entries = []
      bytes = 0
    },
  }
}

function keyOf({ object, recordId }: PlatformEvent): string {
  return `${object} ${recordId}`
}

/** Two updates of a record as one: the record as it is now, each change from its first value to its last. */
function merged(first: PlatformEvent, second: PlatformEvent): PlatformEvent {
  const before = (first.payload as RecordPayload).changes ?? {}
  const after = (second.payload as RecordPayload).changes ?? {}
  const changes: Record<string, { old: unknown; new: unknown }> = { ...before }
  for (const field in after) changes[field] = { old: (before[field] ?? after[field])!.old, new: after[field]!.new }
  return { ...second, payload: { ...(second.payload as RecordPayload), changes } }
}
