// Conflicts as people meet them: lists, one, a decision, many decisions, and opening one again. Also ends what an
// ordinary edit has settled. Knows no HTTP.
import type { z } from 'zod'
import type { syncConflictRoutes } from '#shared/contracts/sync-conflicts.ts'
import { PlatformError, errorObject, platformError, validationError } from '#shared/errors.ts'
import type { ErrorObject } from '#shared/errors.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { PlatformRecord } from '#main/plugins/data/api.ts'
import { syncError } from '../errors.ts'
import type { ConflictCursor, ConflictFilter } from './conflict-list.ts'
import { checkedLimit, conflictsAfter, countConflicts, readCursor, writeCursor } from './conflict-list.ts'
import type { ConflictEngine, ConflictParts } from './conflict-parts.ts'
import type { Conflict, ConflictRow, ConflictSide, Resolution } from './conflict-store.ts'
import {
  conflictOf,
  openOfRecord,
  readConflict,
  removeConflicts,
  reopenConflict,
  settleConflict,
} from './conflict-store.ts'
import type { ConflictView, SeenConflict, SeenItem, ShownConflict } from './conflict-view.ts'
import { createConflictView } from './conflict-view.ts'
import { decideItem, requireItems, seesItems } from './item-conflicts.ts'
import type { Decision } from './resolve-conflict.ts'
import { createDecisions } from './resolve-conflict.ts'

/** What a list may ask for. */
export type ConflictQuery = z.output<NonNullable<typeof syncConflictRoutes.listConflicts.query>>

/** How several conflicts are decided at once. */
export type ManyChoice = z.output<NonNullable<typeof syncConflictRoutes.resolveConflicts.body>>['choice']

/** A page of conflicts. */
export interface ConflictPage {
  readonly conflicts: ShownConflict[]
  readonly total: number
  readonly hasMore: boolean
  readonly nextCursor?: string
}

/** The service of conflicts. */
export interface ConflictService {
  /** @throws sync_disabled, validation_error */
  list(ctx: RequestContext, query: ConflictQuery): Promise<ConflictPage>
  /** @throws sync_disabled, sync_conflict_not_found */
  get(ctx: RequestContext, id: string): Promise<{ conflict: ShownConflict; record: PlatformRecord | null }>
  /** How many open conflicts of a record the caller sees; `object` is its uid. */
  countOpen(ctx: RequestContext, place: { readonly object: string; readonly recordId: string }): number
  /** @throws sync_disabled, sync_conflict_not_found, permission_denied, CONCURRENT_UPDATE, conflict, validation_error */
  resolve(
    ctx: RequestContext,
    id: string,
    decision: Decision,
  ): Promise<{ conflict: ShownConflict; record: PlatformRecord | null }>
  /** Decides one after the other; what fails leaves the others alone. @throws sync_disabled */
  resolveMany(
    ctx: RequestContext,
    ids: readonly string[],
    choice: ManyChoice,
  ): Promise<{ resolved: string[]; failed: { id: string; error: ErrorObject }[] }>
  /** @throws sync_disabled, sync_conflict_not_found, permission_denied, invalid_state_transition */
  reopen(ctx: RequestContext, id: string): Promise<ShownConflict>
}

/** A conflict can be opened again for this long. @source sync.md section 17 */
const reopenMs = 90 * 86_400_000
const sliceSize = 200

