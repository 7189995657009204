// What one evaluation may use: steps and time. Every operation pays before it works, larger values pay more.
import { ExpressionError } from './expression-error.ts'

/** Steps of one evaluation. @source D-97 */
export const maxSteps = 100_000
/** Milliseconds of one evaluation. @source D-97 */
export const maxMs = 50
/** UTF-16 units of a text an expression may build. */
export const maxText = 1_000_000

/** UTF-16 units of text that are read or written for one step. */
const textPerStep = 32
/** How many steps pass between two looks at the clock. */
const stepsPerLook = 256
// A look comes after some work has been done, so the limit is kept with a margin.
const lookedMs = maxMs - 10

/** Counts down the steps of one evaluation. */
export interface Budget {
  /** Pays for an operation. @throws ExpressionError `limit` */
  spend(steps: number): void
  /** Pays for reading a text of that length. @throws ExpressionError `limit` */
  spendText(length: number): void
  /** Pays for making a text of that length, before it is made. @throws ExpressionError `limit` */
  spendMade(length: number): void
  /** Looks at the clock now, around work that takes long for its steps. @throws ExpressionError `limit` */
  look(): void
}

/** A full budget; its time begins with the first look, which quick expressions never reach. */
export function createBudget(): Budget {
  let left = maxSteps
  let untilLook = stepsPerLook
  let deadline = 0
  const look = (): void => {
    const now = Date.now()
    if (deadline === 0) deadline = now + lookedMs
    else if (now > deadline) throw new ExpressionError('limit', `The expression takes more than ${maxMs} ms.`)
  }
  const spend = (steps: number): void => {
    left -= steps
    untilLook -= steps
    if (left < 0) throw new ExpressionError('limit', `The expression takes more than ${maxSteps} steps.`)
    if (untilLook > 0) return
    untilLook = stepsPerLook
    look()
  }
  const spendText = (length: number): void => spend(1 + Math.floor(length / textPerStep))
  return {
    spend,
    spendText,
    spendMade(length) {
      if (length > maxText) throw new ExpressionError('limit', `A text has at most ${maxText} characters.`)
      spendText(length)
    },
    look,
  }
}
