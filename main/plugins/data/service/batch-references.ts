// The references between the items of a write: `{"$ref": index}` stands for the id of an earlier result (D-66). Hooks see
// records before they are written, so every record that may be named gets its id beforehand.
import { platformError, validationError } from '#shared/errors.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { BulkItem } from '../api.ts'
import type { RecordAccess } from './record-access.ts'
import type { ItemLinks, OpenStep } from './write-run.ts'
import { StaleItem } from './write-run.ts'

/** Makes the references of one write. */
export function createItemLinks({ ids, access }: { readonly ids: Ids; readonly access: RecordAccess }): ItemLinks {
  /** Ids of records by index, as far as they are known. */
  const known = new Map<number, string>()
  /** Ids given to records that an upsert of this batch will make, by what names them: a later one means the same. */
  const promised = new Map<string, string>()
  /** Records that others name. */
  const named = new Set<number>()

  /** The id a record will have, and whether it has to be told to the create. */
  const predict = (
    { action, schema }: OpenStep,
    item: BulkItem,
    match: Parameters<ItemLinks['resolve']>[2],
  ): { id: string | undefined; isNew: boolean } => {
    const given = action === 'create' ? (item.id ?? item.data?.['id']) : item.id
    if (typeof given === 'string') return { id: given.toLowerCase(), isNew: false }
    if (action !== 'create' && action !== 'upsert') return { id: undefined, isNew: false }
    const matching = action === 'create' ? undefined : match(item)
    if (matching !== undefined) return { id: matching['id'] as string, isNew: false }
    const key = JSON.stringify([schema.name, item.externalId ?? ids.uuid()])
    const before = action === 'create' ? undefined : promised.get(key)
    if (before !== undefined) return { id: before, isNew: false }
    const id = ids.uuid()
    promised.set(key, id)
    return { id, isNew: true }
  }

  return {
    begin: () => promised.clear(),
    resolve(index, step, match) {
      const item = resolveReferences(step.asked, index, (other) => {
        named.add(other)
        return known.get(other)
      })
      const { id, isNew } = predict(step, item, match)
      if (id !== undefined) known.set(index, id)
      return isNew ? { ...item, data: { ...item.data, id } } : item
    },
    check({ ctx, isLastTry }, index, { schema, written: { id, record } }) {
      // Items that name this one were given its id before it was written; another one means somebody else wrote first.
      if (known.get(index) === id || !named.has(index)) return
      if (!isLastTry) throw new StaleItem()
      const currentRecord = access.shown(ctx, schema, record)
      throw platformError('CONCURRENT_UPDATE', { currentVersion: record['updated_at'], currentRecord })
    },
  }
}

/** Whether a value is a reference; only whole numbers are, so that JSON values may hold `$ref` texts of their own. */
function isReference(value: unknown): value is { $ref: number } {
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
function resolveReferences(item: BulkItem, own: number, idOf: (index: number) => string | undefined): BulkItem {
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
