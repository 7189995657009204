// What each choice does: ordinary writes through the data service in the caller's name, then the documents, then the row
// of the conflict. Knows no request.
import { PlatformError, notFound, platformError, validationError } from '#shared/errors.ts'
import type { FieldErrorCode } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { PlatformRecord } from '#main/plugins/data/api.ts'
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
    ctx: RequestContext,
    { conflict, schema, field }: SeenConflict,
    value: Json,
    expected: { expectedVersion?: string },
  ): Promise<PlatformRecord> => {
    if (field === undefined) throw wrong('choice', 'not_allowed', 'This conflict is about the record as a whole.')
    const input = { object: schema.name, id: conflict.recordId, data: { [field.name]: value }, ...expected }
    return (await data.update(ctx, input)).record
  }

  /** Opens a ring above the record of the conflict: what it stands below stands below nothing, if not elsewhere by now. */
  const freeAbove = async (ctx: RequestContext, { conflict, schema, field }: SeenConflict): Promise<void> => {
    const { record: id, value } = conflict.losers[0] ?? conflict.winner
    if (id === undefined || field === undefined) return
    const object = schema.name
    const { record } = await data.get(ctx, { object, id })
    if (record[field.name] !== value) return
    const expectedVersion = record['updated_at'] as string
    await data.update(ctx, { object, id, data: { [field.name]: null }, expectedVersion })
  }

  /** Fills what the owner of a unique value lacks with what the other one has, and deletes the other one. */
  const merge = async (
    ctx: RequestContext,
    { conflict, schema }: SeenConflict,
    expected: object,
  ): Promise<PlatformRecord> => {
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
    const items = [
      ...(fills.length === 0 ? [] : [{ object, action: 'update' as const, id: owner, data: values }]),
      { object, action: 'delete' as const, id, ...expected },
    ]
    const options = { atomic: true, returnRecords: false, continueOnError: false, validateOnly: false }
    const result = await data.write(ctx, items, options)
    if (result.error !== undefined) throw new PlatformError(result.error.code, result.error, result.error.details)
    return (await data.get(ctx, { object, id: owner })).record
  }

  /** Does what a choice without a value means for the record. */
  const act = async (
    ctx: RequestContext,
    seen: SeenConflict,
    { choice, value }: Decision,
    expected: { expectedVersion?: string },
  ): Promise<PlatformRecord | null> => {
    const { conflict, schema, field } = seen
    const place = { object: schema.name, id: conflict.recordId }
    switch (choice) {
      case 'restore':
        return (await data.restore(ctx, { ...place, ...expected })).record
      case 'delete': {
        data.requireRecord(ctx, { ...place, action: 'delete', deletedToo: true })
        if ((await recordOf(ctx, seen)) !== null) await data.remove(ctx, { ...place, ...expected })
        return null
      }
      case 'adopt': {
        if (value !== undefined) return update(ctx, seen, value as Json, expected)
        const parent = field?.reference
        const id = conflict.losers[0]?.value
        if (parent === undefined || parent === null || typeof id !== 'string')
          throw wrong('value', 'required', 'A record to belong to is needed.')
        await data.restore(ctx, { object: parent, id })
        return update(ctx, seen, id, {})
      }
      case 'merge':
        return merge(ctx, seen, expected)
      case 'winner':
        if (conflict.kind === 'cycle') await freeAbove(ctx, seen)
        return recordOf(ctx, seen)
      default:
        return recordOf(ctx, seen)
    }
  }

  /** What people wrote is theirs to change: taking another text is an edit of the item, by the rules of the feed. */
  const decideItem = async (
    ctx: RequestContext,
    { conflict, schema }: SeenConflict,
    about: FeedPart,
    { choice, loser = 0, value }: Decision,
  ): Promise<void> => {
    const feed = parts.feed()
    const place = { object: schema.name, recordId: conflict.recordId }
    const [item] = feed?.travelling(parts.read, { object: schema.uid, recordId: conflict.recordId }, [about.id]) ?? []
    const sides = [conflict.winner, ...conflict.losers].map((side) => saidIn(side.value))
    const chosen =
      choice === 'loser' ? conflict.losers[loser]?.value : choice === 'both' ? bothTexts(item?.body, sides) : value
    if (choice !== 'winner') {
      if (chosen === undefined) throw wrong('loser', 'invalid_option', 'There is no such value.', loser)
      await feed?.change(ctx, { ...place, feedId: about.id }, changeTo(about, chosen as Json, item))
    }
    await write('sync.resolve', (tx) => settleConflict(tx, conflict.id, { choice, by: ctx.actor.id, at: clock.iso() }))
  }

  return {
    recordOf,
    /**
     * @returns the record afterwards; null when it is deleted
     * @throws permission_denied, CONCURRENT_UPDATE, conflict when it is settled already, validation_error for a choice that
     * does not fit, and what the data service throws
     */
    async decide(ctx: RequestContext, seen: SeenConflict, decision: Decision): Promise<PlatformRecord | null> {
      const { conflict } = seen
      const { choice, expectedVersion } = decision
      requireChoice(conflict, choice)
      if (seen.isGone === true) {
        if (choice !== 'delete') throw wrong('choice', 'not_allowed', 'The record was removed for good.', choice)
        await write('sync.resolve', (tx) => {
          parts.engine().keepDeleted(tx, ctx, { object: conflict.object, recordId: conflict.recordId })
          settleConflict(tx, conflict.id, { choice, by: ctx.actor.id, at: clock.iso() })
        })
        return null
      }
      requireEdit(ctx, seen)
      const about = feedPartOf(conflict)
      if (about !== null) {
        await decideItem(ctx, seen, about, decision)
        return recordOf(ctx, seen)
      }
      const expected = expectedVersion === undefined ? {} : { expectedVersion }
      const value = await valueOf(ctx, seen, decision)
      // An ordinary write of this machine to everybody but who reads the history: there it is what sync came to.
      const deciding: RequestContext = { ...ctx, entrySource: 'sync' }
      const before = await recordOf(ctx, seen)
      const record =
        value === undefined
          ? await act(deciding, seen, decision, expected)
          : await update(deciding, seen, value, expected)
      const engine = parts.engine()
      await write('sync.resolve', (tx) => {
        const place = { object: conflict.object, recordId: conflict.recordId }
        if (value !== undefined && conflict.doc.startsWith('r/')) {
          // As it is stored: a type may have brought the value into its own form.
          const stored = (record?.[seen.field!.name] ?? null) as Json
          engine.settleField(tx, ctx, { ...place, schema: seen.schema }, conflict.field, stored)
        }
        // A write would have told of itself; that what stands was chosen is known from here alone.
        const isKept = record !== null && record['updated_at'] === before?.['updated_at']
        if (isKept && seen.field !== undefined) {
          const { name: field } = seen.field
          const { name: object } = seen.schema
          parts.feed()?.noteKept(tx, deciding, { ...place, object, field, value: record[field] ?? null })
        }
        if (conflict.kind === 'text') engine.settleText(tx, ctx, place, conflict.field)
        if (conflict.kind === 'delete_edit' && choice === 'delete') engine.keepDeleted(tx, ctx, place)
        settleConflict(tx, conflict.id, { choice, by: ctx.actor.id, at: clock.iso() })
      })
      return record
    },
  }
}

/** @throws conflict for one that is over, validation_error for a choice that does not fit its kind */
export function requireChoice({ state, kind }: Conflict, choice: Decision['choice']): void {
  if (state !== 'open') throw platformError('conflict', { reason: 'not_open', state })
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
