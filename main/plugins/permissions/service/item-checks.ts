// What a permission set, profile or role must be beside its shape (D-44, D-48, D-50): known words, conditions a list
// can ask, a hierarchy without rings, administrators who stay administrators.
import { validationError } from '#shared/errors.ts'
import type { FieldError } from '#shared/errors.ts'
import { isSameJson } from '#shared/merge-patch.ts'
import type { MetadataService, TypeHook } from '#main/plugins/metadata/api.ts'
import { systemPermissions } from '#shared/system-permissions.ts'
import { isSystemPermission } from '../permissions.ts'
import { administratorProfile, deliveredProfiles } from './delivered-profiles.ts'
import { closesRoleRing } from './role-tree.ts'
import { ruleProblem } from './row-rules.ts'

type Item = Readonly<Record<string, unknown>>

/** Refuses items of the three types that would not mean what they say. */
export function guardRightItems(metadata: MetadataService): void {
  const setHook = (check: (name: string, item: Item, before: Item | null) => FieldError[]): TypeHook => ({
    plan(previous, next) {
      const problems = next === null ? [] : check(next.name, next.item, previous?.item ?? null)
      if (problems.length > 0) throw validationError(problems)
      return []
    },
    apply: () => undefined,
  })
  metadata.setTypeHook(
    'permission',
    setHook((_name, item, before) => setProblems(metadata, item, before)),
  )
  metadata.setTypeHook(
    'profile',
    setHook((name, item, before) => [...setProblems(metadata, item, before), ...administratorProblems(name, item)]),
  )
  metadata.setTypeHook(
    'role',
    setHook((name, { parent }) => {
      if (typeof parent !== 'string' || !closesRoleRing(metadata.list('role'), name, parent)) return []
      const message = 'The role would stand above itself.'
      return [{ field: 'parent', code: 'invalid_reference', message, value: parent }]
    }),
  )
}

function setProblems(metadata: MetadataService, item: Item, before: Item | null): FieldError[] {
  const words = listOf(item['systemPermissions'])
  const rules = listOf(item['rowLevelSecurity']) as { object: string; condition: unknown }[]
  const known = new Set((listOf(before?.['rowLevelSecurity']) as { condition: unknown }[]).map(shapeOf))
  return [
    ...words.flatMap((word, index): FieldError[] => {
      if (isSystemPermission(String(word))) return []
      const message = 'There is no such system permission.'
      const field = `systemPermissions.${index}`
      return [{ field, code: 'invalid_option', message, value: word, constraint: systemPermissions }]
    }),
    ...Object.keys((item['fields'] ?? {}) as object).flatMap((name): FieldError[] => {
      if (/^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$/.test(name)) return []
      return [{ field: `fields.${name}`, code: 'invalid_format', message: 'A field is named object.field.' }]
    }),
    ...rules.flatMap((rule, index): FieldError[] => {
      const problem = ruleProblem(rule.condition, metadata.objectSchema(rule.object), metadata.objectSchema)
      // While a field is renamed in the same save, rules have its new name already.
      if (problem === null || (problem.isName && known.has(shapeOf(rule)))) return []
      return [{ field: `rowLevelSecurity.${index}.condition`, code: 'expression_error', message: problem.message }]
    }),
  ]
}

/** An overlay may rename the profile of administrators; it never takes a right away, so nobody is locked out. */
function administratorProblems(name: string, item: Item): FieldError[] {
  if (name !== administratorProfile) return []
  const delivered = deliveredProfiles.find((profile) => profile['name'] === name)!
  return ['objects', 'fields', 'systemPermissions', 'rowLevelSecurity'].flatMap((key): FieldError[] => {
    if (isSameJson(item[key] ?? null, delivered[key] ?? null)) return []
    return [{ field: key, code: 'not_allowed', message: 'Administrators may do everything; this cannot be changed.' }]
  })
}

/** A condition without its names; one that names nothing there covers nothing. */
function shapeOf({ condition }: { readonly condition: unknown }): string {
  return JSON.stringify(condition).replace(/[A-Za-z_][A-Za-z0-9_]*/g, '*')
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
