// Where objects, rules, hooks and triggers refer to fields and other items (D-92 to D-98, D-163).
import { memberOf, textOf } from '../service/json-values.ts'
import type { Edit } from './edits.ts'
import { choose, each, everyMember, keys, members, oneOrMany } from './edits.ts'
import { expression, fieldPath, filter, itemName, template } from './reference-visitor.ts'
import type { ReferenceVisitor, References } from './reference-visitor.ts'
import { configFields } from './config-fields.ts'
import { startedReferences } from './started-references.ts'

/** An object; `object` is its own name, or that of the object it extends. */
export function objectReferences(visitor: ReferenceVisitor, object: string, item: unknown): unknown {
  const path = fieldPath(visitor, object)
  const code = expression(visitor, object)
  const measured = everyMember(() => members({ field: path, expression: code, filter: filter(visitor, object) }))
  const inline = (references: References): Edit => {
    const edit: Edit = (part) => references(visitor, object, part)
    return choose((value) => (Array.isArray(value) ? each(edit) : everyMember(() => edit)))
  }
  return members({
    fields: everyMember(() => (field) => fieldReferences(visitor, object, field)),
    extend: itemName(visitor, 'object', 'extends'),
    displayNameField: path,
    indexes: each(members({ fields: each(path), where: filter(visitor, object) })),
    search: members({ fields: each(path) }),
    compactLayout: each(path),
    titleFormat: template(visitor, object),
    listViews: inline((_visitor, _object, view) => configFields(visitor, object)(view)),
    validations: inline(dataReferences.validation),
    hooks: inline(dataReferences.hook),
    triggers: inline(dataReferences.trigger),
    analytics: members({ measures: measured, dimensions: measured }),
  })(item)
}

/** By type but `object`, where its items refer to others. */
export const dataReferences = {
  field: (visitor, object, item) => fieldReferences(visitor, object ?? '', item),
  /** With the rules inside it. */
  validation(visitor: ReferenceVisitor, object: string | null, item: unknown): unknown {
    const path = fieldPath(visitor, object)
    const code = expression(visitor, object)
    const nested: Edit = (rule) => dataReferences.validation(visitor, object, rule)
    const transition = members({
      condition: code,
      roles: each(itemName(visitor, 'role', 'reference')),
      profiles: each(itemName(visitor, 'profile', 'reference')),
      set: keys((key) => path(key) as string),
    })
    return members({
      object: itemName(visitor, 'object', 'reference'),
      field: path,
      fields: each(path),
      condition: code,
      when: code,
      where: filter(visitor, object),
      then: nested,
      otherwise: nested,
      transitions: each(transition),
    })(item)
  },
  /** Its script is not read. */
  hook: (visitor, object, item) =>
    members({
      object: oneOrMany(itemName(visitor, 'object', 'reference')),
      function: itemName(visitor, 'function', 'triggers'),
      condition: expression(visitor, object),
    })(item),
  trigger: (visitor, object, item) =>
    members({
      object: itemName(visitor, 'object', 'reference'),
      condition: expression(visitor, object),
      actions: each((action) => members({ config: (config) => startedReferences(visitor, object, config) })(action)),
    })(item),
} satisfies Readonly<Record<string, References>>

/** One field of an object, with the fields inside it. */
function fieldReferences(visitor: ReferenceVisitor, object: string, field: unknown): unknown {
  const named = itemName(visitor, 'object', 'reference')
  const code = expression(visitor, object)
  const child = textOf(memberOf(field, 'summaryOperations'), 'object') ?? null
  return members({
    reference: named,
    references: each(named),
    referenceFilters: filter(visitor, textOf(field, 'reference') ?? null),
    summaryOperations: members({
      object: named,
      field: fieldPath(visitor, child),
      relationField: fieldPath(visitor, child),
      filter: filter(visitor, child),
    }),
    expression: code,
    visibleOn: code,
    conditionalRequired: code,
    defaultValue: members({ expression: code }),
    // Inner fields see the record around them; their own names are not fields of the object.
    fields: everyMember(() => (inner) => fieldReferences(visitor, object, inner)),
  })(field)
}
