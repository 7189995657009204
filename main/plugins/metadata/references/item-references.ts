// Every reference of an item of any type, seen or renamed by one visitor. The only place that knows which types refer.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import { dataReferences, objectReferences } from './data-references.ts'
import type { ReferenceVisitor, References } from './reference-visitor.ts'
import { screenReferences } from './screen-references.ts'
import { workReferences } from './work-references.ts'
import { textOf } from '../service/json-values.ts'

/** What holds references: a type with a name and a body, which may be a part of one (an overlay's patch). */
export interface ReferenceHolder {
  readonly type: MetadataType
  readonly name: string
  readonly item: Readonly<Record<string, unknown>>
  /** The whole item when `item` is a part: it tells the object the part belongs to. */
  readonly whole?: Readonly<Record<string, unknown>>
}

/** The body after the visitor saw each reference in it; the same value when it changed none. */
export function visitReferences(
  { type, name, item, whole = {} }: ReferenceHolder,
  visitor: ReferenceVisitor,
): Readonly<Record<string, unknown>> {
  const own = textOf(item, 'extend') ?? textOf(whole, 'extend') ?? name
  const object = textOf(item, 'object') ?? textOf(whole, 'object') ?? parentOf(name)
  const visited = type === 'object' ? objectReferences(visitor, own, item) : references[type]?.(visitor, object, item)
  return (visited ?? item) as Readonly<Record<string, unknown>>
}

/** Types that are not here refer to nothing. */
const references: Readonly<Partial<Record<MetadataType, References>>> = {
  ...dataReferences,
  ...screenReferences,
  ...workReferences,
}

function parentOf(name: string): string | null {
  const dot = name.indexOf('.')
  return dot <= 0 ? null : name.slice(0, dot)
}
