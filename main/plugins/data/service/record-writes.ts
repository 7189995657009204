// The names of the ways through the door of records: rights, gates and sizes are checked here, before anything is looked
// at. A single write is a write of one; what happens to records is said once, in write-steps.ts.
import { PlatformError, validationError } from '#shared/errors.ts'
import type { FieldError } from '#shared/errors.ts'
import { requireApiMethods } from '#shared/object-api.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { requireObjectAction } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type {
  Answered,
  BulkItem,
  BulkOptions,
  BulkResult,
  ChangeAlong,
  CreatedMany,
  DataService,
  PlatformRecord,
  StoredRecord,
  WriteAction,
  WriteItem,
} from '../api.ts'
import { createItemLinks } from './batch-references.ts'
import type { Row } from './codec.ts'
import { codecOf } from './codec.ts'
import type { PrepareEnv } from './prepare.ts'
import type { ManyRun } from './write-jobs.ts'
import { createWriteJobs } from './write-jobs.ts'
import type { WriteParts } from './write-parts.ts'
import { requireDepth, requireRowFor } from './write-parts.ts'
import type { OpenStep, WriteStep } from './write-run.ts'
import { rightOf, stepOf } from './write-run.ts'
import { createWriteSteps } from './write-steps.ts'
import type { Written } from './writer.ts'

/** The operations that write records made here. */
export type RecordWrites = Pick<
  DataService,
  'write' | 'create' | 'update' | 'remove' | 'restore' | 'clone' | 'transfer' | 'bulk' | 'createMany'
>

/** Makes the operations. */
export function createRecordWrites(parts: WriteParts): RecordWrites {
  const { access } = parts
  const jobs = createWriteJobs(parts, createWriteSteps(parts))

  /** @throws resource_not_found, permission_denied */
  const openFor = (ctx: RequestContext, action: WriteAction, object: string): ObjectSchema => {
    const schema = parts.schemaFor(ctx, object, rightOf[action])
    if (action === 'upsert') requireObjectAction(parts.authorizer(), ctx, object, 'create')
    return schema
  }

  /** The step of a lone record. */
  const open = (
    ctx: RequestContext,
    action: WriteAction,
    object: string,
    asked: BulkItem,
    along?: ChangeAlong,
  ): OpenStep => {
    const schema = openFor(ctx, action, object)
    requireDepth(ctx)
    return stepOf(action, schema, parts.envFor(ctx, schema), asked, { along })
  }

  /** Writes a lone record and answers it with the fields the caller may read. */
  const stored = async (
    ctx: RequestContext,
    step: OpenStep,
    answered: Answered<StoredRecord>,
  ): Promise<StoredRecord> => {
    const answerOf = ({ id, record, warnings }: Written): StoredRecord => {
      return { object: step.schema.name, id, record: access.shown(ctx, step.schema, record), ...told(warnings) }
    }
    return answerOf(await jobs.one(ctx, step, answered && ((tx, written) => answered(tx, answerOf(written)))))
  }

  /** Writes many records; answers when nothing of what was purged is left in a search index either. */
  const many = async (
    ctx: RequestContext,
    steps: readonly WriteStep[],
    run: Pick<ManyRun, 'operation' | 'options' | 'links' | 'alongside' | 'answered' | 'before'>,
  ): Promise<BulkResult> => {
    const { validateOnly } = run.options
    // Hooks are told when nothing is to stay.
    const tried = validateOnly ? { ...ctx, validateOnly } : ctx
    const result = await jobs.many({ ...run, ctx: tried, steps, isLone: false, isLastTry: false, written: undefined })
    await parts.rows.settled(ctx)
    return result
  }

  /** The step of an item among others of other objects: what is wrong with it at the door is its own failure. */
  const stepAmong = (ctx: RequestContext, envs: Map<ObjectSchema, PrepareEnv>, given: WriteItem): WriteStep => {
    const { object, action, ...item } = given
    // References to other items are replaced before anybody looks at the id.
    const asked = item as BulkItem
    try {
      const schema = openFor(ctx, action, object)
      requireApiMethods(schema, 'bulk', action)
      const env = envs.get(schema) ?? parts.envFor(ctx, schema)
      envs.set(schema, env)
      return stepOf(action, schema, env, asked)
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      return { asked, refusal: error }
    }
  }

  const bulk: RecordWrites['bulk'] = async (ctx, input, answered) => {
    const { object, operation, records, options, maxRecords, purge = false, listName = 'records' } = input
    const action = purge ? 'purge' : operation
    const schema = openFor(ctx, action, object)
    requireDepth(ctx)
    const ids = records.map(({ id, data }) => id ?? (operation === 'create' ? givenId(data) : undefined))
    requireSize(listName, ids, maxRecords ?? parts.maxBatchRecords())
    const { problems, clearsSearch, alongside, newOptions } = input
    const common = parts.envFor(ctx, schema)
    const env = newOptions === undefined ? common : { ...common, newOptions }
    const steps = records.map((item, index) =>
      stepOf(action, schema, env, item, { problems: problems?.get(index), clearsSearch }),
    )
    return many(ctx, steps, { operation, options, alongside, answered })
  }

  return {
    create: async (ctx, { object, data }, answered) => stored(ctx, open(ctx, 'create', object, { data }), answered),

    update: async (ctx, { object, ...item }, along, answered) =>
      stored(ctx, open(ctx, 'update', object, item, along), answered),

    restore: async (ctx, { object, ...item }, answered, along) =>
      stored(ctx, open(ctx, 'restore', object, item, along), answered),

    async remove(ctx, { object, purge = false, ...item }, along) {
      const step = open(ctx, purge ? 'purge' : 'delete', object, item, along)
      const { id, warnings } = await jobs.one(ctx, step)
      await parts.rows.settled(ctx)
      const { name, enable } = step.schema
      return { object: name, id, purged: purge || !enable.trash, ...told(warnings) }
    },

    async clone(ctx, { object, id, overrides }, answered) {
      parts.schemaFor(ctx, object, 'read')
      const { action, schema, env } = open(ctx, 'create', object, {})
      const source = requireRowFor(parts, parts.read, ctx, schema, { id, action: 'read' })
      const template = copyable(parts, ctx, schema, source)
      const step = stepOf(action, schema, { ...env, template }, { data: { ...template, ...overrides } })
      const named = (made: StoredRecord) => ({ ...made, sourceId: source['id'] as string })
      return named(await stored(ctx, step, answered && ((tx, made) => answered(tx, named(made)))))
    },

    async transfer(ctx, { object, owner, ...item }, answered) {
      parts.schemaFor(ctx, object, 'transfer')
      return stored(ctx, open(ctx, 'update', object, { ...item, data: { owner } }), answered)
    },

    async write(ctx, items, options, answered, before) {
      requireDepth(ctx)
      // A record may be named again by later items: they are done in the order of the request.
      const ids = items.map(() => undefined)
      requireSize('operations', ids, parts.maxBatchRecords())
      const envs = new Map<ObjectSchema, PrepareEnv>()
      const steps = items.map((item) => stepAmong(ctx, envs, item))
      return many(ctx, steps, { operation: undefined, options, links: createItemLinks(parts), answered, before })
    },

    bulk,

    async createMany(ctx, { object, records }, answered) {
      const items = records.map((data) => ({ data }))
      const result = await bulk(
        ctx,
        { object, operation: 'create', records: items, options: allOrNothing },
        answered && ((tx, made) => answered(tx, createdMany(made))),
      )
      if (!result.success) throw refusalOf(result)
      return createdMany(result)
    },
  }
}

