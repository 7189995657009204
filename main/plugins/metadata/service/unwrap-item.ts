// Finds the item in the body of a save: the wrapper of the specification or the bare item (D-105). Pure.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import type { FieldError } from '#shared/errors.ts'
import { validationError } from '#shared/errors.ts'
import { isJsonMap } from '#shared/merge-patch.ts'
import { findMetadataType } from '../types/type-entries.ts'
import { refusal } from './check-input.ts'
import type { Body } from './json-values.ts'

/** What a save's body says. */
export interface UnwrappedItem {
  readonly item: Record<string, unknown>
  readonly namespace: string | undefined
}

const wrapperKeys: ReadonlySet<string> = new Set(['type', 'name', 'item', 'metadata', 'namespace'])

/**
 * Takes the item out of the body. It is the wrapper exactly when it has a key `item` or `metadata` and no keys beyond
 * type, name, item, metadata, namespace; the path wins, and a wrapper that names another item is refused.
 * @throws validation_error
 */
export function unwrapItem(body: Body | undefined, path: { type: MetadataType; name: string }): UnwrappedItem {
  if (body === undefined) throw refusal('', 'required', 'The item is required.')
  if (!isWrapper(body)) return { item: { ...body }, namespace: undefined }
  const problems: FieldError[] = []
  const differs = (field: string, value: unknown) =>
    problems.push({ field, code: 'not_allowed', message: `The ${field} differs from the one in the path.`, value })
  const { type, name, namespace } = body
  if (type !== undefined && (typeof type !== 'string' || findMetadataType(type) !== path.type)) {
    differs('type', type)
  }
  if (name !== undefined && name !== path.name) differs('name', name)
  if (namespace !== undefined && namespace !== null && typeof namespace !== 'string') {
    problems.push({ field: 'namespace', code: 'invalid_type', message: 'A namespace is text.', value: namespace })
  }
  const key = Object.hasOwn(body, 'item') ? 'item' : 'metadata'
  const item = body[key]
  if (!isJsonMap(item)) {
    problems.push({ field: key, code: 'invalid_type', message: 'The item is a JSON object.', value: item })
  }
  if (problems.length > 0) throw validationError(problems)
  return { item: { ...(item as Body) }, namespace: typeof namespace === 'string' ? namespace : undefined }
}

function isWrapper(body: Body): boolean {
  if (!Object.hasOwn(body, 'item') && !Object.hasOwn(body, 'metadata')) return false
  return Object.keys(body).every((key) => wrapperKeys.has(key))
}
