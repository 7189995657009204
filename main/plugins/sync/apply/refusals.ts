// What is thrown inside of a savepoint to take back an envelope: for good, or until something else has come.
import type { ChangeRefusal } from './change-judge.ts'

/** Thrown for an envelope that has to wait. */
export class Waits extends Error {
  /** The incarnations it builds on. */
  readonly missing: ReadonlySet<number>
  /** `newer_schema`: what it is about is not defined here yet, so its author's rights cannot be judged. */
  readonly reason: 'missing_dep' | 'newer_schema'

  constructor(missing: ReadonlySet<number>, reason: Waits['reason'] = 'missing_dep') {
    super('The envelope builds on something that is not here.')
    this.missing = missing
    this.reason = reason
  }
}

/** Thrown for an envelope its author may not write. */
export class Forbidden extends Error {
  readonly refusal: Forbidding

  constructor(refusal: Forbidding) {
    super(refusal.forbidden)
    this.refusal = refusal
  }
}

/** A refusal for good. */
export type Forbidding = Extract<ChangeRefusal, { readonly forbidden: string }>

/** @throws Forbidden, Waits for what was refused */
export function refuseChange(refusal: ChangeRefusal | undefined): void {
  if (refusal === undefined) return
  if ('forbidden' in refusal) throw new Forbidden(refusal)
  throw new Waits(new Set(), 'newer_schema')
}
