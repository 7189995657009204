// Conflicts as people meet them: lists, one, a decision, many decisions, and opening one again. Also ends what an
// ordinary edit has settled. Knows no HTTP.
import type { z } from 'zod'
import type { syncConflictRoutes } from '#shared/contracts/sync-conflicts.ts'
import { PlatformError, errorObject, platformError, validationError } from '#shared/errors.ts'
import type { ErrorObject } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import { syncError } from '../errors.ts'
import type { ConflictCursor, ConflictFilter } from './conflict-list-store.ts'
import { checkedLimit, conflictsAfter, countConflicts, readCursor, writeCursor } from './conflict-list-store.ts'
import type { Conflict, ConflictPlace, ConflictRow, ConflictSide, Decision, Resolution } from './conflict-store.ts'
import {
  conflictOf,
  cyclesThrough,
  openOfRecord,
  readConflict,
  removeConflicts,
  reopenConflict,
  settleConflict,
  isOfLimit,
} from './conflict-store.ts'
import type { ConflictView, SeenConflict, SeenItem, ShownConflict } from './conflict-view.ts'
import { createConflictView } from './conflict-view.ts'
import { decideItem, requireItems, seesItems } from './item-conflicts.ts'
import type { ConflictParts } from './register-conflicts.ts'
import type { CheckSeen } from './resolve-conflict.ts'
import { createDecisions } from './resolve-conflict.ts'
import { decideRefused } from './resolve-refused.ts'

type Routes = typeof syncConflictRoutes
type Query = z.output<NonNullable<Routes['listConflicts']['query']>>
type Many = z.output<NonNullable<Routes['resolveConflicts']['body']>>
type ManyChoice = Many['choice']
type Resolved = z.input<Routes['resolveConflict']['response']>

/** A conflict can be opened again for this long. @source sync.md section 17 */
const reopenMs = 90 * 86_400_000
const sliceSize = 200

