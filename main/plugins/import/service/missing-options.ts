// Adds the options that rows use and a choice field does not have yet (`createMissingOptions`).
import { normalForm } from '#shared/normal-form.ts'
import { validationError } from '#shared/errors.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { declaredTypeOf } from '#shared/field-types/registry.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireSystemPermission } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import { cellOf } from './columns.ts'
import type { MappedColumn } from './columns.ts'
import type { SourceRow } from './sources.ts'

const optionValue = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/

/** Options one import adds to a field at most: more of them are a column that was mapped to the wrong field. */
const maxNewOptions = 500

/** Gathers what is missing, row by row. */
export interface MissingOptions {
  /** @throws validation_error when a field would get too many */
  add(rows: readonly SourceRow[]): void
  /**
   * Saves the object with the options; does nothing when none is missing.
   * @returns whether the definition changed
   */
  save(metadata: MetadataService, ctx: RequestContext): Promise<boolean>
  /**
   * The options that saving would add: values by label in small letters, by field.
   * @throws permission_denied, as saving would
   */
  foretold(authorizer: Authorizer, ctx: RequestContext): NewOptions
}

/** Options that fields would get, by the name of the field. */
export type NewOptions = ReadonlyMap<string, ReadonlyMap<string, string>>

/** A choice and the value it is stored as. */
interface MissingOption {
  readonly value: string
  readonly label: string
}

/** Makes the collection for the choice fields among the columns. */
export function collectMissingOptions(
  schema: ObjectSchema,
  columns: readonly MappedColumn[],
  nullValues: readonly string[],
): MissingOptions {
  const nulls = new Set(nullValues)
  const choices = columns
    .filter(({ field }) => declaredTypeOf(field).takesNewOptions)
    .map((column) => ({ column, ...startOf(column.field) }))

  return {
    add(rows) {
      for (const choice of choices) {
        const { column, known, taken, added } = choice
        for (const row of rows) {
          for (const label of labelsOf(cellOf(row, column), column.field)) {
            if (nulls.has(label) || known.has(label) || known.has(label.toLowerCase())) continue
            const value = freeValue(label, taken)
            added.push({ value, label })
            known.add(label.toLowerCase())
            taken.add(value)
            if (added.length > maxNewOptions) throw tooMany(column.field)
          }
        }
      }
    },
    async save(metadata, ctx) {
      const item = metadata.get('object', schema.name)
      if (item === undefined || choices.every(({ added }) => added.length === 0)) return false
      const definition = structuredClone(item.item) as { fields: Record<string, { options?: unknown[] }> }
      for (const { column, added } of choices) {
        const field = definition.fields[column.field.name]
        if (field !== undefined && added.length > 0) field.options = [...(field.options ?? []), ...added]
      }
      await metadata.save(ctx, { type: 'object', name: schema.name, item: definition })
      return true
    },
    foretold(authorizer, ctx) {
      const used = choices.filter(({ added }) => added.length > 0)
      if (used.length > 0) requireSystemPermission(authorizer, ctx, 'manage_metadata')
      return new Map(
        used.map(({ column, added }) => [
          column.field.name,
          new Map(added.map(({ value, label }) => [label.toLowerCase(), value])),
        ]),
      )
    },
  }
}

function startOf(field: FieldSchema): { known: Set<string>; taken: Set<string>; added: MissingOption[] } {
  return {
    known: new Set(field.options.flatMap((option) => [option.value, option.label.toLowerCase()])),
    taken: new Set(field.options.map((option) => option.value)),
    added: [],
  }
}

function labelsOf(cell: unknown, field: FieldSchema): string[] {
  const parts = Array.isArray(cell) ? cell : typeof cell === 'string' && field.multiple ? cell.split(/[;,]/) : [cell]
  return parts
    .filter((part) => typeof part === 'string')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** The label itself where it may be a value, else a word made of it (D-94: `select`). */
function freeValue(label: string, taken: ReadonlySet<string>): string {
  const word = optionValue.test(label)
    ? label
    : normalForm(label, 'NFKD')
        .replace(/[^A-Za-z0-9]+/g, '_')
        .replace(/^_+|_+$/g, '')
        .toLowerCase() || 'option'
  if (!taken.has(word)) return word
  let number = 2
  while (taken.has(`${word}_${number}`)) number += 1
  return `${word}_${number}`
}

function tooMany(field: FieldSchema): Error {
  const message = `The rows would add more than ${maxNewOptions} options.`
  return validationError([{ field: field.name, code: 'max_items', message, constraint: maxNewOptions }])
}
