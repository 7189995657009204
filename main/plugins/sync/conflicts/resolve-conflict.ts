// What each choice does: ordinary writes through the data service in the caller's name, and in the same transaction the
// documents and the row of the conflict. Knows no request.
import { PlatformError, notFound, platformError, validationError } from '#shared/errors.ts'
import type { FieldErrorCode } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Tx } from '#main/kernel/database.ts'
import type { ChangeAlong, PlatformRecord } from '#main/plugins/data/api.ts'
import type { Json } from '#main/replication/core/types.ts'
import type { Conflict, ConflictKind, Decision } from './conflict-store.ts'
import { settleConflict } from './conflict-store.ts'
import { changeTo, feedPartOf, saidIn } from './feed-parts.ts'
import type { FeedPart } from './feed-parts.ts'
import type { SeenConflict } from './conflict-view.ts'
import type { ConflictParts } from './register-conflicts.ts'

/** What can be chosen for which kind. @source sync.md sections 5 and 17 */
const choicesOf: Readonly<Record<ConflictKind, readonly Decision['choice'][]>> = {
  field: ['winner', 'loser', 'value'],
  text: ['winner', 'loser', 'value', 'both'],
  delete_edit: ['restore', 'delete'],
  orphan: ['adopt', 'delete'],
  unique: ['value', 'merge'],
  cycle: ['winner', 'loser', 'value'],
  type: ['value', 'winner'],
  validation: ['value', 'winner'],
  fork: ['winner', 'loser', 'value'],
  // They depend on what the other machine holds; see resolve-refused.ts.
  refused: [],
}

/** Kinds where keeping what stands there is to know of it, and writes nothing. */
const accepted: ReadonlySet<ConflictKind> = new Set(['type', 'validation'])

/**
 * Makes sure that a conflict is open and the one its decision is about, as its transaction sees it.
 * @throws sync_conflict_not_found, conflict once it is over, CONCURRENT_UPDATE with what it is now
 */
export type CheckSeen = (reads: Pick<Reads, 'get'>) => void

/** A decision under way: everything it writes is written by one job, or not at all. */
interface Deciding {
  readonly ctx: RequestContext
  readonly seen: SeenConflict
  readonly expected: { readonly expectedVersion?: string }
  readonly check: CheckSeen
  /**
   * Once the record is as it was decided: its documents follow, and the conflict is over.
   * @param record where it is there and was not deleted, with what it was before
   */
  readonly settle: (tx: Tx, record?: Readonly<PlatformRecord>, previous?: Readonly<PlatformRecord>) => void
}