/** Makes the service of conflicts. All of it throws `sync_disabled` while sync is off. */
export function createConflictService(parts: ConflictParts) {
  const { read, write, clock, data, engine } = parts
  const decisions = createDecisions(parts)

  /** @throws sync_conflict_not_found */
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

  const filterOf = (ctx: RequestContext, query: Query): ConflictFilter => {
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

  /** @throws sync_conflict_not_found, permission_denied, CONCURRENT_UPDATE, conflict, validation_error */
  const resolve = async (ctx: RequestContext, id: string, decision: Decision): Promise<Resolved> => {
    const view = createConflictView(parts, ctx)
    const seen = require(view, id)
    const { sides = view.show(seen).sides } = decision
    const check: CheckSeen = (reads) => {
      const conflict = readConflict(reads, id)
      if (conflict === undefined) throw syncError('sync_conflict_not_found', { id })
      if (conflict.state !== 'open') throw platformError('conflict', { reason: 'not_open', state: conflict.state })
      const currentItem = view.show({ ...seen, conflict })
      const { sides: currentVersion } = currentItem
      if (currentVersion !== sides) throw platformError('CONCURRENT_UPDATE', { currentVersion, currentItem })
    }
    check(read)
    const isItem = 'document' in seen
    const isRefused = seen.conflict.kind === 'refused'
    if (isRefused) await decideRefused(parts, ctx, seen, decision, check)
    else if (isItem) await decideItem(parts, ctx, seen.conflict, decision, check)
    const record = isItem
      ? null
      : isRefused
        ? await decisions.recordOf(ctx, seen)
        : await decisions.decide(ctx, seen, decision, check)
    return { conflict: view.show({ ...seen, conflict: readConflict(read, id) ?? seen.conflict }), record }
  }

  return {
    /** @throws validation_error */
    async list(ctx: RequestContext, query: Query): Promise<z.input<Routes['listConflicts']['response']>> {
      const view = createConflictView(parts, ctx)
      const limit = checkedLimit(query.limit)
      const after = query.cursor ? cursorOf(query.cursor) : null
      const filter = filterOf(ctx, query)
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
    /** @throws sync_conflict_not_found */
    async get(ctx: RequestContext, id: string): Promise<Resolved> {
      const view = createConflictView(parts, ctx)
      const seen = require(view, id)
      const conflict = view.show(seen)
      return { conflict, record: 'document' in seen ? null : await decisions.recordOf(ctx, seen) }
    },
    /** How many open conflicts of a record the caller sees; `object` is its uid. */
    countOpen(ctx: RequestContext, { object, recordId }: ConflictPlace): number {
      const open = openOfRecord(read, { object, recordId: recordId.toLowerCase() })
      if (open.length === 0) return 0
      const view = createConflictView(parts, ctx)
      return open.filter((conflict) => view.see(conflict) !== null).length
    },
    resolve,
    /** Decides one after the other; what fails, or has other sides than were seen, leaves the others alone. */
    async resolveMany(ctx: RequestContext, { ids, choice, sides }: Many) {
      const { device } = engine()
      const resolved: string[] = []
      const failed: { id: string; error: ErrorObject }[] = []
      for (const id of new Set(ids)) {
        try {
          const view = createConflictView(parts, ctx)
          const seen = require(view, id)
          // Whose side is meant, and which is the newest, is of the sides that were looked at.
          const decision = decisionOf(seen.conflict, choice, device)
          await resolve(ctx, id, { ...decision, sides: sides?.[id] ?? view.show(seen).sides })
          resolved.push(id)
        } catch (error) {
          if (!(error instanceof PlatformError)) throw error
          failed.push({ id, error: errorObject(error, ctx.requestId) })
        }
      }
      return { resolved, failed }
    },
    /** @throws sync_conflict_not_found, permission_denied, invalid_state_transition */
    async reopen(ctx: RequestContext, id: string): Promise<ShownConflict> {
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
      // What was taken back, or accepted, is not refused any more.
      if (conflict.kind === 'refused' && conflict.resolution?.choice !== 'keep')
        throw platformError('invalid_state_transition', { state, reason: 'over' })
      await write('sync.reopen', (tx) => reopenConflict(tx, id))
      return view.show({ ...seen, conflict: readConflict(read, id)! })
    },
  }
}

/** Kinds that are about a record which is there; of `delete_edit` one that was brought back while others kept it deleted. */
const endedByDeletion: ReadonlySet<Conflict['kind']> = new Set(['orphan', 'unique', 'cycle', 'delete_edit'])

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
      const { recordId } = event
      for (const conflict of [...openOfRecord(tx, { object: schema.uid, recordId }), ...cyclesThrough(tx, recordId)]) {
        if (isSettled(conflict, changed))
          settleConflict(tx, conflict.id, { choice, by: event.actor.id, at: host.clock.iso() })
      }
    }) satisfies Parameters<PluginHost['on']>[1]

  // A write that passed the rules leaves nothing broken.
  host.on(
    'record.updated',
    settle(
      'edit',
      (conflict, changed) => changed.has(conflict.field) || (conflict.kind === 'validation' && !isOfLimit(conflict)),
    ),
  )
  host.on(
    'record.restored',
    settle('restore', ({ kind }) => kind === 'delete_edit'),
  )
  host.on(
    'record.deleted',
    settle('delete', ({ kind }) => endedByDeletion.has(kind)),
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
  // What stands here is the one that was written: taking it back is all that many can be told alike.
  if (kind === 'refused' && choice === 'theirs') return { choice: 'winner' }
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

function cursorOf(text: string): ConflictCursor {
  const [foundAt, id] = readCursor(text, ['string', 'string'])
  return { foundAt: String(foundAt), id: String(id) }
}

function isAfter({ foundAt, id }: ConflictCursor, after: ConflictCursor): boolean {
  return foundAt < after.foundAt || (foundAt === after.foundAt && id < after.id)
}
