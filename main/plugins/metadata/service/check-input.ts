// Checks what every item must obey whatever its type: its name, and that its body is plain, safe JSON. Pure.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import type { FieldError } from '#shared/errors.ts'
import { splitChildName } from './field-items.ts'

const namePattern = /^[a-z][a-z0-9_]{0,62}$/
const packagePattern = /^[a-z0-9]+([.-][a-z0-9]+)+$/
const childTypes: ReadonlySet<MetadataType> = new Set(['field', 'view', 'validation', 'trigger', 'hook', 'action'])
/** A path segment below `/meta/:type` that means something else (D-108). */
const reservedItemName = 'names'
const maxDepth = 64

/** The problems of an item's name: its form by type (D-09) and the reserved word of D-108. */
export function checkName(type: MetadataType, name: string): FieldError[] {
  const parts = childTypes.has(type) ? splitChildName(name) : null
  const fits =
    parts === null
      ? type !== 'field' && namePattern.test(name)
      : namePattern.test(parts.parent) && namePattern.test(parts.child)
  if (!fits) return [{ field: 'name', code: 'invalid_format', message: nameRule(type), value: name }]
  if (name === reservedItemName)
    return [{ field: 'name', code: 'not_allowed', message: 'The name is reserved.', value: name }]
  return []
}

/** The problem of a body that names another item than the path. */
export function checkSameName(input: { name: string; item: Readonly<Record<string, unknown>> }): FieldError[] {
  const value = Object.hasOwn(input.item, 'name') ? input.item['name'] : input.name
  if (value === input.name) return []
  return [{ field: 'name', code: 'not_allowed', message: 'The name differs from the one in the path.', value }]
}

/** The problems of a namespace and a package id, where given (D-09, D-125). */
export function checkOrigin(namespace: string | undefined, packageId: string | undefined): FieldError[] {
  const errors: FieldError[] = []
  if (namespace !== undefined && !namePattern.test(namespace)) {
    errors.push({
      field: 'namespace',
      code: 'invalid_format',
      message: 'A namespace has the form of a name.',
      value: namespace,
    })
  }
  if (packageId !== undefined && (packageId.length > 128 || !packagePattern.test(packageId))) {
    errors.push({
      field: 'packageId',
      code: 'invalid_format',
      message: 'A package id has the reverse-DNS form.',
      value: packageId,
    })
  }
  return errors
}

/**
 * The problems that keep a body from being stored: keys that would reach a prototype, text that is not Unicode,
 * nesting over 64 levels.
 */
export function checkBody(item: unknown): FieldError[] {
  const errors: FieldError[] = []
  const walk = (value: unknown, path: string, depth: number): void => {
    if (errors.length >= 100) return
    if (depth > maxDepth) {
      errors.push({ field: path, code: 'invalid_json', message: `The value is nested over ${maxDepth} levels.` })
    } else if (typeof value === 'string') {
      if (!value.isWellFormed())
        errors.push({ field: path, code: 'invalid_format', message: 'The text is not well-formed Unicode.' })
    } else if (typeof value === 'object' && value !== null) {
      for (const key of Object.keys(value)) {
        const at = path === '' ? key : `${path}.${key}`
        if (key === '__proto__' || !key.isWellFormed()) {
          errors.push({ field: at, code: 'not_allowed', message: 'The key is not allowed.' })
        } else {
          walk((value as Record<string, unknown>)[key], at, depth + 1)
        }
      }
    }
  }
  walk(item, '', 1)
  return errors
}

function nameRule(type: MetadataType): string {
  if (type === 'field') return 'A field is named object.field.'
  return childTypes.has(type)
    ? 'A name has lower-case letters, digits and underscores, with one dot after the object it belongs to.'
    : 'A name has lower-case letters, digits and underscores.'
}
