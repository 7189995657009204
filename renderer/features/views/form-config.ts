// Owns how a form is stored: its words, and which fields it asks for in which order. Pure. @source D-115
import { isEditable } from '../../fields/index.ts'
import type { FieldDefinition } from '../../fields/index.ts'

/** A field of a form, with what the form says of it instead of the object. */
export interface FormEntry {
  field: string
  label?: string
  help?: string
  /** Whether the form asks for a value where the object does not. */
  required?: boolean
}

/** A form; empty texts stand for the words every form has. */
export interface FormConfig {
  title: string
  description: string
  submit: string
  thanks: string
  fields: readonly FormEntry[]
}

type Stored = Readonly<Record<string, unknown>>

/** Reads a form; fields that the object has no longer, or that nobody may write, are left out. */
export function readForm(config: Stored, fields: readonly FieldDefinition[]): FormConfig {
  const sections = listOf(config['sections']).flatMap((section) => (isMap(section) ? listOf(section['fields']) : []))
  const entries = [...listOf(config['fields']), ...sections].flatMap(readEntry)
  return {
    title: textOf(config['title']),
    description: textOf(config['description']),
    submit: textOf(config['submitLabel']),
    thanks: textOf(config['successMessage']),
    fields: entries.filter(({ field: name }, at) => {
      const field = fields.find((known) => known.name === name)
      return field !== undefined && isEditable(field) && entries.findIndex((entry) => entry.field === name) === at
    }),
  }
}

/** The form as a change of what is stored (JSON Merge Patch). */
export function writeForm({ title, description, submit, thanks, fields }: FormConfig): Record<string, unknown> {
  return {
    title: title || null,
    description: description || null,
    submitLabel: submit || null,
    successMessage: thanks || null,
    sections: null,
    fields: fields.map(({ field, label, help, required }) =>
      label === undefined && help === undefined && required === undefined
        ? field
        : { field, ...(label ? { label } : {}), ...(help ? { help } : {}), ...(required ? { required } : {}) },
    ),
  }
}

/** The fields of a form as its editors need them: with the words and the duties of the form. */
export function formFields(form: FormConfig, fields: readonly FieldDefinition[]): FieldDefinition[] {
  return form.fields.flatMap((entry) => {
    const field = fields.find(({ name }) => name === entry.field)
    if (!field) return []
    return [
      {
        ...field,
        ...(entry.label === undefined ? {} : { label: entry.label }),
        ...(entry.help === undefined ? {} : { help: entry.help }),
        required: field.required === true || entry.required === true,
      },
    ]
  })
}

/** The list with the entry at one place put to another. */
export function moved<Item>(list: readonly Item[], from: number, to: number): Item[] {
  const others = list.filter((_, at) => at !== from)
  const item = list[from]
  return item === undefined || to < 0 || to >= list.length ? [...list] : others.toSpliced(to, 0, item)
}

function readEntry(entry: unknown): FormEntry[] {
  if (typeof entry === 'string') return [{ field: entry }]
  if (!isMap(entry) || typeof entry['field'] !== 'string') return []
  const { field, label, help, required } = entry
  return [
    {
      field,
      ...(typeof label === 'string' ? { label } : {}),
      ...(typeof help === 'string' ? { help } : {}),
      ...(required === true ? { required } : {}),
    },
  ]
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : []
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function isMap(value: unknown): value is Stored {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
