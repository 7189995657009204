// What expressions of a flow see (D-150): variables and what surrounds a node by name, beside the roots of every
// expression. Pure.
import type { ExpressionScope } from '#shared/expression/compile-expression.ts'
import type { RunMemory } from './run-memory.ts'

/** A graph under way: names of its own, and the outputs of its nodes. */
export interface Frame {
  /** Beginning of the keys of its steps: '' or `loop[2].`. */
  readonly path: string
  readonly iteration: number | null
  readonly locals: Record<string, unknown>
  readonly outputs: Map<string, unknown>
  /** The type of the node that was carried out last. */
  last?: string
  readonly parent: Frame | null
  /** Other nodes of the run are carried out at the same time. */
  readonly isBeside: boolean
  /** Aborted when the run, or a node around the graph, has come to its end. */
  readonly signal: AbortSignal
}

/** Names that mean the same in every flow; no variable may have one. */
export const reservedNames = [
  'record',
  'previous',
  'params',
  'vars',
  'event',
  'object',
  'user',
  'run',
  'steps',
  'now',
] as const

/** Makes the outermost frame. */
export function rootFrame(signal: AbortSignal): Frame {
  return { path: '', iteration: null, locals: {}, outputs: new Map(), parent: null, isBeside: false, signal }
}

/** What an expression sees at one place of a run. */
export function scopeOf(
  memory: RunMemory,
  frame: Frame,
  at: { readonly now: number; readonly timeZone: string },
  variables: Readonly<Record<string, unknown>> = memory.variables,
): ExpressionScope {
  const { row, input } = memory
  const vars: Record<string, unknown> = {
    ...variables,
    ...localsOf(frame),
    object: row.object,
    run: { id: row.id, startedAt: row.startedAt },
  }
  // Few expressions ask for outputs, and there may be many.
  Object.defineProperty(vars, 'steps', { get: () => stepsOf(frame), enumerable: false })
  return {
    record: input.record ?? null,
    previous: input.previous ?? null,
    params: input.params,
    event: input.event ?? null,
    user: memory.user,
    vars,
    ...at,
  }
}

function localsOf(frame: Frame): Record<string, unknown> {
  return frame.parent === null ? frame.locals : { ...localsOf(frame.parent), ...frame.locals }
}

function stepsOf(frame: Frame): Record<string, unknown> {
  const outer = frame.parent === null ? {} : stepsOf(frame.parent)
  return { ...outer, ...Object.fromEntries([...frame.outputs].map(([id, output]) => [id, { output }])) }
}
