// What is laid over items: extensions (D-92), `object` items that add fields, rules, indexes and labels to another object,
// and overlays (D-109). Pure; the same layers answer the same frozen value, so that caches keyed by identity hold.
import type { FieldError } from '#shared/errors.ts'
import { applyMergePatch, isJsonMap, isSameJson } from '#shared/merge-patch.ts'
import type { MetadataItem, OverlayRecord } from '../api.ts'
import type { Body } from './json-values.ts'
import { deepFreeze, fieldsOf, memberOf, textOf } from './json-values.ts'

/** Lists an extension adds to, entry by entry. */
const addedLists = ['indexes', 'validations', 'triggers', 'hooks', 'fieldGroups'] as const

/** Words of the object an extension replaces. */
const replacedWords = ['label', 'pluralLabel', 'description', 'icon', 'color'] as const

/** Words of a field that an extension may replace on fields it does not define. */
export const fieldWords = ['label', 'help', 'inlineHelpText', 'placeholder', 'description'] as const

/** Every key an extension may use beside its own name. */
export const extensionKeys: ReadonlySet<string> = new Set([
  'name',
  'uid',
  'extend',
  'renamedFrom',
  'priority',
  'namespace',
  'tags',
  'fields',
  ...addedLists,
  ...replacedWords,
])

/** The object an item extends; null when it is an object of its own. */
export function extendedObject(item: Body): string | null {
  return textOf(item, 'extend') ?? null
}

/** Whether a field of an extension only renames what stands in the object: it has no type. */
export function isRelabelling(field: unknown): boolean {
  return isJsonMap(field) && !Object.hasOwn(field, 'type')
}

/** Makes the merge; the same object and extensions answer the same frozen value. */
export function createExtensionMerge(): (object: MetadataItem, extensions: readonly MetadataItem[]) => MetadataItem {
  const known = new WeakMap<MetadataItem, { by: readonly MetadataItem[]; result: MetadataItem }>()
  return (object, extensions) => {
    if (extensions.length === 0) return object
    const before = known.get(object)
    if (before !== undefined && isSameList(before.by, extensions)) return before.result
    const result = deepFreeze({ ...object, item: extendBody(object.item, extensions) })
    known.set(object, { by: extensions, result })
    return result
  }
}

/** The object's body with its extensions, in the order given. What is there already stays as it is. */
export function extendBody(object: Body, extensions: readonly MetadataItem[]): Body {
  return extensions.reduce<Body>((body, { item }) => {
    const fields = new Map(Object.entries(fieldsOf(body)))
    for (const [name, field] of Object.entries(fieldsOf(item))) {
      const present = fields.get(name)
      if (present === undefined && !isRelabelling(field)) fields.set(name, field)
      else if (isRelabelling(field) && isJsonMap(present)) fields.set(name, { ...present, ...pick(field, fieldWords) })
    }
    const lists = addedLists.flatMap((key) => {
      const added = listAt(item, key)
      return added.length === 0 ? [] : [[key, [...listAt(body, key), ...added]] as const]
    })
    return {
      ...body,
      ...pick(item, replacedWords),
      ...Object.fromEntries(lists),
      fields: Object.fromEntries(fields),
    }
  }, object)
}

/** The fields of an extension that cannot be added or renamed: they exist already, or do not exist. */
export function extensionConflicts(
  extension: Pick<MetadataItem, 'name' | 'item'>,
  object: Body,
  others: readonly MetadataItem[],
): FieldError[] {
  const own = fieldsOf(object)
  return Object.entries(fieldsOf(extension.item)).flatMap(([name, field]): FieldError[] => {
    const definedBy = others.find(({ item }) => {
      const fields = fieldsOf(item)
      return Object.hasOwn(fields, name) && !isRelabelling(fields[name])
    })
    const exists = Object.hasOwn(own, name) || definedBy !== undefined
    if (isRelabelling(field)) {
      if (exists) return []
      return [{ field: `fields.${name}`, code: 'unknown_field', message: 'The extended object has no such field.' }]
    }
    if (!exists) return []
    const owner = definedBy === undefined ? 'The extended object' : `The extension "${definedBy.name}"`
    return [{ field: `fields.${name}`, code: 'duplicate_value', message: `${owner} has this field already.` }]
  })
}

