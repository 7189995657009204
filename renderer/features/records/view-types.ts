// Owns the kinds of view that screens show, and which fields of an object each of them needs. Pure.
import type { ViewKind } from '#shared/contracts/views.ts'
import { fieldLabel, findFieldType } from '../../fields/index.ts'
import type { FieldDefinition } from '../../fields/index.ts'
import { hasSeveral, isDated, isSwitch } from './group-terms.ts'
import type { ViewOptions } from './record-query.ts'
import { groupChoices } from './summary-query.ts'

/** Kinds of view, in the order they are offered in. @source D-115 */
export const viewTypes = ['grid', 'kanban', 'calendar', 'gallery', 'form', 'chart'] as const

/** A word of {@link viewTypes}. */
export type ViewType = (typeof viewTypes)[number]

/** The kind a stored view is shown as; list views of other kinds are shown as a grid. */
export function readViewType(kind: ViewKind, config: Readonly<Record<string, unknown>>): ViewType {
  if (kind === 'form') return 'form'
  return viewTypes.find((type) => type === config['type'] && type !== 'form') ?? 'grid'
}

/** A field as a menu offers it. */
export interface FieldChoice {
  value: string
  label: string
}

const choiceOf = (field: FieldDefinition): FieldChoice => ({ value: field.name, label: fieldLabel(field) })

/** Fields whose values make columns: one choice out of options, yes or no, a link to one record. */
export function columnFields(fields: readonly FieldDefinition[]): FieldChoice[] {
  return fields.filter((field) => makesColumns(field)).map(choiceOf)
}

function makesColumns(field: FieldDefinition): boolean {
  if (hasSeveral(field)) return false
  const type = findFieldType(field.type)
  if (type?.computed) return false
  return isSwitch(field) || type?.group === 'choice' || type?.link === 'object'
}

/** Fields that can place a record on a day. */
export function dayFields(fields: readonly FieldDefinition[]): FieldChoice[] {
  return fields.filter(isDated).map(choiceOf)
}

/** Fields whose values can be added up. */
export function sumFields(fields: readonly FieldDefinition[]): FieldChoice[] {
  return fields.filter(({ type }) => findFieldType(type)?.measured).map(choiceOf)
}

/** Fields that colour a record. */
export function hueFields(fields: readonly FieldDefinition[]): FieldChoice[] {
  return fields.filter((field) => field.options !== undefined && !hasSeveral(field)).map(choiceOf)
}

/** Fields that give a card its cover: a picture, a colour, or an option with a colour. */
export function coverFields(fields: readonly FieldDefinition[]): FieldChoice[] {
  const pictures = fields.filter(({ type }) => coverTypes.has(type)).map(choiceOf)
  return [...pictures, ...hueFields(fields)]
}

const coverTypes = new Set(['image', 'avatar', 'color'])

/** What a new view of a kind begins with; undefined where the object has no field that the kind needs. */
export function firstOptions(type: ViewType, fields: readonly FieldDefinition[]): ViewOptions | undefined {
  if (type === 'kanban') {
    const [choice] = columnFields(fields)
    return choice && { groupByField: choice.value }
  }
  if (type === 'calendar') {
    const [start] = dayFields(fields)
    return start && { startDateField: start.value }
  }
  if (type === 'chart') {
    const [dimension] = groupChoices(fields)
    return dimension && chartOptions(dimension.value, 'count', 'bar')
  }
  const [cover] = type === 'gallery' ? coverFields(fields) : []
  return cover ? { coverField: cover.value } : {}
}

/** The options of a chart; a length of time stands apart, because only fields are named in stored views. */
export function chartOptions(dimension: string, measure: string, chartType: string): ViewOptions {
  const at = dimension.lastIndexOf('.')
  const word = dimension.slice(at + 1)
  const isBucket = at > 0 && ['day', 'week', 'month', 'quarter', 'year'].includes(word)
  return {
    chartType,
    dimension: isBucket ? dimension.slice(0, at) : dimension,
    granularity: isBucket ? word : '',
    measures: measure,
  }
}
