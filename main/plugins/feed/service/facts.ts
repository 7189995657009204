// Turns events of records into facts: what happened, by whom, and the values before and after. Pure and cheap, because it
// runs in every write. Values stand under the uid of their field, so that a rename costs nothing.
import type { PlatformEvent } from '#shared/events.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { trackedFields } from './tracked-fields.ts'

/** What a fact tells of (D-145). */
export type FactAction = 'create' | 'update' | 'delete' | 'restore' | 'transfer'

/** The flag of facts that are feed items as well. */
export const inFeed = 1

/** The values of one field before and after; empty for concealed fields, of which only the change is kept. */
export type StoredChange = readonly [old: unknown, next: unknown] | readonly []

/** Changes by the uid of the field. */
export type StoredChanges = Readonly<Record<string, StoredChange>>

/** A fact before it has an id. */
export interface Fact {
  readonly action: FactAction
  readonly changes: StoredChanges
  readonly flags: number
}

/** What two changes one after the other come to, as it is stored: values before the first, and after the last. */
export function joinedChanges(stored: string, later: StoredChanges): string {
  const joined: Record<string, StoredChange> = { ...(JSON.parse(stored) as StoredChanges) }
  for (const [uid, change] of Object.entries(later)) {
    const before = joined[uid]
    joined[uid] = before?.length === 2 && change.length === 2 ? [before[0], change[1]] : change
  }
  return JSON.stringify(joined)
}

type Values = Readonly<Record<string, unknown>>
type Differences = Readonly<Record<string, { readonly old: unknown; readonly new: unknown }>>

const nothing: StoredChanges = Object.freeze({})
const concealed: StoredChange = Object.freeze([])

/** The fact of an event; null when it changed nothing that is tracked, or the object keeps no history. */
export function factOf(schema: ObjectSchema, event: Pick<PlatformEvent, 'type' | 'payload'>): Fact | null {
  if (!schema.enable.trackHistory) return null
  const flags = schema.enable.feeds ? inFeed : 0
  switch (event.type) {
    case 'record.created':
      return { action: 'create', changes: firstValues(schema, (event.payload as { record: Values }).record), flags }
    case 'record.updated':
      return updateFact(schema, (event.payload as { changes: Differences }).changes, flags)
    case 'record.deleted':
      return { action: 'delete', changes: nothing, flags }
    case 'record.restored':
      return { action: 'restore', changes: lostValues(schema, event.payload as { changes?: Differences }), flags }
    default:
      return null
  }
}

/** Every value a new record came with; the owner is who made it unless a transfer says otherwise. */
function firstValues(schema: ObjectSchema, record: Values): StoredChanges {
  const changes: Record<string, StoredChange> = {}
  for (const [name, { field, concealed: hides }] of trackedFields(schema)) {
    const value = record[name]
    if (value === null || value === undefined || field.system) continue
    changes[field.uid] = hides ? concealed : [null, value]
  }
  return changes
}

/** What a record came back without. */
function lostValues(schema: ObjectSchema, { changes = {} }: { readonly changes?: Differences }): StoredChanges {
  return updateFact(schema, changes, 0)?.changes ?? nothing
}

function updateFact(schema: ObjectSchema, differences: Differences, flags: number): Fact | null {
  const tracked = trackedFields(schema)
  const changes: Record<string, StoredChange> = {}
  let some = false
  let shows = false
  for (const name in differences) {
    const known = tracked.get(name)
    if (known === undefined) continue
    const change = differences[name]!
    changes[known.field.uid] = known.concealed ? concealed : [change.old ?? null, change.new ?? null]
    some = true
    shows ||= known.inFeed
  }
  if (!some) return null
  return {
    action: Object.hasOwn(differences, 'owner') ? 'transfer' : 'update',
    changes,
    flags: shows ? flags : 0,
  }
}
