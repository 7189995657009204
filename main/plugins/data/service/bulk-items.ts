// The records of a bulk write: what happens to each before its transaction (references between items, hooks, sealing)
// and inside it. Used by the batch of one object and by the batch across objects.
import { PlatformError, platformError, validationError } from '#shared/errors.ts'
import type { FieldError } from '#shared/errors.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { BulkItem, BulkOperation, HookEvent, HookItem, PlatformRecord } from '../api.ts'
import { resolveReferences } from './batch-references.ts'
import type { BulkItems, ItemDone, ItemWrite } from './bulk.ts'
import { StaleItem } from './bulk.ts'
import type { Row } from './codec.ts'
import { codecOf } from './codec.ts'
import { afterItem, changedRecord, draftOf, patchOf } from './hook-runs.ts'
import type { PrepareEnv, Seals } from './prepare.ts'
import { prepareCreate, prepareUpdate, trusting } from './prepare.ts'
import { sealValues } from './sealing.ts'
import { findUpsertMatch } from './upsert.ts'
import type { WriteParts } from './write-parts.ts'
import { findRow, requireRow, requireRowFor, requireRowVersion, requireTransfer } from './write-parts.ts'

/** One record of a bulk write with its object and operation; or the reason why it cannot be written. */
export type BulkStep =
  | {
      readonly schema: ObjectSchema
      readonly operation: BulkOperation
      readonly item: BulkItem
      readonly env: PrepareEnv
      readonly purge: boolean
      /** See {@link BulkInput}. */
      readonly clearsSearch?: boolean
      /** See {@link BulkInput}. */
      readonly problems?: readonly FieldError[]
    }
  | { readonly failure: PlatformError; readonly item: BulkItem }

/** A step that can be tried. */
type Writable = Exclude<BulkStep, { readonly failure: PlatformError }>

/** What staging found out about a record. */
interface Staged {
  readonly item: BulkItem
  readonly failure?: PlatformError
  readonly seals?: Seals
  /** The row the hooks were shown, null for none; undefined when no hook ran. */
  readonly seen?: Row | null
  /** What the hooks set. */
  readonly patch?: Readonly<Record<string, unknown>>
}

/** How the records are written. */
export interface BulkItemsOptions {
  /** Whether values may be `{"$ref": index}`. */
  readonly references: boolean
}

