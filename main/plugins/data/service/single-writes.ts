// Writes of one record: create, update, delete, restore, clone, transfer, and the look at a secret. What takes time or
// awaits (hooks, hashing) happens before the job; the job judges again what may have changed meanwhile.
import { platformError, validationError } from '#shared/errors.ts'
import type { RecordAction } from '#shared/route.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { declaredTypeOf } from '#shared/field-types/registry.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { SecretStore } from '#main/kernel/ports.ts'
import type { DataService, PlatformRecord } from '../api.ts'
import type { Row } from './codec.ts'
import { codecOf } from './codec.ts'
import { afterOne, beforeOne, changedRecord, draftOf, hooksBefore } from './hook-runs.ts'
import type { PrepareEnv } from './prepare.ts'
import { prepareCreate, prepareUpdate, trusting } from './prepare.ts'
import { requireOpen } from './schema-change/write-gate.ts'
import { sealValues } from './sealing.ts'
import type { WriteParts } from './write-parts.ts'
import {
  inScope,
  maxTries,
  requireDepth,
  requireRow,
  requireRowFor,
  requireRowVersion,
  requireTransfer,
  storedRecord,
  writeOne,
} from './write-parts.ts'
import type { Written } from './writer.ts'

/** The operations on single records that write. */
export type SingleWrites = Pick<
  DataService,
  'create' | 'update' | 'remove' | 'restore' | 'clone' | 'transfer' | 'reveal'
>

/** A job's word that the record changed while hooks ran; they must see it as it is now. */
const stale = Symbol('stale')

