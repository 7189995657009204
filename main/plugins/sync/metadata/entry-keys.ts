// The keys of a metadata document: what is said of the item, one per member of its body, and one per property of each
// field. Pure.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import type { Json } from '#main/replication/core/types.ts'

/** A field's property, or a member of the item. */
export type EntryKey =
  | { readonly kind: 'item'; readonly key: string }
  | { readonly kind: 'field'; readonly uid: string; readonly key: string }
  | { readonly kind: 'own'; readonly key: OwnKey }
  | { readonly kind: 'own-field'; readonly uid: string; readonly key: OwnFieldKey }

/** What is said of an item beside its body. */
export type OwnKey = '_name' | '_state' | '_package' | '_namespace' | '_fields' | '_del' | '_active'

/** What is said of a field beside its definition. */
export type OwnFieldKey = '_name' | '_order' | '_del' | '_patch'

const ownKeys: ReadonlySet<string> = new Set([
  '_name',
  '_state',
  '_package',
  '_namespace',
  '_fields',
  '_del',
  '_active',
])
const ownFieldKeys: ReadonlySet<string> = new Set(['_name', '_order', '_del', '_patch'])
const fieldPattern = /^field\.([^.]+)\.([\s\S]+)$/

/** The key of a member of an item's body. */
export function itemKey(member: string): string {
  return member === '' || /^[_~]|^field\.|\0/.test(member) ? `~${JSON.stringify(member)}` : member
}

/** The key of a property of a field. */
export function fieldKey(uid: string, property: string): string {
  return `field.${uid}.${property === '' || /^[_~]|\0/.test(property) ? `~${JSON.stringify(property)}` : property}`
}

/** The key of something said of a field beside its definition. */
export function ownFieldKey(uid: string, key: OwnFieldKey): string {
  return `field.${uid}.${key}`
}

/** What a key means; null for one of a newer version. */
export function parseEntryKey(key: string): EntryKey | null {
  const field = fieldPattern.exec(key)
  if (field === null) {
    if (ownKeys.has(key)) return { kind: 'own', key: key as OwnKey }
    const member = plain(key)
    return member === null ? null : { kind: 'item', key: member }
  }
  const [, uid = '', property = ''] = field
  if (ownFieldKeys.has(property)) return { kind: 'own-field', uid, key: property as OwnFieldKey }
  const member = plain(property)
  return member === null ? null : { kind: 'field', uid, key: member }
}

function plain(text: string): string | null {
  if (text.startsWith('_')) return null
  if (!text.startsWith('~')) return text
  try {
    const member: unknown = JSON.parse(text.slice(1))
    return typeof member === 'string' ? member : null
  } catch {
    return null
  }
}

/** Stands for null in a body: a null entry says that the member is gone. */
const nullKey = '\0null'

/** A value as an entry holds it. */
export function toEntry(value: unknown): Json {
  return value === null ? { [nullKey]: true } : (value as Json)
}

/** The value of an entry; undefined for a member that is gone. */
export function fromEntry(value: Json): unknown {
  if (value === null) return undefined
  return typeof value === 'object' && Object.hasOwn(value, nullKey) ? null : value
}

/** The item of a document; of an overlay's the one it lies over. */
export function baseOf({ type, uid }: { type: string; uid: string }): { type: MetadataType; uid: string } {
  const at = type === 'overlay' ? uid.indexOf('.') : -1
  return { type: (at < 0 ? type : uid.slice(0, at)) as MetadataType, uid: uid.slice(at + 1) }
}
