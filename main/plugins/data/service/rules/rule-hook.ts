// What a save of a rule must know that only this plugin can tell: whether its JSON Schemas compile.
import type { FieldError } from '#shared/errors.ts'
import { validationError } from '#shared/errors.ts'
import type { TypeHook } from '#main/plugins/metadata/api.ts'
import { compileSchema } from '#main/kernel/json-schemas.ts'

/** The hook of type `validation`: refuses schemas that do not compile; rules have no storage of their own. */
export const ruleHook: TypeHook = {
  plan(_previous, next) {
    if (next !== null) refuseBrokenSchemas(next.item, '')
    return []
  },
  apply: () => undefined,
}

/** The hook of type `object`, with the rules inside of its definition checked too. */
export function withRuleChecks(hook: TypeHook): TypeHook {
  return {
    ...hook,
    plan(previous, next, reads, mayWait) {
      const rules: unknown = next?.item['validations']
      if (Array.isArray(rules)) {
        rules.forEach((rule: Record<string, unknown>, index) => refuseBrokenSchemas(rule, `validations.${index}.`))
      }
      return hook.plan(previous, next, reads, mayWait)
    },
  }
}

/** @throws validation_error */
function refuseBrokenSchemas(rule: Readonly<Record<string, unknown>>, at: string): void {
  const problems = schemaProblems(rule, at)
  if (problems.length > 0) throw validationError(problems)
}

function schemaProblems(rule: Readonly<Record<string, unknown>>, at: string): FieldError[] {
  const problems = ['then', 'otherwise'].flatMap((key) => {
    const inner = rule[key]
    return typeof inner === 'object' && inner !== null
      ? schemaProblems(inner as Record<string, unknown>, `${at}${key}.`)
      : []
  })
  if (rule['type'] !== 'json_schema') return problems
  try {
    compileSchema(rule['schema'])
  } catch (error) {
    const message = `The JSON Schema cannot be used: ${error instanceof Error ? error.message : String(error)}`
    problems.push({ field: `${at}schema`, code: 'invalid_format', message })
  }
  return problems
}
