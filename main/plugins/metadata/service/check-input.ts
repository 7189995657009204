// Checks what every item must obey whatever its type: its name, and that its body is plain, safe JSON. Pure.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import type { FieldError, FieldErrorCode, PlatformError } from '#shared/errors.ts'
import { validationError } from '#shared/errors.ts'
import { splitChildName } from './field-items.ts'
import type { Body } from './json-values.ts'

const namePattern = /^[a-z][a-z0-9_]{0,62}$/
const packagePattern = /^[a-z0-9]+([.-][a-z0-9]+)+$/
const childTypes: ReadonlySet<MetadataType> = new Set(['field', 'view', 'validation', 'trigger', 'hook', 'action'])
/** A path segment below `/meta/:type` that means something else (D-108). */
const reservedItemName = 'names'
const maxDepth = 64

/** The error of one problem; `more` says the refused value and the bound. */
export function refusal(
  field: string,
  code: FieldErrorCode,
  message: string,
  more: Pick<FieldError, 'value' | 'constraint'> = {},
): PlatformError {
  return validationError([{ field, code, message, ...more }])
}

/** What a save says of an item beside its type. */
export interface GivenItem {
  readonly type: MetadataType
  readonly name: string
  readonly item: Body
  readonly namespace?: string | null | undefined
  readonly packageId?: string | null | undefined
}

/** Refuses names, origins and bodies no item may have (D-09, D-108, D-125). @throws validation_error with all problems */
export function requireSafeInput({ type, name, item, namespace, packageId }: GivenItem): void {
  const errors = [...checkName(type, name), ...checkOrigin(namespace, packageId), ...checkBody(item)]
  const value = Object.hasOwn(item, 'name') ? item['name'] : name
  if (value !== name) {
    errors.push({ field: 'name', code: 'not_allowed', message: 'The name differs from the one in the path.', value })
  }
  if (errors.length > 0) throw validationError(errors)
}

function checkName(type: MetadataType, name: string): FieldError[] {
  const parts = childTypes.has(type) ? splitChildName(name) : null
  const fits =
    parts === null
      ? type !== 'field' && namePattern.test(name)
      : namePattern.test(parts.parent) && namePattern.test(parts.child)
  if (!fits) return [{ field: 'name', code: 'invalid_format', message: nameRule(type), value: name }]
  if (name !== reservedItemName) return []
  return [{ field: 'name', code: 'not_allowed', message: 'The name is reserved.', value: name }]
}

function checkOrigin(namespace: GivenItem['namespace'], packageId: GivenItem['packageId']): FieldError[] {
  const malformed = (field: string, message: string, value: string): FieldError[] => [
    { field, code: 'invalid_format', message, value },
  ]
  const isNamespace = typeof namespace !== 'string' || namePattern.test(namespace)
  const isPackage = typeof packageId !== 'string' || (packageId.length <= 128 && packagePattern.test(packageId))
  return [
    ...(isNamespace ? [] : malformed('namespace', 'A namespace has the form of a name.', namespace)),
    ...(isPackage ? [] : malformed('packageId', 'A package id has the reverse-DNS form.', packageId)),
  ]
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
