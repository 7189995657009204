// Prompts of flows to a language model: it is told the prompt alone, and an object it answers is one only once it was checked.
import { validationError } from '#shared/errors.ts'
import { isJsonMap } from '#shared/merge-patch.ts'
import { compileSchema } from '#main/kernel/json-schemas.ts'
import type { SchemaCheck } from '#main/kernel/json-schemas.ts'
import { aiError } from '../errors.ts'
import type { ModelAnswer, ModelMessage } from './model-client.ts'
import { objectIn } from './model-client.ts'

type Body = Readonly<Record<string, unknown>>

/** What a model is told. @throws validation_error for a schema that is none */
export function promptMessages(prompt: string, schema: Body | undefined): ModelMessage[] {
  const user = { role: 'user' as const, content: prompt }
  if (schema === undefined) return [user]
  checkOf(schema)
  const content = `Answer with one JSON object that fits this JSON Schema, and nothing else:\n${JSON.stringify(schema)}`
  return [{ role: 'system', content }, user]
}

/** The object of an answer. @throws ai_provider_failed when there is none, or one that does not fit */
export function readModelObject({ content }: ModelAnswer, schema: Body): Body {
  let value: unknown
  try {
    value = JSON.parse(objectIn(content))
  } catch {
    throw aiError('ai_provider_failed', { reason: 'no_json' })
  }
  const [problem] = checkOf(schema)(value)
  if (!isJsonMap(value) || problem !== undefined) {
    const message = `The model answered no object that fits the schema${problem === undefined ? '' : `: ${problem.message}`}`
    throw aiError('ai_provider_failed', { reason: 'schema', message })
  }
  return value
}

function checkOf(schema: Body): SchemaCheck {
  try {
    return compileSchema(schema)
  } catch (error) {
    const message = error instanceof Error ? error.message : 'This is no JSON Schema.'
    throw validationError([{ field: 'config.schema', code: 'invalid_json', message }])
  }
}
