// Which columns of an object are searched and what text each gives. Pure.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { declaredTypeOf } from '#shared/field-types/registry.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { canonicalHash } from '#main/kernel/canonical-json.ts'
import type { SearchRow } from '../api.ts'
import { searchText } from '#main/database/full-text/search-text.ts'

/** How a column's value becomes text. */
type Reading = 'text' | 'markup' | 'labels' | 'json'

/** One searched column, as the registry of indexes keeps it. */
export interface SearchColumn {
  readonly uid: string
  readonly column: string
  readonly reading: Reading
  /** Labels by option value, for selects. */
  readonly labels?: Readonly<Record<string, string>>
}

/** The searched columns of an object with a hash that changes when their texts could. */
export interface SearchLayout {
  readonly hash: string
  readonly columns: readonly SearchColumn[]
}

/** Raised when folding, tokens or tables change: every index is then rebuilt at the next start. */
const layoutVersion = 2

const layouts = new WeakMap<ObjectSchema, SearchLayout>()
/** The layout of an object's index; without columns when nothing of it is searched. */
export function layoutOf(schema: ObjectSchema): SearchLayout {
  let layout = layouts.get(schema)
  if (layout === undefined) {
    const columns = schema.searchFields.map(columnOf)
    layout = { columns, hash: canonicalHash({ layoutVersion, columns, display: schema.displayField.uid }).slice(0, 32) }
    layouts.set(schema, layout)
  }
  return layout
}

/** The texts of a row, one per column; empty where there is nothing to search. */
export function documentOf(columns: readonly SearchColumn[], row: SearchRow): string[] {
  return columns.map((column) => searchText(readValue(column, row[column.column])))
}

function columnOf(field: FieldSchema): SearchColumn {
  const { markup, searchAs } = declaredTypeOf(field)
  const reading: Reading = markup ? 'markup' : (searchAs ?? 'text')
  const base = { uid: field.uid, column: field.column, reading }
  if (reading !== 'labels' || field.options.length === 0) return base
  return { ...base, labels: Object.fromEntries(field.options.map((option) => [option.value, option.label])) }
}

function readValue({ reading, labels }: SearchColumn, value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' ? value : String(value as number)
  switch (reading) {
    case 'text':
      return text
    case 'markup':
      return text.replace(/<[^>]*>/g, ' ').replace(/&(?:#\d+|#x[\da-f]+|[a-z]\w*);/gi, ' ')
    case 'labels':
      return values(text)
        .map((one) => (labels !== undefined && Object.hasOwn(labels, one) ? labels[one]! : one))
        .join(' ')
    case 'json':
      return values(text).join(' ')
  }
}

/** The texts in a JSON column; a value that is no JSON array or object is one text. */
function values(text: string): string[] {
  if (!text.startsWith('[') && !text.startsWith('{')) return [text]
  try {
    return Object.values(JSON.parse(text) as object).filter((value): value is string => typeof value === 'string')
  } catch {
    return [text]
  }
}
