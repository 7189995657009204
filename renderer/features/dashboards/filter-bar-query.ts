// Owns what is filtered over all tiles of a dashboard, as the address has it, and what of it a tile can be asked. Pure.
import { fieldLabel } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import {
  buildGroup,
  inOwnWords,
  isDated,
  isFilterGroup,
  isWritten,
  operatorOf,
  readQuery,
  writeQuery,
} from '../records/index.ts'
import type { FilterGroup, FilterNode, RecordFilter } from '../records/index.ts'

/** The filters over all tiles. */
export interface BarFilter {
  conditions: FilterGroup | undefined
  /** Days of one field of dates: a condition `during` or `between`. */
  range: RecordFilter | undefined
}

/**
 * Reads the search part of an address; the days stand in `range`, for example `bought.this_year`.
 * @param fields what the conditions may be about, to read operands that were typed in another locale
 */
export function readBar(search: string, fields: readonly FieldDefinition[], context: FieldContext): BarFilter {
  const [, field = '', first = '', second] =
    /^([a-z][a-z0-9_]*)\.([a-z0-9_-]+)(?:\.([0-9-]+))?$/.exec(new URLSearchParams(search).get('range') ?? '') ?? []
  const range =
    field === ''
      ? undefined
      : second === undefined
        ? { field, operator: 'during', texts: [first] }
        : { field, operator: 'between', texts: [first, second] }
  return { conditions: inOwnWords(readQuery(search), fields, context).filter, range }
}

/** The search part in which {@link readBar} finds the filters. */
export function writeBar({ conditions, range }: BarFilter): string {
  const params = new URLSearchParams(writeQuery({ filter: conditions, sort: [], search: '', view: '' }))
  if (range) params.set('range', [range.field, ...range.texts].join('.'))
  return params.toString()
}

/** The conditions that mean something for an object: those on fields it has. */
export function barFor(bar: BarFilter, fields: readonly FieldDefinition[]): FilterGroup[] {
  const prune = ({ any, conditions }: FilterGroup): FilterGroup | undefined => {
    const kept = conditions.flatMap((node): FilterNode[] => {
      // What has no words names no field, so nothing says that this object has it.
      if (isWritten(node)) return []
      if (!isFilterGroup(node)) return operatorOf(node, fields) ? [node] : []
      const inner = prune(node)
      return inner ? [inner] : []
    })
    return kept.length === 0 ? undefined : { any, conditions: kept }
  }
  const groups = [bar.conditions && prune(bar.conditions), bar.range && prune({ any: false, conditions: [bar.range] })]
  return groups.filter((group) => group !== undefined)
}

/** The same as a filter of the API; undefined for none. @source D-79 */
export function barFilter(
  bar: BarFilter,
  fields: readonly FieldDefinition[],
  context: FieldContext,
): Record<string, unknown> | undefined {
  return buildGroup({ any: false, conditions: barFor(bar, fields) }, fields, context)
}

/** The fields of several objects that can be filtered by, each name once, in the order of their labels. */
export function sharedFields(ofObjects: readonly (readonly FieldDefinition[])[]): FieldDefinition[] {
  const byName = new Map<string, FieldDefinition>()
  for (const field of ofObjects.flat()) if (!byName.has(field.name)) byName.set(field.name, field)
  return [...byName.values()].toSorted((a, b) => fieldLabel(a).localeCompare(fieldLabel(b)))
}

/** The dates among them. */
export function datedFields(fields: readonly FieldDefinition[]): FieldDefinition[] {
  return fields.filter(
    (field) => isDated(field) && operatorOf({ field: field.name, operator: 'during', texts: [] }, fields),
  )
}
