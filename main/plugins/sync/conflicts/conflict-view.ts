// Who sees which conflicts, and what of them: rows as one caller may read them, under the names of today. Writes nothing.
import type { z } from 'zod'
import type { SyncConflict } from '#shared/contracts/sync-conflicts.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { canonicalHash } from '#main/kernel/canonical-json.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Json } from '#main/replication/core/types.ts'
import type { ConflictParts } from './register-conflicts.ts'
import { itemDocument, itemNameOf, itemValue, seesItems } from './item-conflicts.ts'
import type { ItemDocument } from './item-conflicts.ts'
import { unbasedKinds } from './conflict-store.ts'
import { feedPartOf, saidIn } from './feed-parts.ts'
import type { Conflict, ConflictSide, Refused } from './conflict-store.ts'
import { refusedChoices } from './resolve-refused.ts'

/** A conflict as it is answered. */
export type ShownConflict = z.input<typeof SyncConflict>

/** A conflict of metadata a caller sees. */
export interface SeenItem {
  readonly conflict: Conflict
  readonly document: ItemDocument
}

/** A conflict of a record a caller sees, with what it is about. */
export interface SeenConflict {
  readonly conflict: Conflict
  readonly schema: ObjectSchema
  /** Undefined when the record as a whole is meant. */
  readonly field: FieldSchema | undefined
  /** The record was removed for good: there is nothing to restore. */
  readonly isGone?: boolean
}

/** The eyes of one caller. */
export type ConflictView = ReturnType<typeof createConflictView>

/**
 * Makes the view of a caller; to be made anew for each request, as it remembers what it asked.
 * @throws sync_disabled
 */
export function createConflictView(parts: ConflictParts, ctx: RequestContext) {
  const { data } = parts
  const engine = parts.engine()
  const schemas = new Map(parts.metadata.objectSchemas().map((schema) => [schema.uid, schema]))
  const reached = new Map<string, boolean>()

  const mayRead = (schema: ObjectSchema, id: string): boolean => {
    const key = `${schema.uid} ${id}`
    const may = reached.get(key) ?? data.reach(ctx, { object: schema.name, id, action: 'read' }) === 'open'
    reached.set(key, may)
    return may
  }

  const valueOf = (seen: SeenConflict | SeenItem, value: Json): Json =>
    'document' in seen ? itemValue(parts, value) : shownValue(ctx, data, seen, value)

  const sideOf = (seen: SeenConflict | SeenItem, { value, actor, device, at, record }: ConflictSide) => {
    const id = engine.localId(actor)
    const name = parts.userName(id) ?? engine.userName(actor)
    return {
      value: valueOf(seen, value),
      actor: { type: 'user' as const, id, ...(name === undefined ? {} : { name }) },
      device: { id: device, name: engine.deviceName(device) ?? device },
      at,
      ...(record === undefined ? {} : { record }),
    }
  }

  /** Names the fields the caller may read; how many others there are is nobody's business. */
  const refusalOf = (seen: SeenConflict | SeenItem, refused: Refused): NonNullable<ShownConflict['refusal']> => {
    const { code, message, closed, askedAt, triedAt } = refused
    const { winner, losers } = seen.conflict
    const written = [winner, ...losers].flatMap(({ value }) =>
      typeof value === 'object' && value !== null ? Object.keys(value) : [],
    )
    const names = (uids: readonly string[]): string[] => {
      if ('document' in seen) return []
      const { schema } = seen
      const fields = [...new Set(uids)].flatMap((uid) => fieldOf(schema, uid) ?? [])
      return fields.filter(({ name }) => data.canReadField(ctx, schema.name, name)).map(({ name }) => name)
    }
    return {
      ...{ code, message, fields: names(written), closed: names(closed), choices: refusedChoices(refused) },
      ...(askedAt === undefined ? {} : { askedAt }),
      ...(triedAt === undefined ? {} : { triedAt }),
    }
  }

  return {
    /** Null for a conflict the caller learns nothing of: of another's record, of a hidden field, of an object that is gone. */
    see(conflict: Conflict): SeenConflict | SeenItem | null {
      const document = itemDocument(conflict)
      if (document !== null) return seesItems(parts, ctx) ? { conflict, document } : null
      const schema = schemas.get(conflict.object)
      if (schema === undefined || !isOffered(schema)) return null
      const field = fieldOf(schema, conflict.field)
      // The name of a field that is gone, or hidden, says something of the record.
      if (conflict.field !== '' && (field === undefined || !data.canReadField(ctx, schema.name, field.name)))
        return null
      if (mayRead(schema, conflict.recordId)) return { conflict, schema, field }
      // What was written of a record that was removed for good meanwhile: no row says who may see it but those who see all.
      const mayBeGone = conflict.kind === 'delete_edit' || conflict.kind === 'refused'
      const isGone = mayBeGone && parts.authorizer().isUnrestricted(ctx)
      return isGone ? { conflict, schema, field, isGone } : null
    },
    show(seen: SeenConflict | SeenItem): ShownConflict {
      const { conflict } = seen
      const field = 'document' in seen ? undefined : seen.field
      const feedPart = feedPartOf(conflict)
      const { id, kind, recordId, base, winner, losers, state, foundAt, resolvedAt, resolvedBy, resolution } = conflict
      const shown = {
        id,
        kind,
        object: 'document' in seen ? '' : seen.schema.name,
        recordId,
        ...('document' in seen ? { item: itemNameOf(parts, seen.document, conflict) } : {}),
        ...(field === undefined ? {} : { field: field.name }),
        ...(feedPart === null ? {} : { feedItem: feedPart }),
        ...(winner.refused === undefined ? {} : { refusal: refusalOf(seen, winner.refused) }),
        ...(base === undefined ? {} : { base: valueOf(seen, base) }),
        // What an object was before it was removed is in the backup of the removal.
        ...(base === undefined && !unbasedKinds.has(kind) && !('document' in seen && kind === 'delete_edit')
          ? { baseUnknown: true as const }
          : {}),
        winner: sideOf(seen, winner),
        losers: losers.map((loser) => sideOf(seen, loser)),
        ...(kind === 'delete_edit' && 'isGone' in seen ? { isGone: true as const } : {}),
        state,
        foundAt,
        ...(resolvedAt === null ? {} : { resolvedAt }),
        ...(resolvedBy === null ? {} : { resolvedBy }),
        ...(resolution === null ? {} : { resolution: resolution.choice }),
      }
      return { ...shown, sides: digestOf(shown) }
    },
  }
}

