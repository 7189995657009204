// The messages between the host and a script process. Types and limits only.

/** Limits of one run. @source D-99 */
export const scriptLimits = {
  memoryBytes: 32 * 1024 * 1024,
  stackBytes: 64 * 1024,
  cpuMs: 1_000,
  wallMs: 5_000,
  outputBytes: 1_048_576,
  /** Calls of the host in all. */
  calls: 10_000,
  /** Calls without an answer, and the bytes of their arguments. */
  waitingCalls: 1_000,
  waitingBytes: 16 * 1024 * 1024,
  /** Calls the host works on at once; the others wait in the script's process and end with it. */
  callsAtOnce: 8,
} as const

/** What a script may ask of the host. */
export const scriptMethods = ['get', 'list', 'create', 'update', 'delete'] as const

/** A word of {@link scriptMethods}. */
export type ScriptMethod = (typeof scriptMethods)[number]

/** Host to process: run a script, or the answer to one of its calls. Values travel as JSON text. */
export type ScriptRequest =
  | { readonly kind: 'run'; readonly id: number; readonly source: string; readonly input: string }
  | {
      readonly kind: 'answer'
      readonly id: number
      readonly call: number
      readonly ok: boolean
      /** The value as JSON; the message when the call was refused. */
      readonly text: string
    }

/** How a run ended without a value: refused by the script itself, broken, or over a limit. */
export interface ScriptFailure {
  readonly reason: 'fail' | 'error' | 'cpu' | 'memory' | 'output' | 'calls' | 'unfinished'
  readonly message: string
  /** The field the script named with `fail`. */
  readonly field?: string
}

/** Process to host: that it can run scripts, a call of a running one, or how a run ended. */
export type ScriptReply =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'call'
      readonly id: number
      readonly call: number
      readonly method: ScriptMethod
      readonly args: string
    }
  | {
      readonly kind: 'end'
      readonly id: number
      /** The returned value as JSON, or why there is none. */
      readonly outcome: { readonly value: string } | ScriptFailure
      readonly logs: readonly string[]
    }
