// The problems of one write, gathered over its stages so that one answer names them all (D-22). What needs a value that
// is itself invalid is not judged.
import { PlatformError, platformError, validationError } from '#shared/errors.ts'
import type { FieldError } from '#shared/errors.ts'
import { formulasOf } from '#shared/formulas/formulas-of.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'

/** Gathers the problems of one write. */
export interface Faults {
  /** Whether the write is refused whatever comes. */
  readonly any: boolean
  /** Names of fields without a valid value: those with a problem, and formulas made from them. */
  readonly invalid: ReadonlySet<string>
  add(problem: FieldError): void
  /** Runs a stage; its problems are kept, any other refusal is thrown on. Undefined when it has problems. */
  stage<T>(judge: () => T): T | undefined
  /** @throws validation_error with every problem; conflict when all that is wrong are values others have */
  settle(): void
}

const nothing: ReadonlySet<string> = new Set()

/**
 * Begins the list of one write's problems.
 * @param found those there are before the first stage
 */
export function createFaults(schema: ObjectSchema, found: readonly FieldError[]): Faults {
  const problems = [...found]
  /** Refusals of stages; the only one is thrown as it is. */
  const refusals: PlatformError[] = []
  return {
    get any() {
      return problems.length > 0 || refusals.length > 0
    },
    get invalid() {
      return problems.length === 0 ? nothing : invalidFields(schema, problems)
    },
    add: (problem) => void problems.push(problem),
    stage(judge) {
      try {
        return judge()
      } catch (error) {
        const more = error instanceof PlatformError ? error.details['fieldErrors'] : undefined
        if (!(error instanceof PlatformError) || !Array.isArray(more)) throw error
        problems.push(...(more as FieldError[]))
        refusals.push(error)
        return undefined
      }
    },
    settle() {
      const [only] = refusals
      if (only !== undefined && refusals.length === 1 && only.details['fieldErrors'] !== undefined) {
        if (problems.length === (only.details['fieldErrors'] as FieldError[]).length) throw only
      }
      if (problems.length > 0) throw refusalOf(problems)
      if (only !== undefined) throw only
    },
  }
}

/** The refusal of a write with these problems: values others have are a conflict while nothing else is wrong (D-23). */
export function refusalOf(problems: readonly FieldError[]): PlatformError {
  return problems.every(({ code }) => code === 'not_unique')
    ? platformError('conflict', { fieldErrors: problems })
    : validationError(problems)
}

function invalidFields(schema: ObjectSchema, problems: readonly FieldError[]): ReadonlySet<string> {
  const names = new Set(problems.map(({ field }) => field.split('.', 1)[0]!))
  const { stored, onRead } = formulasOf(schema)
  for (const formula of [...stored, ...onRead]) {
    if (formula.sources.some(({ name }) => names.has(name))) names.add(formula.schema.name)
  }
  return names
}
