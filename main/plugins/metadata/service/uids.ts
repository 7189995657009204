// Gives objects and fields ids that survive renames. The server alone assigns them; what a client sends is ignored.
import { createHash } from 'node:crypto'
import type { MetadataType } from '#shared/contracts/metadata.ts'
import { handedOnNames } from '#shared/field-renames.ts'
import { isJsonMap } from '#shared/merge-patch.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { MetadataItem } from '../api.ts'
import type { Body } from './json-values.ts'
import { fieldsOf, memberOf, textOf } from './json-values.ts'

/** Where uids come from: derived for what a package delivers, random for what people make. */
export interface UidSource {
  readonly ids: Ids
  /** Null for items made by people. */
  readonly packageId: string | null
  /** Ids of fields that come back, by name. */
  readonly returning?: Readonly<Record<string, string>> | undefined
}

/**
 * The uid of an item without a predecessor: 16 bytes as hex digits. A package's items get the same uid on every
 * machine that installs it, so that two of them agree when they sync.
 * @source sync.md section 2
 */
export function newUid(source: UidSource, ...path: readonly string[]): string {
  if (source.packageId === null) return Buffer.from(source.ids.token(16), 'base64url').toString('hex')
  return createHash('sha256')
    .update([source.packageId, ...path].join('|'))
    .digest('hex')
    .slice(0, 32)
}

/**
 * An object's item with `uid` on itself and on every field: kept from the predecessor by renames that hand names on, else
 * by name, else by `renamedFrom`, else new.
 */
export function withObjectUids(
  item: Body,
  object: { name: string; uid: string },
  previous: MetadataItem | null,
  source: UidSource,
): Record<string, unknown> {
  const { fields } = item
  const result: Record<string, unknown> = { ...item, uid: object.uid }
  if (!isJsonMap(fields)) return result
  const known = fieldsOf(previous?.item)
  const handedOn = handedOnNames(known, fields)
  result['fields'] = Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      if (!isJsonMap(field)) return [name, field]
      const kept = uidOf(known, handedOn.get(name) ?? name) ?? renamedUid(known, fields, field['renamedFrom'])
      const back = textOf(source.returning, name)
      return [name, { ...field, uid: kept ?? back ?? newUid(source, object.name, name) }]
    }),
  )
  return result
}

function renamedUid(known: Body, next: Body, from: unknown): string | undefined {
  return typeof from !== 'string' || Object.hasOwn(next, from) ? undefined : uidOf(known, from)
}

function uidOf(fields: Body, name: string): string | undefined {
  return textOf(memberOf(fields, name), 'uid')
}

/** An item's body without the uids the server gave it. */
export function withoutUids(type: MetadataType, item: Body): Record<string, unknown> {
  if (type !== 'object' && type !== 'field') return { ...item }
  const { uid: _uid, ...rest } = item
  const { fields } = rest
  if (type === 'field' || !isJsonMap(fields)) return rest
  const bare = Object.entries(fields).map(([name, field]) => [
    name,
    isJsonMap(field) ? withoutUids('field', field) : field,
  ])
  return { ...rest, fields: Object.fromEntries(bare) }
}
