// Every reference of an item of any type, seen or renamed by one visitor. The only place that knows which types refer.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import {
  fieldReferences,
  hookReferences,
  objectReferences,
  triggerReferences,
  validationReferences,
} from './data-references.ts'
import { everyMember, members, textOf } from './edits.ts'
import type { ReferenceVisitor } from './reference-visitor.ts'
import {
  actionReferences,
  appReferences,
  dashboardReferences,
  pageReferences,
  reportReferences,
  viewReferences,
} from './screen-references.ts'
import {
  assistantReferences,
  emailReferences,
  flowReferences,
  jobReferences,
  rightReferences,
  roleReferences,
  toolReferences,
  translationReferences,
} from './work-references.ts'

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
  const object = textOf(item, 'object') ?? textOf(whole, 'object') ?? parentOf(name)
  return visitBody(
    { type, object, own: textOf(item, 'extend') ?? textOf(whole, 'extend') ?? name },
    item,
    visitor,
  ) as Readonly<Record<string, unknown>>
}

interface Place {
  readonly type: MetadataType
  /** The object the item is about; null when it is about none. */
  readonly object: string | null
  /** Of an object its own name, or that of the object it extends. */
  readonly own: string
}

function visitBody({ type, object, own }: Place, item: unknown, visitor: ReferenceVisitor): unknown {
  switch (type) {
    case 'object': {
      const fields = everyMember(() => (field) => fieldReferences(visitor, own, field))
      return objectReferences(visitor, own, members({ fields })(item))
    }
    case 'field':
      return fieldReferences(visitor, object ?? '', item)
    case 'validation':
      return validationReferences(visitor, object, item)
    case 'hook':
      return hookReferences(visitor, object, item)
    case 'trigger':
      return triggerReferences(visitor, object, item)
    case 'view':
      return viewReferences(visitor, object, item)
    case 'page':
      return pageReferences(visitor, object, item)
    case 'dashboard':
      return dashboardReferences(visitor, item)
    case 'app':
      return appReferences(visitor, item)
    case 'action':
      return actionReferences(visitor, object, item)
    case 'report':
      return reportReferences(visitor, object, item)
    case 'flow':
      return flowReferences(visitor, item)
    case 'job':
      return jobReferences(visitor, item)
    case 'email_template':
      return emailReferences(visitor, object, item)
    case 'agent':
    case 'skill':
      return assistantReferences(visitor, item)
    case 'tool':
      return toolReferences(visitor, item)
    case 'permission':
    case 'profile':
      return rightReferences(visitor, item)
    case 'role':
      return roleReferences(visitor, item)
    case 'translation':
      return translationReferences(visitor, item)
    default:
      return item
  }
}

function parentOf(name: string): string | null {
  const dot = name.indexOf('.')
  return dot <= 0 ? null : name.slice(0, dot)
}