/** Makes what carries choices out. */
export function createDecisions(parts: ConflictParts) {
  const { data, write, clock } = parts

  const requireEdit = (ctx: RequestContext, { conflict, schema, field }: SeenConflict): void => {
    const { name: object } = schema
    data.requireRecord(ctx, { object, id: conflict.recordId, action: 'edit', deletedToo: true })
    if (field !== undefined && !parts.authorizer().canField(ctx, object, field.name, 'editable'))
      throw platformError('permission_denied', { object, field: field.name, action: 'edit' })
  }

  /** The record of a conflict as the caller may read it; null when it is deleted. */
  const recordOf = async (ctx: RequestContext, { conflict, schema }: SeenConflict): Promise<PlatformRecord | null> => {
    try {
      return (await data.get(ctx, { object: schema.name, id: conflict.recordId })).record
    } catch (error) {
      if (error instanceof PlatformError && error.code === 'resource_not_found') return null
      throw error
    }
  }

  /** The value a choice stands for; undefined when it stands for none. */
  const valueOf = async (ctx: RequestContext, seen: SeenConflict, decision: Decision): Promise<Json | undefined> => {
    const { conflict, field } = seen
    switch (decision.choice) {
      case 'winner':
        return accepted.has(conflict.kind) || conflict.kind === 'cycle' || field === undefined
          ? undefined
          : conflict.winner.value
      case 'loser':
        if (conflict.kind !== 'cycle') return sideValue(conflict, decision)
        if (conflict.base !== undefined) return conflict.base
        throw wrong('choice', 'not_allowed', 'What it stood below before is not known: give a value instead.', 'loser')
      case 'value': {
        const value = givenValue(decision)
        // Writing what stands there already changes nothing, so nobody would ask whether it is taken.
        if (conflict.kind === 'unique' && value === conflict.winner.value)
          throw platformError('conflict', { reason: 'not_unique', field: field?.name })
        if (conflict.kind === 'cycle' && value === conflict.winner.value)
          throw wrong('value', 'invalid_reference', 'The record would stand above itself.', value)
        return value
      }
      case 'both': {
        const record = await recordOf(ctx, seen)
        return bothTexts(
          record?.[field?.name ?? ''],
          [conflict.winner, ...conflict.losers].map(({ value }) => value),
        )
      }
      default:
        return undefined
    }
  }

  /** Writes a value into the field of the conflict. */
  const update = async (
    { ctx, seen: { conflict, schema, field }, expected }: Deciding,
    value: Json,
    along: ChangeAlong,
  ): Promise<void> => {
    if (field === undefined) throw wrong('choice', 'not_allowed', 'This conflict is about the record as a whole.')
    const input = { object: schema.name, id: conflict.recordId, data: { [field.name]: value }, ...expected }
    await data.update(ctx, input, along)
  }

  /** Leaves the record as it stands. */
  const keep = async ({ ctx, seen: { conflict, schema }, check, settle }: Deciding): Promise<void> =>
    write('sync.resolve', (tx) => {
      check(tx)
      const found = data.within(tx, ctx).find(schema.name, { id: conflict.recordId })
      const standing = found?.isDeleted === false ? found.record : undefined
      settle(tx, standing, standing)
    })

  /** Opens a ring above the record of the conflict: what it stands below stands below nothing, if not elsewhere by now. */
  const freeAbove = async (deciding: Deciding): Promise<void> => {
    const { ctx, check } = deciding
    const { conflict, schema, field } = deciding.seen
    const { record: id, value } = conflict.losers[0] ?? conflict.winner
    if (id === undefined || field === undefined) return keep(deciding)
    const object = schema.name
    const { record } = await data.get(ctx, { object, id })
    if (record[field.name] !== value) return keep(deciding)
    const expectedVersion = record['updated_at'] as string
    const along = { before: check, after: (tx: Tx) => deciding.settle(tx) }
    await data.update(ctx, { object, id, data: { [field.name]: null }, expectedVersion }, along)
  }

  /** Fills what the owner of a unique value lacks with what the other one has, and deletes the other one. */
  const merge = async ({ ctx, seen: { conflict, schema }, expected, check, settle }: Deciding): Promise<void> => {
    const object = schema.name
    const { recordId: id } = conflict
    const owner = conflict.winner.record
    if (owner === undefined) throw notFound('record', undefined, object)
    const [kept, merged] = await Promise.all([owner, id].map(async (one) => data.get(ctx, { object, id: one })))
    const fills = schema.fields.filter(
      ({ name, readonly, computed, unique }) =>
        !readonly &&
        !computed &&
        !unique &&
        isEmpty(kept!.record[name]) &&
        !isEmpty(merged!.record[name]) &&
        parts.authorizer().canField(ctx, object, name, 'editable'),
    )
    const values = Object.fromEntries(fills.map(({ name }) => [name, merged!.record[name]]))
    // What fills is of both as they were read: what is written meanwhile is neither written over nor deleted unread.
    const [ofOwner, ofMerged] = [kept, merged].map((one) => ({ expectedVersion: one!.record['updated_at'] as string }))
    const items = [
      ...(fills.length === 0 ? [] : [{ object, action: 'update' as const, id: owner, data: values, ...ofOwner }]),
      { object, action: 'delete' as const, id, ...ofMerged, ...expected },
    ]
    const options = { atomic: true, returnRecords: false, continueOnError: false, validateOnly: false }
    const result = await data.write(ctx, items, options, (tx) => settle(tx), check)
    if (result.error !== undefined) throw new PlatformError(result.error.code, result.error, result.error.details)
  }

  /** Brings back the master a record is to belong to, or gives it another one. */
  const adopt = async (deciding: Deciding, value: unknown): Promise<void> => {
    const { ctx, check, settle } = deciding
    const { conflict, field } = deciding.seen
    if (value !== undefined) return update(deciding, value as Json, { before: check, after: settle })
    const parent = field?.reference
    const id = conflict.losers[0]?.value
    if (parent === undefined || parent === null || typeof id !== 'string')
      throw wrong('value', 'required', 'A record to belong to is needed.')
    await data.restore(ctx, { object: parent, id }, undefined, { before: check })
    // That it is back may have ended the conflict already.
    await update({ ...deciding, expected: {} }, id, { after: settle })
  }

  /** Does what a choice without a value means for the record. */
  const act = async (deciding: Deciding, { choice, value }: Decision): Promise<void> => {
    const { ctx, expected, check } = deciding
    const { conflict, schema } = deciding.seen
    const place = { object: schema.name, id: conflict.recordId }
    const along = { before: check, after: (tx: Tx) => deciding.settle(tx) }
    switch (choice) {
      case 'restore':
        if ((await recordOf(ctx, deciding.seen)) === null)
          await data.restore(ctx, { ...place, ...expected }, undefined, along)
        else await keep(deciding)
        return
      case 'delete':
        data.requireRecord(ctx, { ...place, action: 'delete', deletedToo: true })
        if ((await recordOf(ctx, deciding.seen)) === null) await keep(deciding)
        else await data.remove(ctx, { ...place, ...expected }, along)
        return
      case 'adopt':
        return adopt(deciding, value)
      case 'merge':
        return merge(deciding)
      default:
        return conflict.kind === 'cycle' ? freeAbove(deciding) : keep(deciding)
    }
  }

  /** What people wrote is theirs to change: taking another text is an edit of the item, by the rules of the feed. */
  const decideItem = async (
    ctx: RequestContext,
    { conflict, schema }: SeenConflict,
    about: FeedPart,
    { choice, loser = 0, value }: Decision,
    check: CheckSeen,
  ): Promise<void> => {
    const feed = parts.feed()
    const engine = parts.engine()
    const place = { object: schema.name, recordId: conflict.recordId }
    const itemPlace = { object: schema.uid, recordId: conflict.recordId }
    const settle = (tx: Tx): void => {
      engine.settleItem(tx, ctx, itemPlace, about)
      settleConflict(tx, conflict.id, { choice, by: ctx.actor.id, at: clock.iso() })
    }
    if (choice === 'winner') {
      const isFree = parts.authorizer().hasSystemPermission(ctx, 'moderate_feed')
      await write('sync.resolve', (tx) => {
        check(tx)
        if (!isFree && engine.authorOf(tx, itemPlace, about.id) !== ctx.actor.id)
          throw platformError('permission_denied', { permission: 'moderate_feed' })
        settle(tx)
      })
      return
    }
    const [item] = feed?.travelling(parts.read, itemPlace, [about.id]) ?? []
    const sides = [conflict.winner, ...conflict.losers].map((side) => saidIn(side.value))
    const chosen =
      choice === 'loser' ? conflict.losers[loser]?.value : choice === 'both' ? bothTexts(item?.body, sides) : value
    if (chosen === undefined) throw wrong('loser', 'invalid_option', 'There is no such value.', loser)
    const along = { before: check, after: settle }
    await feed?.change(ctx, { ...place, feedId: about.id }, changeTo(about, chosen as Json), along)
  }

  return {
    recordOf,
    /**
     * @returns the record afterwards; null when it is deleted
     * @throws permission_denied, validation_error for a choice that does not fit, and what `check` and the data service throw
     */
    async decide(
      ctx: RequestContext,
      seen: SeenConflict,
      decision: Decision,
      check: CheckSeen,
    ): Promise<PlatformRecord | null> {
      const { conflict, schema, field } = seen
      const { choice, expectedVersion } = decision
      requireChoice(conflict, choice)
      const engine = parts.engine()
      const place = { object: conflict.object, recordId: conflict.recordId }
      const end = (tx: Tx) => settleConflict(tx, conflict.id, { choice, by: ctx.actor.id, at: clock.iso() })
      if (seen.isGone === true) {
        if (choice !== 'delete') throw wrong('choice', 'not_allowed', 'The record was removed for good.', choice)
        await write('sync.resolve', (tx) => {
          check(tx)
          engine.keepDeleted(tx, ctx, place)
          end(tx)
        })
        return null
      }
      requireEdit(ctx, seen)
      const about = feedPartOf(conflict)
      if (about !== null) {
        await decideItem(ctx, seen, about, decision, check)
        return recordOf(ctx, seen)
      }
      const value = await valueOf(ctx, seen, decision)
      const deciding: Deciding = {
        // An ordinary write of this machine to everybody but who reads the history: there it is what sync came to.
        ctx: { ...ctx, entrySource: 'sync' },
        seen,
        expected: expectedVersion === undefined ? {} : { expectedVersion },
        check,
        settle(tx, record, previous) {
          if (value !== undefined && conflict.doc.startsWith('r/')) {
            // As it is stored: a type may have brought the value into its own form.
            const stored = record === undefined ? value : ((record[field!.name] ?? null) as Json)
            engine.settleField(tx, ctx, { ...place, schema }, conflict.field, stored)
            // In the trash: what is settled there is no edit beside the deletion.
            if (record === undefined) engine.keepDeleted(tx, ctx, place)
          }
          // A write would have told of itself; that what stands was chosen is known from here alone.
          const isKept = record !== undefined && record['updated_at'] === previous?.['updated_at']
          if (isKept && field !== undefined) {
            const kept = { object: schema.name, field: field.name, value: record[field.name] ?? null }
            parts.feed()?.noteKept(tx, deciding.ctx, { ...place, ...kept })
          }
          if (conflict.kind === 'text') engine.settleText(tx, ctx, place, conflict.field)
          if (conflict.kind === 'delete_edit' && choice === 'delete') engine.keepDeleted(tx, ctx, place)
          if (choice === 'restore') engine.keepRestored(tx, ctx, place)
          end(tx)
        },
      }
      const isOfRecord = value !== undefined && conflict.doc.startsWith('r/')
      const stands = isOfRecord && choice === 'winner' && (await recordOf(ctx, seen)) === null
      // The deletion is written once more.
      if (stands)
        data.requireRecord(ctx, { object: schema.name, id: conflict.recordId, action: 'delete', deletedToo: true })
      if (value === undefined || stands) await act(deciding, decision)
      else await update(deciding, value, { before: check, after: deciding.settle })
      const owner = choice === 'merge' ? conflict.winner.record : undefined
      return recordOf(ctx, owner === undefined ? seen : { ...seen, conflict: { ...conflict, recordId: owner } })
    },
  }
}

