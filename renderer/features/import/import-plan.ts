// Owns what a person decides about a new table: which columns come along, under which name and type. Pure.
import { reservedFieldNames } from '#shared/object-names.ts'
import { hasOptions, nameFromLabel, uniqueName } from '../objects/index.ts'
import type { FieldItem, ObjectItem } from '../objects/index.ts'
import type { ColumnTarget, TableColumn, TableSummary } from './table-types.ts'

/** Begins the type of a column whose cells name records of the object that follows. */
export const linkPrefix = 'lookup:'

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

/** A readable label for a column title: `first_name` becomes `First name`; titles with spaces and compounds stay as they are. */
export function labelFromTitle(title: string): string {
  const trimmed = title.trim()
  // A compound such as E-mail is written as people write it.
  if (/\s/.test(trimmed) || /^\p{Lu}\p{L}*(-\p{L}+)+$/u.test(trimmed)) return trimmed
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
    fields[field] = fieldOfColumn(column)
    targets.push({ index: column.index, field, type: plainType(column.type), guess: column.guess })
  }
  return { object: { name, label: label.trim(), pluralLabel: label.trim(), fields }, targets }
}

/** The choices that were found in a column, or undefined when it is none. */
export function guessedOptions(guess: TableColumn['guess']): readonly unknown[] | undefined {
  const options = guess.settings?.options
  return Array.isArray(options) ? options : undefined
}

function plainType(type: string): string {
  return type.startsWith(linkPrefix) ? 'lookup' : type
}

function fieldOfColumn(column: ColumnPlan): FieldItem {
  const base = { label: column.label.trim(), type: plainType(column.type) }
  if (base.type === 'lookup') return { ...base, reference: column.type.slice(linkPrefix.length) }
  if (column.type === column.guess.type) return { ...base, ...column.guess.settings }
  if (!hasOptions(column.type)) return base
  return { ...base, options: guessedOptions(column.guess) as FieldItem['options'] }
}