/** Makes the service. */
export function createConflictService(parts: ConflictParts): ConflictService {
  const { read, write, clock, data } = parts
  const engine = (): ConflictEngine => {
    const on = parts.engine()
    if (on === null) throw syncError('sync_disabled')
    return on
  }
  const decisions = createDecisions(parts, engine)

  const require = (view: ConflictView, id: string): SeenConflict | SeenItem => {
    const conflict = readConflict(read, id)
    const seen = conflict === undefined ? null : view.see(conflict)
    if (seen === null) throw syncError('sync_conflict_not_found', { id })
    return seen
  }

  /** Everything the caller sees of a filter, at the cost of a look at each record. */
  const seenOf = async (view: ConflictView, filter: ConflictFilter): Promise<(SeenConflict | SeenItem)[]> => {
    const found: (SeenConflict | SeenItem)[] = []
    const slices = read.slices<ConflictRow>((last) =>
      conflictsAfter(filter, last === null ? null : { foundAt: last.found_at, id: last.id }, sliceSize),
    )
    for await (const slice of slices) {
      for (const row of slice) {
        const seen = view.see(conflictOf(row))
        if (seen !== null) found.push(seen)
      }
    }
    return found
  }

  const filterOf = (ctx: RequestContext, query: ConflictQuery): ConflictFilter => {
    const { state = 'open', kind, object, recordId } = query
    const objects = parts.metadata
      .objectSchemas()
      .filter(({ name }) => object === undefined || name === object)
      .map(({ uid }) => uid)
    const isOfAll = object === undefined && recordId === undefined
    // Conflicts of metadata are about no object's records.
    const items = isOfAll && seesItems(parts, ctx) ? [''] : []
    return { state, kind, recordId: recordId?.toLowerCase(), objects: [...objects, ...items] }
  }

  const resolve: ConflictService['resolve'] = async (ctx, id, decision) => {
    engine()
    const view = createConflictView(parts, ctx)
    const seen = require(view, id)
    if ('document' in seen) {
      await decideItem(parts, engine(), ctx, seen.conflict, decision)
      return { conflict: view.show({ ...seen, conflict: readConflict(read, id) ?? seen.conflict }), record: null }
    }
    const record = await decisions.decide(ctx, view, seen, decision)
    const ended = readConflict(read, id) ?? seen.conflict
    return { conflict: view.show({ ...seen, conflict: ended }), record }
  }

  return {
    async list(ctx, query) {
      engine()
      const limit = checkedLimit(query.limit)
      const after = query.cursor === undefined ? null : cursorOf(query.cursor)
      const filter = filterOf(ctx, query)
      const view = createConflictView(parts, ctx)
      const isFree = parts.authorizer().isUnrestricted(ctx)
      const all = isFree ? null : await seenOf(view, filter)
      const rest =
        all === null
          ? read.all(conflictsAfter(filter, after, limit + 1)).flatMap((row) => view.see(conflictOf(row)) ?? [])
          : all.filter(({ conflict }) => after === null || isAfter(conflict, after))
      const page = rest.slice(0, limit)
      const hasMore = rest.length > limit
      const last = page.at(-1)?.conflict
      return {
        conflicts: page.map((seen) => view.show(seen)),
        total: all === null ? countConflicts(read, filter) : all.length,
        hasMore,
        ...(hasMore && last !== undefined ? { nextCursor: writeCursor(last.foundAt, last.id) } : {}),
      }
    },
    async get(ctx, id) {
      engine()
      const view = createConflictView(parts, ctx)
      const seen = require(view, id)
      const conflict = view.show(seen)
      if ('document' in seen || !isOffered(seen.schema)) return { conflict, record: null }
      return { conflict, record: await decisions.recordOf(ctx, seen) }
    },
    countOpen(ctx, { object, recordId }) {
      const open = openOfRecord(read, { object, recordId: recordId.toLowerCase() })
      if (open.length === 0) return 0
      const view = createConflictView(parts, ctx)
      return open.filter((conflict) => view.see(conflict) !== null).length
    },
    resolve,
    async resolveMany(ctx, ids, choice) {
      const { device } = engine()
      const resolved: string[] = []
      const failed: { id: string; error: ErrorObject }[] = []
      for (const id of new Set(ids)) {
        try {
          const { conflict } = require(createConflictView(parts, ctx), id)
          await resolve(ctx, id, decisionOf(conflict, choice, device))
          resolved.push(id)
        } catch (error) {
          if (!(error instanceof PlatformError)) throw error
          failed.push({ id, error: errorObject(error, ctx.requestId) })
        }
      }
      return { resolved, failed }
    },
    async reopen(ctx, id) {
      engine()
      const view = createConflictView(parts, ctx)
      const seen = require(view, id)
      const { conflict } = seen
      if ('document' in seen) requireItems(parts, ctx)
      else {
        const place = { object: seen.schema.name, id: conflict.recordId }
        data.requireRecord(ctx, { ...place, action: 'edit', deletedToo: true })
      }
      const { state, resolvedAt } = conflict
      const isOver = resolvedAt !== null && clock.now() - Date.parse(resolvedAt) > reopenMs
      if (state === 'open' || isOver)
        throw platformError('invalid_state_transition', { state, reason: isOver ? 'too_late' : 'open' })
      await write('sync.reopen', (tx) => reopenConflict(tx, id))
      return view.show({ ...seen, conflict: readConflict(read, id)! })
    },
  }
}