/** @throws validation_error for a choice that does not fit its kind */
export function requireChoice({ kind }: Conflict, choice: Decision['choice']): void {
  if (choicesOf[kind].includes(choice)) return
  throw wrong('choice', 'invalid_option', `This conflict can be ended by: ${choicesOf[kind].join(', ')}.`, choice)
}

/** The value of the side that `winner` or `loser` means. @throws validation_error */
export function sideValue({ winner, losers }: Conflict, { choice, loser = 0 }: Decision): Json {
  const side = choice === 'winner' ? winner : losers[loser]
  if (side === undefined) throw wrong('loser', 'invalid_option', 'There is no such value.', loser)
  return side.value
}

/** The value that comes with the choice `value`. @throws validation_error */
export function givenValue({ value }: Decision): Json {
  if (value === undefined) throw wrong('value', 'required', 'A value is needed.')
  return value as Json
}

/** Both texts: what stands there when all of them are in it, else one after the other. */
export function bothTexts(present: unknown, texts: readonly Json[]): string {
  const parts = texts.filter((text): text is string => typeof text === 'string' && text !== '')
  if (typeof present === 'string' && parts.every((part) => present.includes(part))) return present
  return parts.filter((part, i) => !parts.slice(0, i).includes(part)).join('\n\n')
}

function wrong(field: string, code: FieldErrorCode, message: string, value?: unknown): PlatformError {
  return validationError([{ field, code, message, ...(value === undefined ? {} : { value }) }])
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}
