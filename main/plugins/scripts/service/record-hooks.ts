// Runs hook items around writes of records: conditions, scripts one after the other, patches and refusals (D-98).
import { ExpressionError } from '#shared/expression/compile-expression.ts'
import type { FieldError } from '#shared/errors.ts'
import { PlatformError, validationError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { HookEvent, HookItem, HookOutcome, RecordHooks } from '#main/plugins/data/api.ts'
import type { ScriptInput, ScriptResult } from '../api.ts'
import type { CompiledHook, HookList, HookPhase } from './hook-list.ts'

/** What running hooks works with. */
export interface RecordHookParts {
  readonly hooks: HookList
  /** Source of a function item; undefined when there is none. */
  readonly functionSource: (name: string) => string | undefined
  readonly run: (ctx: RequestContext, script: ScriptInput) => Promise<ScriptResult>
  readonly log: Logger
  readonly now: () => number
  readonly timeZone: () => string
}

/** Fields the engine sets by itself; a patch built from the whole record names them without meaning to. */
const serverFields: ReadonlySet<string> = new Set([
  'id',
  'created_at',
  'updated_at',
  'created_by',
  'updated_by',
  'deleted_at',
  'deleted_by',
])

/** Hooks nobody waits for that may be under way; beyond it a write waits for its own, so that none pile up. */
const maxBehind = 100

const never = new AbortController().signal

/** Makes the seam of the data service. */
export function createRecordHooks(parts: RecordHookParts): RecordHooks {
  const { hooks, log } = parts
  let behind = 0

  const applies = (ctx: RequestContext, hook: CompiledHook, item: HookItem): boolean => {
    if (hook.condition === null) return true
    const value = hook.condition.evaluate({
      record: item.record,
      previous: item.previous,
      user: { id: ctx.actor.id },
      now: parts.now(),
      timeZone: parts.timeZone(),
    })
    return value === true
  }

  const runHook = async (
    ctx: RequestContext,
    hook: CompiledHook,
    at: { object: string; phase: HookPhase; event: HookEvent },
    item: HookItem,
  ): Promise<unknown> => {
    const source = hook.body ?? (hook.function === null ? undefined : parts.functionSource(hook.function))
    if (source === undefined) throw hookError(hook, `There is no function "${hook.function ?? ''}".`)
    const { value } = await parts.run(ctx, {
      source,
      input: {
        object: at.object,
        event: `${at.phase}${at.event[0]!.toUpperCase()}${at.event.slice(1)}`,
        record: item.record,
        previous: item.previous,
        user: { id: ctx.actor.id },
      },
      timeoutMs: hook.timeoutMs,
    })
    return value
  }

  const beforeOne = async (
    ctx: RequestContext,
    object: string,
    event: HookEvent,
    item: HookItem,
  ): Promise<HookOutcome> => {
    const patch: Record<string, unknown> = {}
    for (const hook of hooks.of(object, 'before', event)) {
      const seen: HookItem = { record: { ...item.record, ...patch }, previous: item.previous }
      try {
        if (!applies(ctx, hook, seen)) continue
        const value = await runHook(ctx, hook, { object, phase: 'before', event }, seen)
        for (const [field, given] of Object.entries(patchOf(hook, value))) {
          if (!serverFields.has(field)) Object.defineProperty(patch, field, member(given))
        }
      } catch (error) {
        const refusal = refusalOf(hook, error)
        if (hook.onError === 'abort') return { ok: false, error: refusal }
        log.warn({ err: error, hook: hook.name, object }, 'A hook failed; the write goes on.')
      }
    }
    return { ok: true, patch }
  }

  const afterOne = async (
    ctx: RequestContext,
    hook: CompiledHook,
    object: string,
    event: HookEvent,
    item: HookItem,
  ) => {
    try {
      if (applies(ctx, hook, item)) await runHook(ctx, hook, { object, phase: 'after', event }, item)
    } catch (error) {
      // The record is stored already: there is nothing left to refuse.
      log.warn({ err: error, hook: hook.name, object }, 'A hook failed after its write.')
    }
  }

  return {
    listens: (object, phase, event) => hooks.of(object, phase, event).length > 0,
    async before(ctx, { object, event, items }) {
      const outcomes: HookOutcome[] = []
      for (const item of items) outcomes.push(await beforeOne(ctx, object, event, item))
      return outcomes
    },
    async after(ctx, { object, event, items }) {
      for (const hook of hooks.of(object, 'after', event)) {
        for (const item of items) {
          if (!hook.isAsync || behind >= maxBehind) {
            await afterOne(ctx, hook, object, event, item)
            continue
          }
          behind += 1
          // Nobody waits for it, so it does not end with a script that caused it.
          void afterOne({ ...ctx, signal: never }, hook, object, event, item).finally(() => (behind -= 1))
        }
      }
    },
  }
}

/** Patches are maps; no value is an empty one. @throws validation_error */
function patchOf(hook: CompiledHook, value: unknown): Readonly<Record<string, unknown>> {
  if (value === null || value === undefined) return {}
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>
  throw hookError(hook, 'A hook returns an object of fields, or nothing.')
}

/** A refusal by the script is passed on; everything else becomes one that names the hook. */
function refusalOf(hook: CompiledHook, error: unknown): PlatformError {
  if (error instanceof PlatformError) {
    if (error.code === 'validation_error' || error.code === 'CONCURRENT_UPDATE') return error
    const reason = error.details['reason']
    return hookError(hook, typeof reason === 'string' ? reason : error.message)
  }
  if (error instanceof ExpressionError) return hookError(hook, error.message)
  throw error
}

function hookError(hook: CompiledHook, message: string): PlatformError {
  const problem: FieldError = { field: '', code: 'rule_violation', message }
  return validationError([problem], { hook: hook.name })
}

function member(value: unknown): PropertyDescriptor {
  return { value, enumerable: true, writable: true, configurable: true }
}
