// Finds the fields in the configuration of a view, a component or a chart by the names of its keys (D-115).
import type { Edit } from './edits.ts'
import { choose, each, everyMember, members, oneOrMany } from './edits.ts'
import { cubeMember, expression, fieldPath, filter, itemName, sort } from './reference-visitor.ts'
import type { ReferenceVisitor } from './reference-visitor.ts'

/**
 * A view's config, whatever its type: keys named `field` and `…Field` hold a path, `fields`, `…Fields` and `columns`
 * lists of them; filters, sorts and conditions are read in their own forms.
 */
export function configFields(visitor: ReferenceVisitor, object: string | null): Edit {
  const path = fieldPath(visitor, object)
  const member = cubeMember(visitor, object)
  const code = expression(visitor, object)
  const conditions = filter(visitor, object)
  const paths: Edit = oneOrMany(choose((value) => (typeof value === 'string' ? path : config)))
  const editOf = (key: string): Edit => {
    if (/^(field|.*Field)$/.test(key)) return path
    if (/^(columns|fields|.*Fields|compactLayout|grouping|groupBy)$/.test(key)) return paths
    if (/^(filter|filters|where)$/.test(key)) return conditions
    if (key === 'sort') return sort(visitor, object)
    if (/^(visibleOn|condition|expression)$/.test(key)) return code
    if (/^(measure|measures|dimension|dimensions)$/.test(key)) return oneOrMany(member)
    if (key === 'view') return itemName(visitor, 'view', 'reference')
    // The columns of a board are values of its field.
    if (key === 'kanban')
      return members({ groupByField: path, cardFields: each(path), titleField: path, sumField: path })
    return nested
  }
  const config: Edit = everyMember(editOf)
  const nested: Edit = choose((value) => (Array.isArray(value) ? each(nested) : config))
  return config
}
