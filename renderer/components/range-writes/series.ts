// Owns how a series goes on: numbers and days by their step, instants by their distance, texts that end in a number by that
// number, everything else from the beginning. Pure; values as they are stored.

/** What a column takes: numbers, days or instants, or free text. `fixed` values are chosen from a list: they repeat. */
export type SeriesKind = 'number' | 'dated' | 'text' | 'fixed'

const day = /^(\d{4})-(\d{2})-(\d{2})$/
const numbered = /^([\s\S]*?)(\d{1,15})$/
const dayMs = 86_400_000

/** The value after the seeds at a distance, 0 for the first one; seeds are the values the series begins with, in order. */
export function seriesValue(seeds: readonly unknown[], kind: SeriesKind, distance: number): unknown {
  const rule = kind === 'fixed' || seeds.length === 0 ? undefined : ruleOf(seeds, kind)
  return rule ? rule(distance + 1) : seeds[distance % Math.max(1, seeds.length)]
}

/** How to go on from the last seed by a number of steps; undefined where nothing leads on. */
function ruleOf(seeds: readonly unknown[], kind: SeriesKind): ((steps: number) => unknown) | undefined {
  if (kind === 'number') return numberRule(seeds)
  if (!seeds.every((seed) => typeof seed === 'string')) return undefined
  return kind === 'dated' ? (dayRule(seeds) ?? instantRule(seeds)) : textRule(seeds)
}

function numberRule(seeds: readonly unknown[]): ((steps: number) => number) | undefined {
  if (!seeds.every((seed) => typeof seed === 'number' && Number.isFinite(seed))) return undefined
  const numbers = seeds as readonly number[]
  const step = evenStep(numbers, 1)
  if (step === undefined) return undefined
  // As many decimals as were typed: 0.1 and 0.2 lead to 0.3.
  const decimals = Math.max(...numbers.map(decimalsOf))
  const last = numbers.at(-1) ?? 0
  return (steps) => Number((last + step * steps).toFixed(decimals))
}

function decimalsOf(number: number): number {
  const [digits = '', exponent = '0'] = String(number).split('e')
  return Math.min(20, Math.max(0, (digits.split('.')[1]?.length ?? 0) - Number(exponent)))
}

/** The distance between neighbours where it is everywhere the same; of a single seed the given one. */
function evenStep(numbers: readonly number[], ofOne: number): number | undefined {
  if (numbers.length === 1) return ofOne
  const steps = numbers.slice(1).map((number, at) => number - (numbers[at] ?? 0))
  const [first = 0] = steps
  const tolerance = Math.abs(first) * 1e-9
  return steps.every((step) => Math.abs(step - first) <= tolerance) ? first : undefined
}

/** Days go on by months where the day of the month stays, else by days. */
function dayRule(seeds: readonly string[]): ((steps: number) => string) | undefined {
  const days = seeds.map((seed) => day.exec(seed))
  if (days.some((match) => match === null)) return undefined
  const parts = days.map((match) => (match ?? []).slice(1).map(Number))
  const [, , dayOfMonth = 1] = parts[0] ?? []
  const months = evenStep(
    parts.map(([year = 0, month = 1]) => year * 12 + month - 1),
    0,
  )
  const [year = 0, month = 1] = parts.at(-1) ?? []
  if (months !== undefined && months !== 0 && parts.every(([, , other]) => other === dayOfMonth)) {
    return (steps) => {
      const at = year * 12 + month - 1 + months * steps
      const [inYear, inMonth] = [Math.floor(at / 12), at % 12]
      // The 31st becomes the last day of a shorter month, and the 31st again after it.
      const length = new Date(Date.UTC(inYear, inMonth + 1, 0)).getUTCDate()
      return written(Date.UTC(inYear, inMonth, Math.min(dayOfMonth, length)))
    }
  }
  const times = parts.map(([inYear = 0, inMonth = 1, inDay = 1]) => Date.UTC(inYear, inMonth - 1, inDay))
  const step = evenStep(times, dayMs)
  return step === undefined ? undefined : (steps) => written((times.at(-1) ?? 0) + step * steps)
}

const written = (time: number): string => new Date(time).toISOString().slice(0, 10)

function instantRule(seeds: readonly string[]): ((steps: number) => string) | undefined {
  const times = seeds.map((seed) => Date.parse(seed))
  if (times.some(Number.isNaN)) return undefined
  const step = evenStep(times, dayMs)
  return step === undefined ? undefined : (steps) => new Date((times.at(-1) ?? 0) + step * steps).toISOString()
}

function textRule(seeds: readonly string[]): ((steps: number) => string) | undefined {
  const parts = seeds.map((seed) => numbered.exec(seed))
  const [, head = '', digits = ''] = parts[0] ?? []
  if (digits === '' || parts.some((match) => match?.[1] !== head)) return undefined
  const numbers = parts.map((match) => Number(match?.[2]))
  const step = evenStep(numbers, 1)
  if (step === undefined) return undefined
  const last = numbers.at(-1) ?? 0
  // "007" keeps its width; a series that would go below zero begins again.
  const width = digits.startsWith('0') ? digits.length : 0
  return last + step < 0
    ? undefined
    : (steps) => `${head}${String(Math.max(0, last + step * steps)).padStart(width, '0')}`
}
