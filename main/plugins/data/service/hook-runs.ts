// Runs the hooks around single writes: what they are shown, how their patch joins the supplied values (D-98).
import { ExpressionError } from '#shared/expression/compile-expression.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { HookEvent, HookItem, HookOutcome, PlatformRecord, RecordHooks } from '../api.ts'
import { codecOf } from './codec.ts'
import type { Row } from './codec.ts'
import type { PrepareEnv } from './prepare.ts'
import { defaultOf, givenValue } from './prepare.ts'

/** A new record as before-hooks see it: defaults first, then the supplied values. Concealed values are not shown. */
export function draftOf(
  schema: ObjectSchema,
  data: Readonly<Record<string, unknown>>,
  env: PrepareEnv,
): PlatformRecord {
  const record: PlatformRecord = {}
  for (const field of schema.fields) {
    if (field.computed || codecOf(schema).sealed.includes(field)) record[field.name] = null
    else record[field.name] = givenValue(field, data) ?? null
  }
  for (const field of schema.fields) {
    if (record[field.name] === null && !field.computed && !codecOf(schema).sealed.includes(field))
      record[field.name] = shownDefault(field, env, record)
  }
  return { ...record, ...shown(schema, data) }
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

/** A change as before-hooks see it: the stored record with the supplied values on top. */
export function changedRecord(
  schema: ObjectSchema,
  previous: Readonly<PlatformRecord>,
  data: Readonly<Record<string, unknown>>,
): PlatformRecord {
  return { ...previous, ...shown(schema, data) }
}

/** Supplied values without concealed ones and without what the server drops (D-51). */
function shown(schema: ObjectSchema, data: Readonly<Record<string, unknown>>): PlatformRecord {
  const { sealed } = codecOf(schema)
  const entries = Object.entries(data).filter(([name, value]) => {
    const field = schema.byName.get(name)
    if (field === undefined || value === undefined || sealed.includes(field)) return false
    return !field.computed || name === 'owner' || name === 'id'
  })
  return Object.fromEntries(entries)
}

/** Runs the before-hooks of one record. @throws what a hook refuses with */
export async function beforeOne(
  hooks: RecordHooks,
  ctx: RequestContext,
  object: string,
  event: HookEvent,
  item: HookItem,
): Promise<Readonly<Record<string, unknown>>> {
  const [outcome] = await hooks.before(ctx, { object, event, items: [item] })
  return patchOf(outcome)
}

/** The patch of an outcome. @throws what a hook refuses with */
export function patchOf(outcome: HookOutcome | undefined): Readonly<Record<string, unknown>> {
  if (outcome === undefined) throw new Error('The hooks gave no outcome for a record.')
  if (!outcome.ok) throw outcome.error
  return outcome.patch
}

/** What after-hooks are shown of a write. */
export function afterItem(schema: ObjectSchema, record: PlatformRecord, before: Row | null): HookItem {
  return { record, previous: before === null ? null : codecOf(schema).toRecord(before) }
}

/** Runs the after-hooks of one record. */
export async function afterOne(
  hooks: RecordHooks | undefined,
  ctx: RequestContext,
  schema: ObjectSchema,
  event: HookEvent,
  record: PlatformRecord,
  before: Row | null,
): Promise<void> {
  if (hooks === undefined || !hooks.listens(schema.name, 'after', event)) return
  await hooks.after(ctx, { object: schema.name, event, items: [afterItem(schema, record, before)] })
}

/** The hooks when some of them run before the event; undefined means no extra work. */
export function hooksBefore(hooks: RecordHooks | undefined, object: string, event: HookEvent): RecordHooks | undefined {
  return hooks?.listens(object, 'before', event) === true ? hooks : undefined
}
