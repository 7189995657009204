// Which names documents have on this machine: what they ask for, unless somebody else asked first, and names for marks of
// what is not stored here yet or not any more.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import { metadataTypes } from '#shared/contracts/metadata.ts'
import type { Reads } from '#main/kernel/database.ts'
import type { MetadataExchange, MissingNames } from '#main/plugins/metadata/api.ts'
import type { DocWriter } from '../engine/docs.ts'
import { assignNames, docField } from './item-entries.ts'
import { readClaims, readRow } from './store.ts'

/** What naming works with. */
export interface NamingParts {
  readonly read: Pick<Reads, 'all' | 'get'>
  readonly docs: Pick<DocWriter, 'read'>
  readonly exchange: MetadataExchange
}

/** Names of documents. */
export interface Naming {
  /** By uid the name each document of a type has, with a mark for the object it is a part of. */
  assigned(type: MetadataType): ReadonlyMap<string, string>
  /** A name without marks; null when the object it is a part of has no name here. */
  plain(name: string): string | null
  /** The object that a name's mark stands for; null when it has none. */
  parentOf(name: string): string | null
  /** Whether an object was removed and is not here. */
  isGone(object: string): boolean
  /** What an item of a type may be told of marks. */
  missingFor(type: MetadataType): MissingNames
  /** Items that are stored under another name than the one they have. */
  misnamed(): { readonly type: MetadataType; readonly uid: string }[]
}

const partPattern = /^uid_([0-9a-f]{32})\.(.+)$/

/** Makes the naming. */
export function createNaming({ read, docs, exchange }: NamingParts): Naming {
  const assigned = (type: MetadataType): ReadonlyMap<string, string> => {
    const own = exchange.names(type).filter(({ travels }) => !travels)
    return assignNames(readClaims(read, type), new Set(own.map(({ name }) => name)))
  }

  const isGone = (object: string): boolean =>
    exchange.nameOf({ type: 'object', uid: object }) === undefined &&
    readRow(read, { type: 'object', uid: object })?.isDeleted === true

  const parentOf = (name: string): string | null => partPattern.exec(name)?.[1] ?? null

  const plain = (name: string): string | null => {
    const [, object, part] = partPattern.exec(name) ?? []
    if (object === undefined) return name
    const found =
      exchange.nameOf({ type: 'object', uid: object }) ?? readRow(read, { type: 'object', uid: object })?.wanted
    return found === undefined || found === '' ? null : `${found}.${part}`
  }

  return {
    assigned,
    plain,
    parentOf,
    isGone,
    missingFor: (holder) => ({
      item(type, uid) {
        const row = readRow(read, { type, uid })
        if (row === undefined || row.wanted === '') return null
        if (row.isDeleted) return plain(row.wanted)
        // Two objects may refer to each other: a relation does not need what it leads to, other items do.
        return holder === 'object' && type === 'object' ? (assigned(type).get(uid) ?? null) : null
      },
      field(object, uid) {
        if (object === null) return null
        const document = docs.read(read, { kind: 'metadata', type: 'object', uid: object })
        const field = document === null ? null : docField(document.register, uid)
        if (field === null || field === undefined) return null
        return field.isGone || holder === 'object' || isGone(object) ? field.name : null
      },
    }),
    misnamed: () =>
      metadataTypes.flatMap((type) => {
        const claims = type === 'field' ? [] : readClaims(read, type)
        if (claims.length === 0) return []
        const names = assigned(type)
        return claims.flatMap(({ uid, isShown }) => {
          const here = isShown ? exchange.nameOf({ type, uid }) : undefined
          return here === undefined || here === plain(names.get(uid)!) ? [] : [{ type, uid }]
        })
      }),
  }
}
