// Where objects, rules, hooks and triggers refer to fields and other items (D-92 to D-98, D-163).
import type { Edit } from './edits.ts'
import { choose, each, everyMember, keys, memberOf, members, oneOrMany, textOf } from './edits.ts'
import { expression, fieldPath, filter, itemName, template } from './reference-visitor.ts'
import type { ReferenceVisitor } from './reference-visitor.ts'
import { configFields } from './config-fields.ts'
import { startedReferences } from './started-references.ts'

/** One field of an object, with the fields inside it. */
export function fieldReferences(visitor: ReferenceVisitor, object: string, field: unknown): unknown {
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

/** What an object says beside its fields; `object` is its own name, or that of the object it extends. */
export function objectReferences(visitor: ReferenceVisitor, object: string, item: unknown): unknown {
  const path = fieldPath(visitor, object)
  const code = expression(visitor, object)
  const measured = everyMember(() => members({ field: path, expression: code, filter: filter(visitor, object) }))
  const inline = (edit: (rule: unknown) => unknown): Edit =>
    choose((value) => (Array.isArray(value) ? each(edit) : everyMember(() => edit)))
  return members({
    extend: itemName(visitor, 'object', 'extends'),
    displayNameField: path,
    indexes: each(members({ fields: each(path), where: filter(visitor, object) })),
    search: members({ fields: each(path) }),
    compactLayout: each(path),
    titleFormat: template(visitor, object),
    listViews: inline(configFields(visitor, object)),
    validations: inline((rule) => validationReferences(visitor, object, rule)),
    hooks: inline((hook) => hookReferences(visitor, object, hook)),
    triggers: inline((trigger) => triggerReferences(visitor, object, trigger)),
    analytics: members({ measures: measured, dimensions: measured }),
  })(item)
}

/** A validation rule and the rules inside it. */
export function validationReferences(visitor: ReferenceVisitor, object: string | null, item: unknown): unknown {
  const path = fieldPath(visitor, object)
  const code = expression(visitor, object)
  const nested: Edit = (rule) => validationReferences(visitor, object, rule)
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
}

/** A hook; its script is not read. */
export function hookReferences(visitor: ReferenceVisitor, object: string | null, item: unknown): unknown {
  return members({
    object: oneOrMany(itemName(visitor, 'object', 'reference')),
    function: itemName(visitor, 'function', 'triggers'),
    condition: expression(visitor, object),
  })(item)
}

/** A trigger with its actions. */
export function triggerReferences(visitor: ReferenceVisitor, object: string | null, item: unknown): unknown {
  return members({
    object: itemName(visitor, 'object', 'reference'),
    condition: expression(visitor, object),
    actions: each((action) => members({ config: (config) => startedReferences(visitor, object, config) })(action)),
  })(item)
}
