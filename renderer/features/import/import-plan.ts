// Owns what a person decides about a new table: which columns come along, under which name and type. Pure.
import { nameFromLabel, reservedFieldNames, uniqueName } from '../objects/index.ts'
import type { FieldItem, ObjectItem } from '../objects/index.ts'
import type { ColumnTarget, TableColumn, TableSummary } from './table-types.ts'

/** The decision about one column. */
export interface ColumnPlan {
  index: number
  title: string
  samples: readonly string[]
  include: boolean
  label: string
  type: string
  /** What was guessed, so that choosing the guessed type again brings its settings back. */
  guess: TableColumn['guess']
}

/** Why a plan cannot be carried out, or undefined. */
export type PlanProblem = 'nameMissing' | 'noColumns' | 'fieldMissing'

const titleWords = /[_-]+|(?<=\p{Ll})(?=\p{Lu})/gu

/** A readable label for a column title: `first_name` becomes `First name`; titles with spaces stay as they are. */
export function labelFromTitle(title: string): string {
  const trimmed = title.trim()
  if (/\s/.test(trimmed)) return trimmed
  const words = trimmed.replace(titleWords, ' ').replace(/\s+/g, ' ').trim()
  if (words === '') return trimmed
  // Abbreviations such as ID or URL keep their capitals.
  const text = words
    .split(' ')
    .map((word, index) => (index === 0 || /^\p{Lu}{2,}$/u.test(word) ? word : word.toLowerCase()))
    .join(' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The first plan for a table: every column with the guessed type; columns without any value are left out. */
export function planColumns(summary: TableSummary): ColumnPlan[] {
  return summary.columns.map((column) => ({
    index: column.index,
    title: column.title,
    samples: column.samples,
    include: column.samples.length > 0,
    label: labelFromTitle(column.title),
    type: column.guess.type,
    guess: column.guess,
  }))
}

/** What is missing in a plan. */
export function planProblem(label: string, columns: readonly ColumnPlan[]): PlanProblem | undefined {
  if (label.trim() === '') return 'nameMissing'
  const included = columns.filter((column) => column.include)
  if (included.length === 0) return 'noColumns'
  if (included.some((column) => column.label.trim() === '')) return 'fieldMissing'
  return undefined
}

const optionForm = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/

/** Stored values for the texts of a choice; the text itself where it has the form of an option. @source D-94 */
export function optionValues(texts: readonly string[]): Record<string, string> {
  const taken = new Set<string>()
  const values: Record<string, string> = {}
  for (const text of texts) {
    const value = uniqueName(optionForm.test(text) ? text : nameFromLabel(text, 'option'), taken)
    taken.add(value)
    values[text] = value
  }
  return values
}

/** The object definition of a plan and where each column's values go. */
export function objectFromPlan(
  label: string,
  columns: readonly ColumnPlan[],
  takenNames: ReadonlySet<string>,
): { object: ObjectItem; targets: ColumnTarget[] } {
  const name = uniqueName(nameFromLabel(label, 'table'), takenNames)
  const names = new Set(reservedFieldNames)
  const fields: Record<string, FieldItem> = {}
  const targets: ColumnTarget[] = []
  for (const column of columns) {
    if (!column.include) continue
    const field = uniqueName(nameFromLabel(column.label), names)
    names.add(field)
    const { item, values } = fieldOfColumn(column)
    fields[field] = item
    targets.push({
      index: column.index,
      field,
      type: column.type,
      guess: column.guess,
      values,
      list: isList(column.type),
    })
  }
  return { object: { name, label: label.trim(), pluralLabel: label.trim(), fields }, targets }
}

/** Whether values of a type are lists. */
export function isList(type: string): boolean {
  return type === 'multiselect' || type === 'tags'
}

function fieldOfColumn(column: ColumnPlan): { item: FieldItem; values?: Record<string, string> } {
  const base = { label: column.label.trim(), type: column.type }
  if (column.type === 'select' || column.type === 'multiselect') {
    const texts = column.guess.options ?? []
    const values = optionValues(texts)
    return { item: { ...base, options: texts.map((text) => ({ value: values[text] ?? text, label: text })) }, values }
  }
  if (column.type === column.guess.type) return { item: { ...base, ...column.guess.settings } }
  return { item: base }
}
