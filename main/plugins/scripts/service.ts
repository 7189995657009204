// Runs scripts and function items: the pool, the calls scripts make, and what their failures mean. Knows no HTTP.
import type { FieldError } from '#shared/errors.ts'
import { PlatformError, notFound, validationError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { scriptLimits } from '#main/kernel/script-messages.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { ScriptResult, ScriptsService } from './api.ts'
import { scriptErrors } from './errors.ts'
import { answerCall } from './service/record-calls.ts'
import type { PoolResult, ScriptPool } from './service/script-pool.ts'
import { compileSchema } from '#main/kernel/json-schemas.ts'
import type { SchemaCheck } from '#main/kernel/json-schemas.ts'

/** What the service works with. */
export interface ScriptsParts {
  readonly pool: ScriptPool
  readonly data: DataService
  readonly metadata: Pick<MetadataService, 'get'>
}

/** Makes the service. */
export function createScriptsService({ pool, data, metadata }: ScriptsParts): ScriptsService {
  const run: ScriptsService['run'] = async (ctx, { source, input, timeoutMs = scriptLimits.wallMs }) => {
    const start = performance.now()
    const result = await pool.run({
      source,
      input: JSON.stringify(input ?? null),
      timeoutMs,
      depth: ctx.depth,
      // Of a request it is the client's, whose end ends no run that others may depend on.
      signal: ctx.depth > 0 ? ctx.signal : undefined,
      answer: (method, args, signal) => answerCall(data, { ...ctx, signal }, method, args),
    })
    return resultOf(result, Math.round(performance.now() - start))
  }
  return {
    run,
    async runFunction(ctx: RequestContext, name: string, input: unknown) {
      const stored = metadata.get('function', name)
      if (stored === undefined || stored.state === 'archived' || stored.state === 'draft')
        throw notFound('function', name)
      const { source, inputSchema, timeoutMs } = stored.item
      checkInput(inputSchema, input)
      return run(ctx, {
        source: String(source),
        input,
        ...(typeof timeoutMs === 'number' ? { timeoutMs } : {}),
      })
    },
  }
}

/** @throws execution_failed, execution_timeout, validation_error */
function resultOf({ outcome, logs }: PoolResult, durationMs: number): ScriptResult {
  if ('value' in outcome) return { value: JSON.parse(outcome.value) as unknown, logs, durationMs }
  const { reason, message } = outcome
  if (reason === 'fail') {
    const problem: FieldError = { field: outcome.field ?? '', code: 'rule_violation', message }
    throw validationError([problem])
  }
  const code = reason === 'cpu' || reason === 'wall' ? 'execution_timeout' : 'execution_failed'
  throw new PlatformError(code, scriptErrors[code], { reason: message, limit: reason, logs: logs.slice(0, 100) })
}

/** Accepts everything without a schema. @throws validation_error naming each member that does not fit, or the schema that is none */
function checkInput(schema: unknown, input: unknown): void {
  if (typeof schema !== 'object' || schema === null) return
  const problems = checkOf(schema)(input)
  if (problems.length === 0) return
  throw validationError(
    problems.map(({ path, missing, message }) => ({
      field: ['input', path, missing].filter(Boolean).join('.'),
      code: 'json_schema_violation' as const,
      message,
    })),
  )
}

function checkOf(schema: object): SchemaCheck {
  try {
    return compileSchema(schema)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw validationError([{ field: 'input', code: 'json_schema_violation', message }])
  }
}
