// Conflicts about metadata: items of the workspace that two machines changed at once, under names people know, and what
// deciding one does to its document. Knows documents by name and entries by key; no request.
import type { z } from 'zod'
import type { SyncConflict } from '#shared/contracts/sync-conflicts.ts'
import { metadataTypes } from '#shared/contracts/metadata.ts'
import { platformError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { parseDocName } from '#main/replication/core/doc-names.ts'
import type { Json } from '#main/replication/core/types.ts'
import { baseOf, fromEntry, parseEntryKey, toEntry } from '../metadata/entry-keys.ts'
import { labelIn } from '../metadata/item-entries.ts'
import type { WrittenItem } from '../metadata/removed-items.ts'
import type { WrittenRecords } from '../metadata/removed-objects.ts'
import type { Conflict, Decision } from './conflict-store.ts'
import { settleConflict } from './conflict-store.ts'
import type { ConflictParts } from './register-conflicts.ts'
import type { CheckSeen } from './resolve-conflict.ts'
import { givenValue, requireChoice, sideValue } from './resolve-conflict.ts'

type ItemName = NonNullable<z.output<typeof SyncConflict>['item']>

/** A metadata document by its parts. */
export interface ItemDocument {
  readonly type: string
  readonly uid: string
}

/** What people may do with conflicts of metadata; the same right as for changing it. */
const permission = 'manage_metadata'

type Parts = Pick<ConflictParts, 'metadata' | 'authorizer'>

/** The document a conflict is about; null for a record's. */
export function itemDocument({ doc, object }: Pick<Conflict, 'doc' | 'object'>): ItemDocument | null {
  if (object !== '') return null
  const found = parseDocName(doc)
  const name = found?.kind === 'refusal' ? parseDocName(found.target) : found
  return name?.kind === 'metadata' ? { type: name.type, uid: name.uid } : null
}

/** Whether somebody sees conflicts of metadata. */
export function seesItems({ authorizer }: Parts, ctx: RequestContext): boolean {
  return authorizer().hasSystemPermission(ctx, permission)
}

/** What a conflict of metadata is about, in names of today; the last known ones of what is gone. */
export function itemNameOf(parts: Parts, document: ItemDocument, { kind, field, losers }: Conflict): ItemName {
  const named = nameOfKey(parts, document, field)
  if (kind !== 'delete_edit' || named.name !== document.uid) return named
  const written = losers[0]?.value as unknown as (Partial<WrittenRecords> & WrittenItem) | undefined
  return { ...named, ...(written?.object ?? written?.item) }
}

function nameOfKey({ metadata }: Parts, document: ItemDocument, key: string): ItemName {
  const { type, uid } = baseOf(document)
  const name = metadataTypes.includes(type) ? metadata.exchange.nameOf({ type, uid }) : undefined
  const item = name === undefined ? undefined : metadata.get(type, name)?.item
  const entry = parseEntryKey(key)
  const schema = type === 'object' ? metadata.objectSchemas().find((one) => one.uid === uid) : undefined
  const isOfField = entry?.kind === 'field' || entry?.kind === 'own-field'
  const field = isOfField ? schema?.fields.find((one) => one.uid === entry.uid) : undefined
  return {
    type,
    name: name ?? uid,
    label: labelIn(item) ?? name ?? uid,
    isOverlay: document.type === 'overlay',
    ...(isOfField ? { field: { name: field?.name ?? entry.uid, label: field?.label ?? entry.uid } } : {}),
    property: entry === null ? key : entry.key.replace(/^_/, ''),
  }
}

/** A value of an entry as the definition has it, with names for what it refers to. */
export function itemValue({ metadata }: Parts, value: Json): Json {
  const plain = (fromEntry(value) ?? null) as Json
  const text = JSON.stringify(plain)
  if (!text.includes('uid_')) return plain
  const names = new Map<string, string>()
  for (const schema of metadata.objectSchemas()) {
    names.set(schema.uid, schema.name)
    for (const field of schema.fields) names.set(field.uid, field.name)
  }
  const nameOf = (uid: string): string | undefined =>
    names.get(uid) ??
    metadataTypes.map((type) => metadata.exchange.nameOf({ type, uid })).find((found) => found !== undefined)
  return JSON.parse(text.replaceAll(/uid_([0-9a-f]{32})/g, (mark, uid: string) => nameOf(uid) ?? mark)) as Json
}

/**
 * Decides a conflict of metadata: one entry is left of the property, which travels, and the item follows its document.
 * @throws permission_denied also where this machine may not change metadata of the workspace, validation_error for a choice
 * that does not fit, and what `check` throws
 */
export async function decideItem(
  parts: ConflictParts,
  ctx: RequestContext,
  conflict: Conflict,
  decision: Decision,
  check: CheckSeen,
): Promise<void> {
  requireItems(parts, ctx)
  const document = itemDocument(conflict)
  const items = parts.engine().items()
  if (document === null || items === undefined)
    throw platformError('permission_denied', { permission, reason: 'member_device' })
  requireChoice(conflict, decision.choice)
  const { choice } = decision
  const isRemoval = conflict.kind === 'delete_edit'
  const value = isRemoval ? null : choice === 'value' ? toEntry(givenValue(decision)) : sideValue(conflict, decision)
  await parts.write('sync.resolve-item', (tx) => {
    check(tx)
    if (isRemoval && choice === 'restore') items.removals.bringBack(tx, ctx, document)
    else if (isRemoval) items.removals.keepRemoved(tx, ctx, document)
    else if (conflict.field !== '') items.settleEntry(tx, ctx, document, conflict.field, value)
    settleConflict(tx, conflict.id, { choice, by: ctx.actor.id, at: parts.clock.iso() })
  })
  await items.handler.settle()
}

/** @throws permission_denied */
export function requireItems(parts: Parts, ctx: RequestContext): void {
  if (!seesItems(parts, ctx)) throw platformError('permission_denied', { permission })
}
