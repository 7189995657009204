// What happens to each record of a write: before its job (ids in place of references, hooks, sealing), inside of it, and
// after it. One record and many, of one object or several, go the same way; write-jobs.ts decides what is one transaction.
import { PlatformError, platformError, validationError } from '#shared/errors.ts'
import type { FieldError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Steps, Tx } from '#main/kernel/database.ts'
import type { BulkItem, PlatformRecord } from '../api.ts'
import type { Row } from './codec.ts'
import type { Shown } from './hook-runs.ts'
import { listensBefore, runAfter, runBefore, shownTo } from './hook-runs.ts'
import type { PreparedCreate, PreparedUpdate, PrepareEnv } from './prepare.ts'
import { prepareCreate, prepareUpdate, trusting } from './prepare.ts'
import { requireOpen } from './schema-change/write-gate.ts'
import { sealValues } from './sealing.ts'
import type { Place } from './stored-rows.ts'
import type { UpsertMatch } from './upsert.ts'
import { findUpsertMatch } from './upsert.ts'
import type { WriteParts } from './write-parts.ts'
import {
  concurrentUpdate,
  findRow,
  requireRow,
  requireRowFor,
  requireRowVersion,
  requireUnlocked,
} from './write-parts.ts'
import type { ItemDone, OpenStep, WriteRun, WriteStep } from './write-run.ts'
import { rightOf, StaleItem } from './write-run.ts'
import type { Written } from './writer.ts'

/** The way of records through a write; one per host. */
export interface WriteSteps {
  /**
   * Does what takes time before the job of these records. Undefined when there is nothing to wait for.
   * @throws of a lone record, why it cannot be written
   */
  stage(run: WriteRun, from: number, to: number): Promise<void> | undefined
  /** Writes a record inside of its job. @throws why it cannot be written; {@link StaleItem} */
  write(run: WriteRun, tx: Tx, index: number): Steps<ItemDone>
  /** After COMMIT, with what was written: runs the after-hooks. */
  finish(run: WriteRun, done: readonly ItemDone[]): Promise<void> | undefined
}