/** Ends what an ordinary write of a record settles: whoever edits the field of a conflict has decided it. */
export function followRecords(
  host: Pick<PluginHost, 'on' | 'clock'>,
  metadata: ConflictParts['metadata'],
  isOn: () => boolean,
): void {
  const settle = (
    choice: Resolution['choice'],
    isSettled: (conflict: Conflict, changed: ReadonlySet<string>) => boolean,
  ) =>
    ((event, tx) => {
      // What comes from peers is judged by what the merged document shows.
      const schema = metadata.objectSchema(event.object ?? '')
      if (schema === undefined || event.recordId === undefined || event.source === 'sync' || !isOn()) return
      const { changes = {} } = event.payload as { changes?: Readonly<Record<string, unknown>> }
      const changed = new Set(Object.keys(changes).map((name) => schema.byName.get(name)?.uid ?? name))
      for (const conflict of openOfRecord(tx, { object: schema.uid, recordId: event.recordId })) {
        if (isSettled(conflict, changed))
          settleConflict(tx, conflict.id, { choice, by: event.actor.id, at: host.clock.iso() })
      }
    }) satisfies Parameters<PluginHost['on']>[1]

  // A write that passed the rules leaves nothing broken.
  host.on(
    'record.updated',
    settle('edit', ({ kind, field }, changed) => changed.has(field) || kind === 'validation'),
  )
  host.on(
    'record.restored',
    settle('restore', ({ kind }) => kind === 'delete_edit'),
  )
  host.on(
    'record.deleted',
    settle('delete', ({ kind }) => kind === 'orphan' || kind === 'unique'),
  )
  // Also while sync is off: nothing of a record that is removed for good stays.
  host.on('record.purged', ({ object, recordId }, tx) => {
    const uid = metadata.objectSchema(object ?? '')?.uid
    if (uid !== undefined && recordId !== undefined) removeConflicts(tx, { object: uid, recordId })
  })
}

/**
 * What a word for many conflicts means for one of them.
 * @throws validation_error where no side is meant, or the kind needs a decision of its own
 */
function decisionOf({ kind, winner, losers }: Conflict, choice: ManyChoice, device: string): Decision {
  const sides = [winner, ...losers]
  const chosen = sideOf(sides, choice, device)
  const isDecidable = kind === 'field' || kind === 'text' || kind === 'fork' || kind === 'delete_edit'
  if (!isDecidable || chosen < 0) {
    const message = isDecidable
      ? 'No side of the conflict is meant by that.'
      : 'The conflict needs a decision of its own.'
    throw validationError([{ field: 'choice', code: 'not_allowed', message, value: choice }])
  }
  if (kind === 'delete_edit') return { choice: sides[chosen]!.value === null ? 'delete' : 'restore' }
  return chosen === 0 ? { choice: 'winner' } : { choice: 'loser', loser: chosen - 1 }
}

function sideOf(sides: readonly ConflictSide[], choice: ManyChoice, device: string): number {
  if (choice === 'mine') return sides.findIndex((side) => side.device === device)
  if (choice === 'theirs') return sides.findIndex((side) => side.device !== device)
  return sides.reduce((newest, { at }, i) => (at > sides[newest]!.at ? i : newest), 0)
}

/** Whether the API of an object offers its records at all (D-71). */
function isOffered({ enable: { apiEnabled, apiMethods } }: ObjectSchema): boolean {
  return apiEnabled && (apiMethods === null || apiMethods.includes('get'))
}

function cursorOf(text: string): ConflictCursor {
  const [foundAt, id] = readCursor(text, ['string', 'string'])
  return { foundAt: String(foundAt), id: String(id) }
}

function isAfter({ foundAt, id }: ConflictCursor, after: ConflictCursor): boolean {
  return foundAt < after.foundAt || (foundAt === after.foundAt && id < after.id)
}