/** What a decision chooses between, as its maker sees it: nothing that is hidden from them, and no clock. */
function digestOf({ id, kind, base, winner, losers }: Omit<ShownConflict, 'sides'>): string {
  const sides = [winner, ...losers].map(({ value, actor, device, record }) => [value, actor.id, device.id, record])
  return canonicalHash({ id, kind, base, sides }).slice(0, 32)
}

/** The field of an object by its uid. */
export function fieldOf(schema: ObjectSchema, uid: string): FieldSchema | undefined {
  return uid === '' ? undefined : schema.fields.find((field) => field.uid === uid)
}

/** A value of the whole record holds values of fields by their uid; those the caller may not read are left out. */
function shownValue(
  ctx: RequestContext,
  data: ConflictParts['data'],
  { conflict, schema, field }: SeenConflict,
  value: Json,
): Json {
  if (feedPartOf(conflict) !== null) return saidIn(value)
  // A broken rule is named in words of its own.
  if (
    conflict.kind === 'validation' ||
    field !== undefined ||
    typeof value !== 'object' ||
    value === null ||
    Array.isArray(value)
  )
    return value
  const shown: Record<string, Json> = {}
  for (const [uid, one] of Object.entries(value)) {
    const inner = fieldOf(schema, uid)
    if (inner !== undefined && data.canReadField(ctx, schema.name, inner.name)) shown[inner.name] = one as Json
  }
  return shown
}

/** Whether the API of an object offers its records at all (D-71). */
function isOffered({ enable: { apiEnabled, apiMethods } }: ObjectSchema): boolean {
  return apiEnabled && (apiMethods === null || apiMethods.includes('get'))
}