/** Makes the operations. */
export function createSingleWrites(parts: WriteParts): SingleWrites {
  const { writer, deletion } = parts

  const create = async (
    ctx: RequestContext,
    schema: ObjectSchema,
    data: Record<string, unknown>,
    given: PrepareEnv,
  ): Promise<Written> => {
    requireDepth(ctx)
    let env = given
    let values = data
    const hooks = hooksBefore(parts.hooks(), schema.name, 'insert')
    if (hooks !== undefined) {
      const item = { record: draftOf(schema, data, env), previous: null }
      const patch = await beforeOne(hooks, ctx, schema.name, 'insert', item)
      values = { ...data, ...patch }
      env = trusting(env, patch)
    }
    const sealing = sealValues(parts.secrets, schema, values, env, true)
    if (sealing !== undefined) env = { ...env, seals: await sealing }
    const prepared = prepareCreate(schema, values, env)
    const written = await writeOne(parts, 'data.create', ctx, schema, (tx) => writer.create(tx, ctx, schema, prepared))
    await afterOne(parts.hooks(), ctx, schema, 'insert', written.record, null)
    return written
  }

  /** One try of an update; answers `stale` when hooks have to look again. */
  const tryUpdate = async (
    ctx: RequestContext,
    schema: ObjectSchema,
    id: string,
    data: Record<string, unknown>,
    expected: string | undefined,
    given: PrepareEnv,
  ): Promise<Written | typeof stale> => {
    let env = given
    let values = data
    const asked = { id, action: 'edit' } as const
    const seen = requireRowFor(parts, parts.read, ctx, schema, asked)
    requireRowVersion(parts, ctx, schema, seen, expected)
    const hooks = hooksBefore(parts.hooks(), schema.name, 'update')
    if (hooks !== undefined) {
      const previous = codecOf(schema).toRecord(seen)
      const item = { record: changedRecord(schema, previous, data), previous }
      const patch = await beforeOne(hooks, ctx, schema.name, 'update', item)
      values = { ...data, ...patch }
      env = trusting(env, patch)
    }
    const sealing = sealValues(parts.secrets, schema, values, env, false)
    if (sealing !== undefined) env = { ...env, seals: await sealing }
    const prepared = prepareUpdate(schema, values, seen, env)
    return parts.write('data.update', (tx) => {
      // Before anything is read: columns it was prepared for may be gone.
      requireOpen(schema)
      const row = requireRowFor(parts, tx, ctx, schema, asked)
      const changed = row['updated_at'] !== seen['updated_at']
      // Somebody wrote in between: the change is judged again against the row as it is now.
      if (changed) requireRowVersion(parts, ctx, schema, row, expected)
      if (changed && hooks !== undefined) return stale
      const now = changed ? prepareUpdate(schema, values, row, env) : prepared
      if (env.trusted?.has('owner') !== true) requireTransfer(parts, tx, ctx, schema, row, now)
      return settled(parts, tx, ctx, schema, () => writer.update(tx, ctx, schema, row, now))
    })
  }

  const update: SingleWrites['update'] = async (ctx, { object, id, data, expectedVersion }) => {
    const schema = parts.schemaFor(ctx, object, 'edit')
    requireDepth(ctx)
    const env = parts.envFor(ctx, schema)
    for (let attempt = 0; attempt < maxTries; attempt += 1) {
      const written = await tryUpdate(ctx, schema, id, data, expectedVersion, env)
      if (written === stale) continue
      if (written.changed) await afterOne(parts.hooks(), ctx, schema, 'update', written.record, written.before)
      return storedRecord(parts, ctx, schema, written)
    }
    throw tooManyChanges(parts, ctx, schema, id)
  }

  /** Runs hooks of a delete or restore and then the job; the record must be the one the hooks saw. */
  const guarded = async <T>(
    ctx: RequestContext,
    schema: ObjectSchema,
    input: { id: string; action: RecordAction; expectedVersion?: string | undefined; deletedToo: boolean },
    event: 'delete' | 'restore',
    name: string,
    job: (
      tx: Parameters<Parameters<typeof parts.write>[1]>[0],
      row: Row,
      patch: Readonly<Record<string, unknown>>,
    ) => T,
  ): Promise<T> => {
    for (let attempt = 0; attempt < maxTries; attempt += 1) {
      let seen: Row | undefined
      let patch: Readonly<Record<string, unknown>> = {}
      const hooks = hooksBefore(parts.hooks(), schema.name, event)
      if (hooks !== undefined) {
        seen = requireRowFor(parts, parts.read, ctx, schema, input)
        requireRowVersion(parts, ctx, schema, seen, input.expectedVersion)
        const record = codecOf(schema).toRecord(seen)
        // A record that is in the trash already was deleted before; purging it is no second delete.
        if (event === 'restore' || seen['deleted_at'] === null)
          patch = await beforeOne(hooks, ctx, schema.name, event, { record, previous: record })
      }
      const done = await parts.write(
        name,
        (tx): { value: T } | typeof stale => {
          requireOpen(schema)
          const row = requireRowFor(parts, tx, ctx, schema, input)
          requireRowVersion(parts, ctx, schema, row, input.expectedVersion)
          if (seen !== undefined && row['updated_at'] !== seen['updated_at']) return stale
          return { value: job(tx, row, patch) }
        },
        { whenFull: event === 'delete' },
      )
      if (done !== stale) return done.value
    }
    throw tooManyChanges(parts, ctx, schema, input.id)
  }

  return {
    async create(ctx, { object, data }) {
      const schema = parts.schemaFor(ctx, object, 'create')
      return storedRecord(parts, ctx, schema, await create(ctx, schema, data, parts.envFor(ctx, schema)))
    },

    update,

    async remove(ctx, { object, id, expectedVersion, purge = false }) {
      const action = purge ? 'purge' : 'delete'
      const schema = parts.schemaFor(ctx, object, action)
      requireDepth(ctx)
      const input = { id, action, expectedVersion, deletedToo: purge } as const
      const done = await guarded(ctx, schema, input, 'delete', 'data.delete', (tx, row) => {
        const { value } = inScope(parts, tx, ctx, () => deletion.remove(tx, ctx, schema, row, purge))
        return { id: row['id'] as string, ...value, row }
      })
      const { row, warnings, ...result } = done
      if (row['deleted_at'] === null) {
        await afterOne(parts.hooks(), ctx, schema, 'delete', codecOf(schema).toRecord(row), row)
      }
      await deletion.settled(ctx)
      return { object: schema.name, ...result, ...(warnings.length === 0 ? {} : { warnings: [...warnings] }) }
    },

    async restore(ctx, { object, id, expectedVersion }) {
      const schema = parts.schemaFor(ctx, object, 'restore')
      requireDepth(ctx)
      const env = parts.envFor(ctx, schema)
      const input = { id, action: 'restore', expectedVersion, deletedToo: true } as const
      const written = await guarded(ctx, schema, input, 'restore', 'data.restore', (tx, row, patch) =>
        settled(parts, tx, ctx, schema, () => {
          const back = deletion.restore(tx, ctx, schema, row)
          if (Object.keys(patch).length === 0) return back
          const now = requireRow(tx, schema, back.id)
          const patched = writer.update(
            tx,
            ctx,
            schema,
            now,
            prepareUpdate(schema, { ...patch }, now, trusting(env, patch)),
          )
          return { ...patched, before: row }
        }),
      )
      await afterOne(parts.hooks(), ctx, schema, 'restore', written.record, written.before)
      return storedRecord(parts, ctx, schema, written)
    },

    async clone(ctx, { object, id, overrides = {} }) {
      parts.schemaFor(ctx, object, 'read')
      const schema = parts.schemaFor(ctx, object, 'create')
      const source = requireRowFor(parts, parts.read, ctx, schema, { id, action: 'read' })
      const copied = copyable(parts, ctx, schema, source)
      const env: PrepareEnv = { ...parts.envFor(ctx, schema), template: copied }
      const written = await create(ctx, schema, { ...copied, ...overrides }, env)
      return { ...storedRecord(parts, ctx, schema, written), sourceId: source['id'] as string }
    },

    async transfer(ctx, { object, id, owner, expectedVersion }) {
      parts.schemaFor(ctx, object, 'transfer')
      return update(ctx, { object, id, data: { owner }, expectedVersion })
    },

    async reveal(ctx, { object, id, field: name }) {
      parts.schemaFor(ctx, object, 'read')
      const schema = parts.schemaFor(ctx, object, 'edit')
      const env = parts.envFor(ctx, schema)
      const field = codecOf(schema).sealed.find((candidate) => candidate.name === name)
      if (field === undefined || declaredTypeOf(field).concealed !== 'encrypted' || env.canRead?.(name) === false) {
        const message = 'The object has no secret field of this name.'
        throw validationError([{ field: 'field', code: 'unknown_field', message, value: name }])
      }
      if (env.canEdit !== undefined && !env.canEdit(name)) throw platformError('permission_denied', { fields: [name] })
      const row = requireRowFor(parts, parts.read, ctx, schema, { id, action: 'edit' })
      const sealed = row[field.column]
      const value = typeof sealed === 'string' ? await openSealed(parts.secrets, sealed) : null
      const recordId = row['id'] as string
      // The event is stored before the text is told: nobody looks unseen.
      const tell = (tx: Tx): void => {
        requireRow(tx, schema, recordId)
        tx.emit(ctx, { type: 'record.secret_revealed', object: schema.name, recordId, payload: { field: name } })
      }
      await parts.write('data.reveal', tell, { whenFull: true })
      return { object: schema.name, id: recordId, field: name, value }
    },
  }
}

/** @throws service_unavailable when the store has lost the key: the data came from another machine */
async function openSealed(secrets: SecretStore, sealed: string): Promise<string> {
  try {
    return await secrets.open(sealed)
  } catch (error) {
    throw platformError('service_unavailable', { reason: 'secret_store' }, error)
  }
}

function settled(
  parts: WriteParts,
  tx: Parameters<Parameters<WriteParts['write']>[1]>[0],
  ctx: RequestContext,
  schema: ObjectSchema,
  fn: () => Written,
): Written {
  const { value, touched } = inScope(parts, tx, ctx, fn)
  if (!touched.has(`${schema.name}/${value.id}`)) return value
  return { ...value, record: parts.rules.toRecord(schema, requireRow(tx, schema, value.id)) }
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

function tooManyChanges(parts: WriteParts, ctx: RequestContext, schema: ObjectSchema, id: string): Error {
  const row = requireRow(parts.read, schema, id, true)
  const currentRecord = parts.access.shown(ctx, schema, codecOf(schema).toRecord(row))
  return platformError('CONCURRENT_UPDATE', { currentVersion: row['updated_at'], currentRecord })
}
