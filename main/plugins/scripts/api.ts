// What other plugins may ask of scripts. Types only.
import type { RequestContext } from '#main/kernel/context.ts'

/** A script to run. */
export interface ScriptInput {
  /** The body of an async function. */
  readonly source: string
  /** A JSON value; the script sees it frozen as `input`. */
  readonly input: unknown
  /** Wall time in milliseconds; at most, and by default, the limit of D-99. */
  readonly timeoutMs?: number
}

/** What a script gave back. */
export interface ScriptResult {
  /** A JSON value; null when nothing was returned. */
  readonly value: unknown
  readonly logs: readonly string[]
  readonly durationMs: number
}

/** Runs JavaScript of people in an isolated process, with the rights of the caller and no more. */
export interface ScriptsService {
  /** @throws execution_failed, execution_timeout, validation_error when the script calls `fail` */
  run(ctx: RequestContext, script: ScriptInput): Promise<ScriptResult>
  /**
   * Runs a `function` item.
   * @throws resource_not_found, validation_error when the input does not fit its schema, and what `run` throws
   */
  runFunction(ctx: RequestContext, name: string, input: unknown): Promise<ScriptResult>
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    scripts: ScriptsService
  }
}
