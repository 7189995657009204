// Runs the hooks around writes: what they are shown, how their patch joins the supplied values (D-98).
import { ExpressionError } from '#shared/expression/compile-expression.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { HookEvent, HookItem, PlatformRecord, RecordHooks, WriteAction } from '../api.ts'
import { codecOf } from './codec.ts'
import type { Row } from './codec.ts'
import type { PrepareEnv } from './prepare.ts'
import { defaultOf, givenValue } from './prepare.ts'
import type { ItemDone, OpenStep, WriteRun } from './write-run.ts'

/** A record before-hooks are shown. */
export interface Shown {
  readonly step: OpenStep
  readonly event: HookEvent
  readonly item: HookItem
  /** The row as it was then; null for a new record. */
  readonly row: Row | null
}

/** What before-hooks may hear of an action. */
const eventsOf: Readonly<Record<WriteAction, readonly HookEvent[]>> = {
  create: ['insert'],
  update: ['update'],
  upsert: ['insert', 'update'],
  delete: ['delete'],
  purge: ['delete'],
  restore: ['restore'],
}

/** Whether before-hooks may have to see the record; from memory, so that a write without hooks pays nothing. */
export function listensBefore(hooks: RecordHooks, { action, schema }: OpenStep): boolean {
  return eventsOf[action].some((event) => hooks.listens(schema.name, 'before', event))
}

/** What before-hooks are shown of a record that meets this row; undefined for what none of them hears of. */
export function shownTo(hooks: RecordHooks, step: OpenStep, row: Row | null): Shown | undefined {
  const { schema, action, env } = step
  const data = step.found.item.data ?? {}
  const isChange = action === 'update' || action === 'upsert'
  const event = row === null ? 'insert' : isChange ? 'update' : action === 'restore' ? 'restore' : 'delete'
  // A record that is in the trash already was deleted before; purging it is no second delete.
  if (event === 'delete' && row!['deleted_at'] !== null) return undefined
  if (!hooks.listens(schema.name, 'before', event)) return undefined
  if (row === null) return { step, event, item: { record: draftOf(schema, data, env), previous: null }, row }
  const previous = codecOf(schema).toRecord(row)
  const record = isChange ? { ...previous, ...shownValues(schema, data) } : previous
  return { step, event, item: { record, previous }, row }
}

/**
 * Runs the before-hooks of records, one call for each object and event; what they set and refuse is found of the records.
 * @throws what a hook refuses a lone record with
 */
export async function runBefore(hooks: RecordHooks, run: WriteRun, shown: readonly Shown[]): Promise<void> {
  for (const group of Map.groupBy(shown, ({ step, event }) => `${step.schema.name}/${event}`).values()) {
    const { step, event } = group[0]!
    const items = group.map(({ item }) => item)
    const outcomes = await hooks.before(run.ctx, { object: step.schema.name, event, items })
    group.forEach(({ step: { found }, row }, at) => {
      const outcome = outcomes[at]
      if (outcome === undefined) throw new Error('The hooks gave no outcome for a record.')
      if (!outcome.ok && run.isLone) throw outcome.error
      found.seen = row
      if (!outcome.ok) found.failure = outcome.error
      else if (Object.keys(outcome.patch).length > 0) {
        found.patch = { ...found.patch, ...outcome.patch }
        found.item = { ...found.item, data: { ...found.item.data, ...outcome.patch } }
      }
    })
  }
}

/** What after-hooks hear of what became of a record. */
const afterEvents: Readonly<Record<ItemDone['operation'], HookEvent>> = {
  create: 'insert',
  update: 'update',
  delete: 'delete',
  restore: 'restore',
}

/** Runs the after-hooks of what was written, one call for each object and event; undefined when none listens. */
export function runAfter(
  hooks: RecordHooks | undefined,
  ctx: RequestContext,
  done: readonly ItemDone[],
): Promise<void> | undefined {
  if (hooks === undefined) return undefined
  const heard = done.filter(
    ({ written, schema, operation }) => written.changed && hooks.listens(schema.name, 'after', afterEvents[operation]),
  )
  if (heard.length === 0) return undefined
  return (async () => {
    for (const group of Map.groupBy(heard, ({ schema, operation }) => `${schema.name}/${operation}`).values()) {
      const { schema, operation } = group[0]!
      const items = group.map(({ written: { record, before } }): HookItem => {
        return { record, previous: before === null ? null : codecOf(schema).toRecord(before) }
      })
      await hooks.after(ctx, { object: schema.name, event: afterEvents[operation], items })
    }
  })()
}

/** A new record as before-hooks see it: defaults first, then the supplied values. Concealed values are not shown. */
function draftOf(schema: ObjectSchema, data: Readonly<Record<string, unknown>>, env: PrepareEnv): PlatformRecord {
  const record: PlatformRecord = {}
  const { sealed } = codecOf(schema)
  for (const field of schema.fields) {
    const isShown = !field.computed && !sealed.includes(field)
    record[field.name] = isShown ? (givenValue(field, data) ?? null) : null
  }
  for (const field of schema.fields) {
    if (record[field.name] === null && !field.computed && !sealed.includes(field))
      record[field.name] = shownDefault(field, env, record)
  }
  return { ...record, ...shownValues(schema, data) }
}

/** The default as far as it has one; what is wrong with its expression is told when the record is prepared. */
function shownDefault(field: FieldSchema, env: PrepareEnv, record: PlatformRecord): unknown {
  try {
    return defaultOf(field, env, record)
  } catch (error) {
    if (error instanceof ExpressionError) return null
    throw error
  }
}

/** Supplied values without concealed ones and without what the server drops (D-51). */
function shownValues(schema: ObjectSchema, data: Readonly<Record<string, unknown>>): PlatformRecord {
  const { sealed } = codecOf(schema)
  const entries = Object.entries(data).filter(([name, value]) => {
    const field = schema.byName.get(name)
    if (field === undefined || value === undefined || sealed.includes(field)) return false
    return !field.computed || name === 'owner' || name === 'id'
  })
  return Object.fromEntries(entries)
}