/** Makes the records of a bulk write. */
export function createBulkItems(
  parts: WriteParts,
  ctx: RequestContext,
  steps: readonly BulkStep[],
  options: BulkItemsOptions,
): BulkItems {
  const hooks = parts.hooks()
  const staged = new Map<number, Staged>()
  /** Ids of records by index, as far as they are known. */
  const ids = new Map<number, string>()
  /** Ids given to records that an upsert of this batch will make, by what names them: a later one means the same. */
  const promised = new Map<string, string>()
  /** Records that others name. */
  const named = new Set<number>()
  /** Records this job has written already; hooks cannot have seen them as they are now. */
  let written = new Set<string>()
  let isLastTry = false

  const stageOne = (index: number): Staged => {
    const step = steps[index]!
    if ('failure' in step) return { item: step.item, failure: step.failure }
    let { item } = step
    try {
      if (options.references) {
        item = resolveReferences(item, index, (other) => {
          named.add(other)
          return ids.get(other)
        })
        const { id, isNew } = predictId(step, item)
        if (id !== undefined) ids.set(index, id)
        if (isNew) item = { ...item, data: { ...item.data, id } }
      }
      return { item }
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      return { item, failure: error }
    }
  }

  /** The id a record will have, and whether it has to be told to the create. */
  const predictId = (step: Writable, item: BulkItem): { id: string | undefined; isNew: boolean } => {
    const { operation, schema } = step
    const given = operation === 'create' ? (item.id ?? item.data?.['id']) : item.id
    if (typeof given === 'string') return { id: given.toLowerCase(), isNew: false }
    if (operation === 'update' || operation === 'delete') return { id: undefined, isNew: false }
    const match = operation === 'create' ? undefined : matchOf(parts.read, step, item).row
    if (match !== undefined) return { id: match['id'] as string, isNew: false }
    const key = JSON.stringify([schema.name, item.externalId ?? parts.ids.uuid()])
    const before = operation === 'create' ? undefined : promised.get(key)
    if (before !== undefined) return { id: before, isNew: false }
    const id = parts.ids.uuid()
    promised.set(key, id)
    return { id, isNew: true }
  }

  /** What the caller may not see matches nothing: the create that follows is refused for the taken value. */
  const matchOf = (read: Pick<Tx, 'all' | 'get'>, step: Writable, item: BulkItem) => {
    const match = findUpsertMatch(read, step.schema, item, step.env, {
      ...parts.queryEnv(),
      organizationId: ctx.organizationId,
    })
    const isHidden =
      match.row !== undefined &&
      parts.access.reach(read, ctx, step.schema, match.row['id'] as string, 'read') === 'none'
    return isHidden ? { ...match, row: undefined } : match
  }

  /** Runs the before-hooks of records, one call for each object and event. */
  const runHooks = async (from: number, to: number): Promise<void> => {
    const groups = new Map<
      string,
      { object: string; event: HookEvent; members: { index: number; item: HookItem; seen: Row | null }[] }
    >()
    for (let index = from; index < to; index += 1) {
      const step = steps[index]!
      if ('failure' in step || staged.get(index)!.failure !== undefined) continue
      const shown = showItem(step, staged.get(index)!.item)
      if (shown === undefined || hooks?.listens(step.schema.name, 'before', shown.event) !== true) continue
      const key = `${step.schema.name}/${shown.event}`
      const group = groups.get(key) ?? { object: step.schema.name, event: shown.event, members: [] }
      group.members.push({ index, item: shown.item, seen: shown.seen })
      groups.set(key, group)
    }
    for (const { object, event, members } of groups.values()) {
      const outcomes = await hooks!.before(ctx, { object, event, items: members.map(({ item }) => item) })
      members.forEach(({ index, seen }, at) => staged.set(index, afterHook(index, seen, outcomes[at])))
    }
  }

  const afterHook = (index: number, seen: Row | null, outcome: Parameters<typeof patchOf>[0]): Staged => {
    const before = staged.get(index)!
    try {
      const patch = patchOf(outcome)
      const { item } = before
      if (Object.keys(patch).length === 0) return { ...before, seen }
      return { ...before, seen, patch, item: { ...item, data: { ...item.data, ...patch } } }
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      return { ...before, seen, failure: error }
    }
  }

  const visibleRow = (schema: ObjectSchema, id: string): Row | undefined => {
    const row = findRow(parts.read, schema, id)
    const isHidden =
      row !== undefined && parts.access.reach(parts.read, ctx, schema, row['id'] as string, 'read') === 'none'
    return isHidden ? undefined : row
  }

  /** What a hook is shown of a record; undefined when the job will refuse it anyway. */
  const showItem = (
    step: Writable,
    item: BulkItem,
  ): { event: HookEvent; item: HookItem; seen: Row | null } | undefined => {
    const { schema, operation, env } = step
    const data = item.data ?? {}
    const row =
      operation === 'create'
        ? undefined
        : operation === 'upsert'
          ? attempt(() => matchOf(parts.read, step, item).row)
          : item.id === undefined
            ? undefined
            : visibleRow(schema, item.id)
    if (row === undefined) {
      if (operation !== 'create' && operation !== 'upsert') return undefined
      return { event: 'insert', item: { record: draftOf(schema, data, env), previous: null }, seen: null }
    }
    const previous = codecOf(schema).toRecord(row)
    if (operation === 'delete') {
      return row['deleted_at'] === null
        ? { event: 'delete', item: { record: previous, previous }, seen: row }
        : undefined
    }
    return { event: 'update', item: { record: changedRecord(schema, previous, data), previous }, seen: row }
  }

  const seal = async (from: number, to: number): Promise<void> => {
    const waiting: Promise<void>[] = []
    for (let index = from; index < to; index += 1) {
      const step = steps[index]!
      const before = staged.get(index)!
      if ('failure' in step || before.failure !== undefined || before.item.data === undefined) continue
      const sealing = sealValues(parts.secrets, step.schema, before.item.data, step.env, step.operation !== 'update')
      if (sealing !== undefined) waiting.push(sealing.then((seals) => void staged.set(index, { ...before, seals })))
    }
    await Promise.all(waiting)
  }

  /** Refuses a record that is no longer the one its hooks have seen. */
  const checkSeen = (schema: ObjectSchema, seen: Row | null | undefined, row: Row | undefined): void => {
    if (seen === undefined || seen?.['updated_at'] === row?.['updated_at']) return
    if (row !== undefined && written.has(`${schema.name}/${String(row['id'])}`)) return
    if (!isLastTry) throw new StaleItem()
    throw platformError('CONCURRENT_UPDATE', {
      currentVersion: row?.['updated_at'] ?? null,
      currentRecord: row === undefined ? null : parts.access.shown(ctx, schema, codecOf(schema).toRecord(row)),
    })
  }

  /** Items that name this one were given its id before it was written; another one means somebody else wrote first. */
  const checkPrediction = (index: number, done: ItemDone): void => {
    const predicted = ids.get(index)
    if (predicted === done.id || !named.has(index)) return
    if (!isLastTry) throw new StaleItem()
    throw platformError('CONCURRENT_UPDATE', {
      currentVersion: done.record['updated_at'],
      currentRecord: parts.access.shown(ctx, done.schema, done.record),
    })
  }

  const writeStep = (tx: Tx, index: number): ItemDone => {
    const step = steps[index]!
    const { item, seals, seen, failure, patch = {} } = staged.get(index) ?? { item: step.item }
    if ('failure' in step) throw step.failure
    if (failure !== undefined) throw failure
    const { schema, operation, purge, clearsSearch = false, problems } = step
    const env = trusting(seals === undefined ? step.env : { ...step.env, seals }, patch)
    const { writer, deletion } = parts
    if (operation === 'delete') {
      const asked = { id: requireItemId(item), action: purge ? 'purge' : 'delete', deletedToo: purge } as const
      const row = requireRowFor(parts, tx, ctx, schema, asked)
      requireRowVersion(parts, ctx, schema, row, item.expectedVersion)
      checkSeen(schema, seen, row)
      const warnings = deletion.remove({ tx, ctx, schema }, row, purge, clearsSearch)
      const record = codecOf(schema).toRecord(row)
      return {
        schema,
        id: row['id'] as string,
        operation,
        record,
        before: row,
        changed: row['deleted_at'] === null,
        warnings,
      }
    }
    const data = requireItemData(item)
    if (operation === 'create') {
      const values = item.id === undefined ? data : { id: item.id, ...data }
      const prepared = withProblems(prepareCreate(schema, values, env), problems)
      return { schema, operation, ...writer.create({ tx, ctx, schema }, prepared) }
    }
    if (operation === 'update') {
      const row = requireRowFor(parts, tx, ctx, schema, { id: requireItemId(item), action: 'edit' })
      requireRowVersion(parts, ctx, schema, row, item.expectedVersion)
      checkSeen(schema, seen, row)
      return { schema, operation, ...writer.update({ tx, ctx, schema }, row, changeOf(tx, step, data, row, env)) }
    }
    const match = matchOf(tx, step, item)
    checkSeen(schema, seen, match.row)
    if (match.row === undefined) {
      const prepared = prepareCreate(schema, { ...match.values, ...data }, env)
      return { schema, operation: 'create', ...writer.create({ tx, ctx, schema }, prepared) }
    }
    let { row } = match
    parts.access.require(tx, ctx, schema, row['id'] as string, 'edit')
    requireRowVersion(parts, ctx, schema, row, item.expectedVersion)
    if (row['deleted_at'] !== null) {
      if (!parts.authorizer().canObject(ctx, schema.name, 'restore'))
        throw platformError('conflict', { reason: 'deleted' })
      parts.access.require(tx, ctx, schema, row['id'] as string, 'restore')
      deletion.restore({ tx, ctx, schema }, row)
      row = requireRow(tx, schema, row['id'] as string)
    }
    return {
      schema,
      operation: 'update',
      ...writer.update({ tx, ctx, schema }, row, changeOf(tx, step, data, row, env)),
    }
  }

  const changeOf = (tx: Tx, { schema, problems }: Writable, data: PlatformRecord, row: Row, env: PrepareEnv) => {
    const prepared = withProblems(prepareUpdate(schema, data, row, env), problems)
    if (env.trusted?.has('owner') !== true) requireTransfer(parts, tx, ctx, schema, row, prepared)
    return prepared
  }

  const needsSeals = steps.some((step) => !('failure' in step) && codecOf(step.schema).sealed.length > 0)
  const needsHooks = hooks !== undefined && steps.some((step) => !('failure' in step) && listensBefore(step))

  function listensBefore(step: Writable): boolean {
    return eventsOf[step.operation].some((event) => hooks!.listens(step.schema.name, 'before', event))
  }

  return {
    total: steps.length,
    idOf: (index) => (typeof steps[index]!.item.id === 'string' ? steps[index]!.item.id : undefined),
    stage(from, to, lastTry) {
      isLastTry = lastTry
      promised.clear()
      if (!options.references && !needsHooks && !needsSeals) return undefined
      for (let index = from; index < to; index += 1) staged.set(index, stageOne(index))
      if (!needsHooks && !needsSeals) return undefined
      return (async () => {
        if (needsHooks) await runHooks(from, to)
        if (needsSeals) await seal(from, to)
      })()
    },
    begin() {
      written = new Set()
    },
    write(index): ItemWrite {
      return (tx) => {
        const done = writeStep(tx, index)
        if (options.references) checkPrediction(index, done)
        written.add(`${done.schema.name}/${done.id}`)
        return done
      }
    },
    finish(done) {
      if (hooks === undefined) return undefined
      const groups = Map.groupBy(
        done.filter((item) => item.changed),
        (item) => `${item.schema.name}/${item.operation}`,
      )
      const heard = [...groups.values()].filter(([first]) => {
        return hooks.listens(first!.schema.name, 'after', afterEvents[first!.operation])
      })
      if (heard.length === 0) return undefined
      return (async () => {
        for (const group of heard) {
          const { schema, operation } = group[0]!
          const items = group.map((item) => afterItem(schema, item.record, item.before))
          await hooks.after(ctx, { object: schema.name, event: afterEvents[operation], items })
        }
      })()
    },
  }
}