/**
 * What of a body meant as the whole object belongs to the object itself: parts that its extensions bring, unchanged, are
 * left out, so that reading an object and saving it again moves nothing out of an extension.
 */
export function withoutExtensions(
  body: Body,
  stored: Body,
  extensions: readonly MetadataItem[],
): { body: Body; errors: FieldError[] } {
  if (extensions.length === 0) return { body, errors: [] }
  const whole = extendBody(stored, extensions)
  const errors: FieldError[] = []
  const fields = new Map(Object.entries(fieldsOf(body)))
  for (const [name, wholeField] of Object.entries(fieldsOf(whole))) {
    if (!fields.has(name)) continue
    const ownField = memberOf(fieldsOf(stored), name)
    const given = fields.get(name)
    if (ownField !== undefined) {
      if (isSameField(given, wholeField)) fields.set(name, ownField)
    } else if (isSameField(given, wholeField)) {
      fields.delete(name)
    } else {
      const owner = extensions.find(({ item }) => Object.hasOwn(fieldsOf(item), name))!.name
      errors.push({
        field: `fields.${name}`,
        code: 'not_allowed',
        message: `The field belongs to the extension "${owner}".`,
      })
    }
  }
  const result = new Map(Object.entries(body))
  if (isJsonMap(body['fields'])) result.set('fields', Object.fromEntries(fields))
  for (const key of addedLists) {
    const given = result.get(key)
    if (!Array.isArray(given)) continue
    const added = extensions.flatMap(({ item }) => listAt(item, key))
    const own = listAt(stored, key)
    const left = given.filter((entry) => takeFrom(own, entry) || !takeFrom(added, entry))
    if (left.length === 0 && !Object.hasOwn(stored, key)) result.delete(key)
    else result.set(key, left)
  }
  for (const word of replacedWords) {
    if (!isSameJson(result.get(word), whole[word]) || isSameJson(whole[word], stored[word])) continue
    if (Object.hasOwn(stored, word)) result.set(word, stored[word])
    else result.delete(word)
  }
  return { body: Object.fromEntries(result), errors }
}

/** Whether two field definitions are the same but for the uid, which clients need not know. */
function isSameField(a: unknown, b: unknown): boolean {
  if (!isJsonMap(a) || !isJsonMap(b)) return isSameJson(a, b)
  const { uid: _a, ...left } = a
  const { uid: _b, ...right } = b
  return isSameJson(left, right)
}

/** Takes the entry out of the list; false when it is not in it. */
function takeFrom(list: unknown[], entry: unknown): boolean {
  const at = list.findIndex((one) => isSameJson(one, entry))
  if (at !== -1) list.splice(at, 1)
  return at !== -1
}

function pick(body: unknown, keys: readonly string[]): Record<string, unknown> {
  const map = isJsonMap(body) ? body : {}
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(map, key)).map((key) => [key, map[key]]))
}

function listAt(body: Body, key: string): unknown[] {
  const value = memberOf(body, key)
  return Array.isArray(value) ? [...value] : []
}

function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index])
}

const overlaid = new WeakMap<OverlayRecord, WeakMap<MetadataItem, MetadataItem>>()

/** The item with the overlay on top; the item itself when there is none or it is switched off. */
export function withOverlay(item: MetadataItem, overlay: OverlayRecord | undefined): MetadataItem {
  if (overlay === undefined || !overlay.active) return item
  let results = overlaid.get(overlay)
  if (results === undefined) overlaid.set(overlay, (results = new WeakMap()))
  let result = results.get(item)
  if (result === undefined) {
    const body = applyMergePatch(item.item, overlay.patch) as Record<string, unknown>
    results.set(item, (result = deepFreeze({ ...item, item: body })))
  }
  return result
}