const allOrNothing: BulkOptions = { atomic: true, returnRecords: true, continueOnError: true, validateOnly: false }

/** The first failing record's error, details {index, fieldErrors, failures} (D-65). */
function refusalOf({ results }: BulkResult): PlatformError {
  const failures = results.flatMap(({ index, errors = [] }) =>
    errors.map(({ code, details }) => ({
      index,
      code,
      fieldErrors: (details['fieldErrors'] as FieldError[] | undefined) ?? [],
    })),
  )
  const first = results.find(({ errors }) => errors !== undefined)!
  const { code, details, ...definition } = first.errors![0]!
  const told = { index: first.index, fieldErrors: failures[0]!.fieldErrors, failures: failures.slice(0, 100) }
  return new PlatformError(code, definition, { ...details, ...told })
}

function createdMany({ results }: BulkResult): CreatedMany {
  return {
    records: results.map(({ record }) => record!),
    warnings: results.flatMap(({ index, warnings = [] }) => warnings.map((warning) => ({ index, ...warning }))),
  }
}

function told(warnings: Written['warnings']): Pick<StoredRecord, 'warnings'> {
  return warnings.length === 0 ? {} : { warnings: [...warnings] }
}

function givenId(data: Record<string, unknown> | undefined): string | undefined {
  return typeof data?.['id'] === 'string' ? data['id'] : undefined
}

/** Values a clone takes over: what the caller may read and set, but nothing computed, unique or concealed (D-67). */
function copyable(parts: WriteParts, ctx: RequestContext, schema: ObjectSchema, source: Row): PlatformRecord {
  const authorizer = parts.authorizer()
  const free = authorizer.isUnrestricted(ctx)
  const may = (field: string): boolean =>
    free ||
    (authorizer.canField(ctx, schema.name, field, 'readable') &&
      authorizer.canField(ctx, schema.name, field, 'editable'))
  const codec = codecOf(schema)
  const unique = new Set(
    schema.indexes.filter((index) => index.unique && index.fields.length === 1).flatMap((index) => index.fields),
  )
  const fields = schema.fields.filter(
    (field) =>
      !field.computed && !field.unique && !unique.has(field.name) && !codec.sealed.includes(field) && may(field.name),
  )
  return Object.fromEntries(fields.map((field) => [field.name, codec.value(source, field)]))
}

/**
 * Refuses an empty or too large request, and ids named twice.
 * @throws validation_error
 */
function requireSize(parameter: string, ids: readonly (string | undefined)[], limit: number): void {
  const received = ids.length
  if (received === 0) {
    const message = 'At least one record is needed.'
    throw validationError([{ field: parameter, code: 'min_items', message, constraint: 1 }])
  }
  if (received > limit) {
    const message = `At most ${limit} records fit in one request.`
    throw validationError([{ field: parameter, code: 'max_items', message, constraint: limit }], { limit, received })
  }
  const seen = new Set<string>()
  const doubles = ids.flatMap((id, index): FieldError[] => {
    if (id === undefined) return []
    const isNew = !seen.has(id.toLowerCase())
    seen.add(id.toLowerCase())
    const message = 'The id is named twice in the request.'
    return isNew ? [] : [{ field: `${parameter}.${index}`, code: 'duplicate_value', message, value: id }]
  })
  if (doubles.length > 0) throw validationError(doubles)
}
