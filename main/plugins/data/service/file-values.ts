// Fields that hold files: what a write names is looked up in its transaction, and what is stored of a file is what is true of
// it, whatever the body said of its name, type and size (D-94).
import type { FieldError } from '#shared/errors.ts'
import type { FieldSchema, FileReference } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { RecordFiles } from '../api.ts'
import type { Row } from './codec.ts'
import { codecOf } from './codec.ts'
import type { Place } from './stored-rows.ts'

const nothing: readonly FieldError[] = []

/**
 * Completes the file values among some columns, in place.
 * @param files undefined while nobody keeps files: values stay as they were given
 * @param known the value a field has already: files named in it may stay, whatever has become of them
 * @returns what is wrong with files that are newly named
 */
export function completeFiles(
  { tx, ctx, schema }: Place,
  files: RecordFiles | undefined,
  columns: Row,
  known: (field: FieldSchema) => unknown,
): readonly FieldError[] {
  const codec = codecOf(schema)
  if (files === undefined || codec.files.length === 0) return nothing
  const problems: FieldError[] = []
  for (const field of codec.files) {
    if ((columns[field.column] ?? null) === null) continue
    const type = fieldTypeOf(field)
    const given = codec.value(columns, field) as FileReference | FileReference[]
    const present = new Map(referencesIn(known(field)).map((file) => [file.fileId, file]))
    const completed = referencesIn(given).map((file, index) => {
      const path = Array.isArray(given) ? `${field.name}.${index}` : field.name
      const before = present.get(file.fileId)
      if (before?.name !== undefined) return before
      const found = files.attachable(tx, ctx, file.fileId)
      if (found === undefined) {
        if (before === undefined)
          problems.push({
            field: path,
            code: 'invalid_reference',
            message: 'There is no such file.',
            value: file.fileId,
          })
        return before ?? file
      }
      problems.push(...(type.judgeFile?.(path, found, field) ?? nothing))
      return found
    })
    columns[field.column] = type.toColumn(Array.isArray(given) ? completed : completed[0], field)
  }
  return problems
}

function referencesIn(value: unknown): FileReference[] {
  return value === null || value === undefined ? [] : ([value].flat() as FileReference[])
}