/** Makes the way of records. */
export function createWriteSteps(parts: WriteParts): WriteSteps {
  const { writer, deletion, access } = parts

  /** What the caller may not see matches nothing: the create that follows is refused for the taken value. */
  const matchOf = (read: Pick<Tx, 'all' | 'get'>, ctx: RequestContext, step: OpenStep, item: BulkItem): UpsertMatch => {
    const env = { ...parts.queryEnv(), organizationId: ctx.organizationId }
    const match = findUpsertMatch(read, step.schema, item, step.env, env)
    const isHidden =
      match.row !== undefined && access.reach(read, ctx, step.schema, match.row['id'] as string, 'read') === 'none'
    return isHidden ? { ...match, row: undefined } : match
  }

  /** The row a record meets before its job, null for a new one; undefined when the job will refuse it anyway. */
  const lookAt = (run: WriteRun, step: OpenStep): Row | null | undefined => {
    const { schema, action } = step
    const { item } = step.found
    if (action === 'create') return null
    if (action === 'upsert') return attempt(() => matchOf(parts.read, run.ctx, step, item).row) ?? null
    if (run.isLone) return wantedRow(run, parts.read, step)
    const row = item.id === undefined ? undefined : findRow(parts.read, schema, item.id)
    return row === undefined || access.reach(parts.read, run.ctx, schema, row['id'] as string, 'read') === 'none'
      ? undefined
      : row
  }

  /** The row an item names, for its action and in the version it expects. */
  const wantedRow = (run: WriteRun, read: Pick<Tx, 'all' | 'get'>, { schema, action, found }: OpenStep): Row => {
    const { item } = found
    const asked = {
      id: requireItemId(item),
      action: rightOf[action],
      deletedToo: action === 'purge' || action === 'restore',
    }
    const row = requireRowFor(parts, read, run.ctx, schema, asked)
    requireUnlocked(parts, read, run.ctx, schema, row)
    requireRowVersion(parts, run.ctx, schema, row, item.expectedVersion)
    return row
  }

  const seal = (run: WriteRun, from: number, to: number): Promise<unknown> | undefined => {
    let waiting: Promise<void>[] | undefined
    for (let index = from; index < to; index += 1) {
      const step = run.steps[index]!
      if ('refusal' in step || step.found.failure !== undefined || step.found.item.data === undefined) continue
      const { schema, env, action, found } = step
      const isNew = action === 'create' || action === 'upsert'
      const sealing = sealValues(parts.secrets, schema, found.item.data!, env, isNew)
      if (sealing !== undefined) (waiting ??= []).push(sealing.then((seals) => void (found.seals = seals)))
    }
    return waiting === undefined ? undefined : Promise.all(waiting)
  }

  /** Prepares a lone record before its job, so that it is refused without waiting for one. */
  const prepareEarly = (run: WriteRun, row: Row | null | undefined): void => {
    const [step] = run.steps
    if (!run.isLone || step === undefined || 'refusal' in step) return
    if (step.action === 'create') step.found.created = prepareNew(step, createdData(step.found.item))
    else if (step.action === 'update' && row) step.found.changed = { row, prepared: prepareChange(step, row) }
  }

  const envOf = ({ env, along, found: { seals, patch } }: OpenStep): PrepareEnv => {
    const sealed = seals === undefined ? env : { ...env, seals }
    const trusted = patch === undefined ? sealed : trusting(sealed, patch)
    return along?.sets === undefined ? trusted : { ...trusted, ordered: new Set(Object.keys(along.sets)) }
  }

  const prepareNew = (step: OpenStep, data: PlatformRecord): PreparedCreate =>
    withProblems(prepareCreate(step.schema, data, envOf(step)), step.problems)

  const prepareChange = (step: OpenStep, row: Row): PreparedUpdate =>
    withProblems(prepareUpdate(step.schema, requireItemData(step.found.item), row, envOf(step)), step.problems)

  /** Refuses a record that is no longer the one its hooks have seen. */
  const checkSeen = (run: WriteRun, { schema, found: { seen } }: OpenStep, row: Row | undefined): void => {
    if (seen === undefined || seen?.['updated_at'] === row?.['updated_at']) return
    if (row !== undefined && run.written?.has(`${schema.name}/${String(row['id'])}`) === true) return
    if (!run.isLastTry) throw new StaleItem()
    throw concurrentUpdate(parts, run.ctx, schema, row)
  }

  const create = (at: Place, step: OpenStep): Written =>
    writer.create(at, step.found.created ?? prepareNew(step, createdData(step.found.item)))

  const update = (at: Place, step: OpenStep, row: Row): Written => {
    const { changed } = step.found
    // Somebody wrote in between: the change is judged again against the row as it is now.
    const isSame = changed?.row['updated_at'] === row['updated_at']
    const prepared = changed !== undefined && isSame ? changed.prepared : prepareChange(step, row)
    // A change of the owner is a transfer (D-45).
    const isTransfer = prepared.owner !== undefined && prepared.owner !== row['owner']
    const isTrusted = step.found.patch !== undefined && Object.hasOwn(step.found.patch, 'owner')
    if (isTransfer && !isTrusted) access.require(at.tx, at.ctx, at.schema, row['id'] as string, 'transfer')
    return writer.update(at, row, prepared)
  }

  const upsert = function* (run: WriteRun, at: Place, step: OpenStep): Steps<ItemDone> {
    const { tx, ctx, schema } = at
    const { item } = step.found
    const data = requireItemData(item)
    const match = matchOf(tx, ctx, step, item)
    checkSeen(run, step, match.row)
    if (match.row === undefined) {
      const prepared = prepareNew(step, { ...match.values, ...data })
      return { schema, operation: 'create', written: writer.create(at, prepared) }
    }
    let { row } = match
    const id = row['id'] as string
    access.require(tx, ctx, schema, id, 'edit')
    requireUnlocked(parts, tx, ctx, schema, row)
    requireRowVersion(parts, ctx, schema, row, item.expectedVersion)
    if (row['deleted_at'] !== null) {
      if (!parts.authorizer().canObject(ctx, schema.name, 'restore'))
        throw platformError('conflict', { reason: 'deleted' })
      access.require(tx, ctx, schema, id, 'restore')
      yield* deletion.restore(at, row)
      row = requireRow(tx, schema, id)
    }
    return { schema, operation: 'update', written: update(at, step, row) }
  }

  /** Brings a record back from the trash; what hooks set is a change of its own. */
  const restore = function* (at: Place, step: OpenStep, row: Row): Steps<Written> {
    const back = yield* deletion.restore(at, row)
    const { patch } = step.found
    if (patch === undefined) return back
    const now = requireRow(at.tx, at.schema, back.id)
    const prepared = prepareUpdate(at.schema, { ...patch }, now, envOf(step))
    return { ...writer.update(at, now, prepared), before: row, changed: true }
  }

  const writeStep = function* (run: WriteRun, tx: Tx, step: WriteStep): Steps<ItemDone> {
    if ('refusal' in step) throw step.refusal
    const { schema, action, clearsSearch, found } = step
    if (found.failure !== undefined) throw found.failure
    // Before anything is read: columns it was prepared for may be gone.
    requireOpen(schema)
    const { along } = step
    const at: Place = { tx, ctx: run.ctx, schema, move: along?.move }
    if (action === 'create') return { schema, operation: 'create', written: create(at, step) }
    if (action === 'upsert') return yield* upsert(run, at, step)
    if (action === 'update') requireItemData(found.item)
    const row = wantedRow(run, tx, step)
    checkSeen(run, step, row)
    const previous = along === undefined ? undefined : parts.rules.toRecord(schema, row)
    if (previous !== undefined) along!.before?.(tx, previous)
    const isGoing = action !== 'update' && action !== 'restore'
    const written = isGoing
      ? yield* deletion.remove(at, row, action === 'purge', clearsSearch)
      : action === 'restore'
        ? yield* restore(at, step, row)
        : update(at, step, row)
    if (previous !== undefined) along!.after?.(tx, written.record, previous)
    return { schema, operation: isGoing ? 'delete' : action, written }
  }

  return {
    stage(run, from, to) {
      const hooks = parts.hooks()
      let shown: Shown[] | undefined
      let row: Row | null | undefined
      run.links?.begin()
      for (let index = from; index < to; index += 1) {
        const step = run.steps[index]!
        if ('refusal' in step) continue
        step.found = begun(step)
        try {
          if (run.links !== undefined)
            step.found.item = run.links.resolve(index, step, (item) => matchOf(parts.read, run.ctx, step, item).row)
          const isHeard = hooks !== undefined && listensBefore(hooks, step)
          if (!isHeard && !(run.isLone && step.action === 'update')) continue
          row = lookAt(run, step)
          const item = isHeard && row !== undefined ? shownTo(hooks, step, row) : undefined
          if (item !== undefined) (shown ??= []).push(item)
        } catch (error) {
          if (!(error instanceof PlatformError) || run.isLone) throw error
          step.found.failure = error
        }
      }
      const hooked = shown === undefined ? undefined : runBefore(hooks!, run, shown)
      const sealed = hooked === undefined ? seal(run, from, to) : hooked.then(() => seal(run, from, to))
      if (sealed !== undefined) return sealed.then(() => prepareEarly(run, row))
      prepareEarly(run, row)
      return undefined
    },
    *write(run, tx, index) {
      const done = yield* writeStep(run, tx, run.steps[index]!)
      run.links?.check(run, index, done)
      if (!run.isLone) (run.written ??= new Set()).add(`${done.schema.name}/${done.written.id}`)
      return done
    },
    finish: ({ ctx }, done) => runAfter(parts.hooks(), ctx, done),
  }
}

/** What is known of a record before anybody looked at it; what others set for the caller stands like what hooks set. */
function begun({ asked, along }: OpenStep): OpenStep['found'] {
  const sets = along?.sets
  return sets === undefined ? { item: asked } : { item: { ...asked, data: { ...asked.data, ...sets } }, patch: sets }
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

/** Refuses an item that lacks what its action needs. @throws validation_error */
function requireItemId(item: BulkItem): string {
  if (typeof item.id === 'string') return item.id
  throw validationError([{ field: 'id', code: 'required', message: 'The id of the record is needed.' }])
}

/** The data of an item; a missing map is an error of the item. @throws validation_error */
function requireItemData(item: BulkItem): PlatformRecord {
  if (item.data !== undefined) return item.data
  throw validationError([{ field: 'data', code: 'required', message: 'The values of the record are needed.' }])
}

/** The data of a new record; its id may stand beside it. */
function createdData(item: BulkItem): PlatformRecord {
  const data = requireItemData(item)
  return item.id === undefined ? data : { id: item.id, ...data }
}
