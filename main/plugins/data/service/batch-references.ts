// The references between the items of a batch across objects: `{"$ref": index}` stands for the id of an earlier result
// (D-66). Pure.
import { validationError } from '#shared/errors.ts'
import type { BulkItem } from '../api.ts'

/** Whether a value is a reference; only whole numbers are, so that JSON values may hold `$ref` texts of their own. */
export function isReference(value: unknown): value is { $ref: number } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return (
    Object.keys(value).length === 1 &&
    Object.hasOwn(value, '$ref') &&
    typeof (value as { $ref: unknown }).$ref === 'number'
  )
}

/**
 * An item with every reference in its id and data replaced.
 * @param own the item's index; references go to smaller ones
 * @param idOf the id of an earlier item, undefined when it has none
 * @throws validation_error for a reference that leads nowhere
 */
export function resolveReferences(item: BulkItem, own: number, idOf: (index: number) => string | undefined): BulkItem {
  const replace = (value: unknown, path: string): unknown => {
    if (isReference(value)) {
      const found = Number.isInteger(value.$ref) && value.$ref >= 0 && value.$ref < own ? idOf(value.$ref) : undefined
      if (found !== undefined) return found
      const message = 'The reference must be the index of an earlier operation that has a record.'
      throw validationError([{ field: path, code: 'invalid_reference', message, value: value.$ref }])
    }
    if (Array.isArray(value)) return value.map((entry: unknown, index) => replace(entry, `${path}.${index}`))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, replace(entry, join(path, key))]))
  }
  return {
    ...item,
    ...(item.id === undefined ? {} : { id: replace(item.id, 'id') as string }),
    ...(item.data === undefined ? {} : { data: replace(item.data, '') as Record<string, unknown> }),
  }
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}