const eventsOf: Readonly<Record<BulkOperation, readonly HookEvent[]>> = {
  create: ['insert'],
  update: ['update'],
  upsert: ['insert', 'update'],
  delete: ['delete'],
}

const afterEvents: Readonly<Record<ItemDone['operation'], HookEvent>> = {
  create: 'insert',
  update: 'update',
  delete: 'delete',
}

/** What was prepared, with what is known to be wrong. */
function withProblems<T extends { readonly problems: readonly FieldError[] }>(
  prepared: T,
  known: readonly FieldError[] | undefined,
): T {
  if (known === undefined) return prepared
  const top = ({ field }: FieldError): string => field.split('.', 1)[0]!
  const told = new Set(known.map(top))
  // Of a field that is known to be wrong, nothing else needs saying.
  return { ...prepared, problems: [...known, ...prepared.problems.filter((problem) => !told.has(top(problem)))] }
}

function attempt<T>(fn: () => T | undefined): T | undefined {
  try {
    return fn()
  } catch (error) {
    if (error instanceof PlatformError) return undefined
    throw error
  }
}

/** Refuses an item that lacks what its operation needs. @throws validation_error */
function requireItemId(item: BulkItem): string {
  if (typeof item.id === 'string') return item.id
  throw validationError([{ field: 'id', code: 'required', message: 'The id of the record is needed.' }])
}

/** The data of an item; a missing map is an error of the item. @throws validation_error */
function requireItemData(item: BulkItem): PlatformRecord {
  if (item.data !== undefined) return item.data
  throw validationError([{ field: 'data', code: 'required', message: 'The values of the record are needed.' }])
}
