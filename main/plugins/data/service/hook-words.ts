// The words between the writes of records and the code that runs around them. Types only.
import type { PlatformError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { PlatformRecord } from '../api.ts'

/** The phases of a write that code may listen to (D-98). */
export type HookEvent = 'insert' | 'update' | 'delete' | 'restore'

/** One record a hook is shown. */
export interface HookItem {
  /** The record as it is about to be stored, or as it was stored in the after phase. */
  readonly record: Readonly<PlatformRecord>
  /** The record before the write; null for an insert. */
  readonly previous: Readonly<PlatformRecord> | null
}

/** What the before-hooks made of one record: fields to set on top of the supplied ones, or a refusal. */
export type HookOutcome =
  | { readonly ok: true; readonly patch: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly error: PlatformError }

/** Code that runs around writes of records, outside every transaction; `scripts` sets it (D-98). */
export interface RecordHooks {
  /** Whether anything listens; answered from memory, so that a write without hooks pays nothing. */
  listens(object: string, phase: 'before' | 'after', event: HookEvent): boolean
  /** Runs the before-hooks of every item, in order of priority; one outcome per item, in their order. */
  before(
    ctx: RequestContext,
    input: { object: string; event: HookEvent; items: readonly HookItem[] },
  ): Promise<readonly HookOutcome[]>
  /** Runs the after-hooks once the write is stored; resolves when those that are not `async` have ended. Never throws. */
  after(ctx: RequestContext, input: { object: string; event: HookEvent; items: readonly HookItem[] }): Promise<void>
}
