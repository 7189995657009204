// Which validation rules judge the records of an object: those written in its definition and separate items, compiled
// once and kept until any metadata changes.
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RuleDefinition } from '#shared/rules/rule-definition.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { CompiledRule } from './compile-rule.ts'
import { compileRule } from './compile-rule.ts'

/** The rules of an object, by priority and then name. */
export type RulesOf = (schema: ObjectSchema) => readonly CompiledRule[]

interface Known {
  readonly epoch: number
  readonly rules: readonly CompiledRule[]
}

const none: readonly CompiledRule[] = Object.freeze([])

/** Makes the look-up. */
export function createRulesOf(metadata: Pick<MetadataService, 'epoch' | 'list'>): RulesOf {
  const known = new WeakMap<ObjectSchema, Known>()
  const items = createItemsByObject(metadata)
  return (schema) => {
    const epoch = metadata.epoch()
    const found = known.get(schema)
    if (found?.epoch === epoch) return found.rules
    const definitions = [...inlineRules(schema), ...(items(epoch).get(schema.name) ?? [])]
    const rules = definitions.length === 0 ? none : compileAll(definitions)
    known.set(schema, { epoch, rules })
    return rules
  }
}

/** The rules written in the definition itself; one without a name is called by its place. */
export function inlineRules(schema: Pick<ObjectSchema, 'definition'>): readonly NamedRule[] {
  const given: unknown = schema.definition.validations
  if (!Array.isArray(given)) return []
  return given.map((rule: RuleDefinition, index) => ({ name: rule.name ?? `validations.${index}`, rule }))
}

interface NamedRule {
  readonly name: string
  readonly rule: RuleDefinition
}

function compileAll(definitions: readonly NamedRule[]): readonly CompiledRule[] {
  return definitions
    .filter(({ rule }) => rule.active !== false)
    .map(({ name, rule }) => compileRule(name, rule))
    .toSorted((a, b) => a.priority - b.priority || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
}

/** Separate items by their object, sorted out once per change of metadata. */
function createItemsByObject(
  metadata: Pick<MetadataService, 'list'>,
): (epoch: number) => ReadonlyMap<string, readonly NamedRule[]> {
  let known: { epoch: number; byObject: ReadonlyMap<string, readonly NamedRule[]> } | undefined
  return (epoch) => {
    if (known?.epoch !== epoch) {
      const byObject = new Map<string, NamedRule[]>()
      for (const { name, item, state } of metadata.list('validation')) {
        if (state === 'archived' || state === 'draft') continue
        const object = String(item['object'])
        const rules = byObject.get(object) ?? []
        rules.push({ name, rule: item as unknown as RuleDefinition })
        byObject.set(object, rules)
      }
      known = { epoch, byObject }
    }
    return known.byObject
  }
}
