// Owns which names complete what is typed of a CEL expression, or of one inside of a text. Knows no screen. Pure.

/** Something an expression may name. */
export interface ExpressionName {
  /** As it is written: `record.amount`. */
  readonly text: string
  /** What it is, for people. */
  readonly label: string
}

/** What may stand in place of what is typed. */
export interface Completion {
  /** Where the name that is typed begins. */
  readonly from: number
  readonly names: readonly ExpressionName[]
}

const maxNames = 8

/** Functions beyond the standard library of CEL. @source D-97 */
const functions = 'lower upper trim round floor ceil abs min max coalesce isBlank days addDays format today now'
  .split(' ')
  .map((name): ExpressionName => ({ text: `${name}(`, label: '' }))

/**
 * The names that complete what stands before the caret: those that begin so, then those whose last part does.
 * @param isText whether expressions stand in double braces
 * @param isAsked whether all are wanted where nothing is typed yet
 * @returns undefined where nothing is to be completed
 */
export function completionAt(
  text: string,
  caret: number,
  names: readonly ExpressionName[],
  { isText = false, isAsked = false }: { readonly isText?: boolean; readonly isAsked?: boolean } = {},
): Completion | undefined {
  const before = text.slice(0, caret)
  if (isText && before.lastIndexOf('{{') <= before.lastIndexOf('}}')) return undefined
  const typed = /(?:[a-z_]\w*|\["[^"\]]*"?\]?|\.)+$/i.exec(before)?.[0] ?? ''
  if (typed === '' && !isAsked) return undefined
  const wanted = typed.toLowerCase()
  const all = [...names, ...functions]
  const begins = (part: string): boolean => part.toLowerCase().startsWith(wanted)
  const first = all.filter((name) => begins(name.text))
  const others = all.filter((name) => !first.includes(name) && begins(name.text.slice(name.text.lastIndexOf('.') + 1)))
  const found = [...first, ...others].filter((name) => name.text !== typed).slice(0, maxNames)
  return found.length === 0 ? undefined : { from: caret - typed.length, names: found }
}
