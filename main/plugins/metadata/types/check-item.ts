// Checks an item against the shape of its type: problems stop a save, unknown keys are kept and reported (D-107).
import type { MetadataType } from '#shared/contracts/metadata.ts'
import type { FieldError } from '#shared/errors.ts'
import { checkObjectDefinition } from '#shared/object-definition.ts'
import { checkInlineRules } from '#shared/rules/inline-rules.ts'
import { fieldErrorsOf } from '#shared/schema-errors.ts'
import { shortenLists } from '#shared/shorten-lists.ts'
import { checkExtension } from '../service/check-extension.ts'
import { checkDefaults, checkJsonSchemas } from './check-defaults.ts'
import { checkObjectParts } from './check-object-parts.ts'
import type { ItemCheck } from './shape-parts.ts'
import { itemShape } from './type-schemas.ts'
import type { CompiledShape } from './type-schemas.ts'
import { unknownKeys } from './unknown-keys.ts'

type Item = Readonly<Record<string, unknown>>

/** Checks an item of any type but `field`, which is checked as part of its object. */
export function checkItem(type: MetadataType, item: Item): ItemCheck {
  if (type === 'object' && Object.hasOwn(item, 'extend')) {
    return checkExtension(item, (definition) => checkItem('object', definition))
  }
  if (type === 'object') {
    const result = checkObjectDefinition(item)
    if (!result.ok) return { errors: result.errors, warnings: result.warnings }
    const { definition, warnings } = result
    const parts = checkObjectParts(definition, checkItem)
    return {
      errors: [
        ...checkJsonSchemas(definition),
        ...checkDefaults(definition),
        ...checkInlineRules(definition),
        ...parts.errors,
      ],
      warnings: [...warnings, ...parts.warnings],
    }
  }
  const shape = itemShape(type)
  return shape === undefined ? { errors: [], warnings: [] } : checkShape(shape, item)
}

function checkShape(shape: CompiledShape, item: Item): ItemCheck {
  const { schema, variants } = shape
  const chosen = variants?.cases.get(wordAt(item, variants.by))
  const fromKeys = problemsOf(schema, item)
  const fromVariant = chosen === undefined || variants!.checkedBelow ? [] : problemsOf(chosen, item)
  const shapeProblems = distinct([...fromKeys, ...fromVariant])
  const errors = [...shapeProblems, ...missingKeys(shape, item)]
  // What lies deeper relies on keys of the right types.
  if (shapeProblems.length === 0) errors.push(...shape.check(item))
  const known = chosen === undefined ? schema : schema.extend(chosen.shape)
  const warnings = unknownKeys(known, item).map((path) => ({ path, message: 'The key is not known and was kept.' }))
  return { errors, warnings }
}

function problemsOf(schema: CompiledShape['schema'], item: Item): FieldError[] {
  const shorter = shortenLists(schema, item)
  const parsed = schema.safeParse(shorter)
  return parsed.success ? [] : fieldErrorsOf(parsed.error.issues, shorter)
}

/** Keys of which one is needed and none is there. */
function missingKeys({ needs, variants }: CompiledShape, item: Item): FieldError[] {
  return needs.flatMap(({ oneOf, when }): FieldError[] => {
    if (when !== undefined && !when.includes(wordAt(item, variants?.by ?? 'type'))) return []
    if (oneOf.some((key) => own(item, key) !== undefined)) return []
    return [{ field: oneOf[0]!, code: 'required', message: `One of these is needed: ${oneOf.join(', ')}.` }]
  })
}

/** Keys and variant may both find the same problem. */
function distinct(problems: readonly FieldError[]): FieldError[] {
  const seen = new Set<string>()
  return problems.filter(({ field, code }) => {
    const key = `${field} ${code}`
    return seen.has(key) ? false : seen.add(key)
  })
}

function own(item: Item, key: string): unknown {
  return Object.hasOwn(item, key) ? item[key] : undefined
}

/** A member that is text; empty for others, which may have no text form at all. */
function wordAt(item: Item, key: string): string {
  const value = own(item, key)
  return typeof value === 'string' ? value : ''
}
