// Ratios of paired measurements and the table they are printed in. Knows no server and no step by name.

/** Whether more is better (rates) or less (times, memory). */
export type Direction = 'higher' | 'lower'

/** One pair of measurements taken one after the other. */
export interface Pair {
  readonly cairn: number
  readonly reference: number
  /** Processor time Cairn took for one request or row, in ms; absent where it says nothing. */
  readonly cairnCpuMs?: number
  /** The same of the reference. */
  readonly referenceCpuMs?: number
}

/** The outcome of a step. */
export interface Figure {
  readonly id: string
  readonly label: string
  readonly unit: string
  readonly better: Direction
  /** What the ratio is to: `floor`, or another measurement of Cairn itself. */
  readonly reference: string
  readonly goal: number
  readonly cairn: number
  readonly referenceValue: number
  readonly medianRatio: number
  readonly worstRatio: number
  /**
   * Processor time per request or row, Cairn to reference. It hardly depends on what else the machine does, so on a
   * busy machine it tells more than the rates.
   */
  readonly cpuRatio?: number
  readonly ok: boolean
  readonly pairs: readonly Pair[]
}

/** A step that gave no figure, and why. */
export interface Missing {
  readonly id: string
  readonly label: string
  readonly reason: string
}

/** The middle of the values; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  if (sorted.length === 0) return Number.NaN
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** Sums up the pairs of a step; the goal is met by the median of the pairs' ratios. @throws Error on no pairs or no number */
export function makeFigure(
  step: Pick<Figure, 'id' | 'label' | 'unit' | 'better' | 'reference' | 'goal'>,
  pairs: readonly Pair[],
): Figure {
  const ratios = pairs.map((pair) => pair.cairn / pair.reference)
  if (ratios.length === 0 || ratios.some((ratio) => !Number.isFinite(ratio))) {
    throw new Error(`no usable measurement: ${JSON.stringify(pairs)}`)
  }
  const medianRatio = median(ratios)
  const cpuRatio = median(pairs.map((pair) => (pair.cairnCpuMs ?? Number.NaN) / (pair.referenceCpuMs ?? Number.NaN)))
  return {
    ...step,
    cairn: median(pairs.map((pair) => pair.cairn)),
    referenceValue: median(pairs.map((pair) => pair.reference)),
    medianRatio,
    worstRatio: step.better === 'higher' ? Math.min(...ratios) : Math.max(...ratios),
    ...(Number.isFinite(cpuRatio) ? { cpuRatio } : {}),
    ok: step.better === 'higher' ? medianRatio >= step.goal : medianRatio <= step.goal,
    pairs,
  }
}

/** A value with its unit, as tables show it. */
export function showValue(value: number, unit: string): string {
  return `${value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(3)} ${unit}`
}

const columns = ['step', 'Cairn', 'floor', 'median', 'worst', 'goal', '', 'CPU']

function cells(figure: Figure): string[] {
  return [
    figure.label,
    showValue(figure.cairn, figure.unit),
    showValue(figure.referenceValue, figure.unit) + (figure.reference === 'floor' ? '' : ` (${figure.reference})`),
    figure.medianRatio.toFixed(2),
    figure.worstRatio.toFixed(2),
    `${figure.better === 'higher' ? '>=' : '<='} ${figure.goal.toFixed(2)}`,
    figure.ok ? 'ok' : 'short',
    figure.cpuRatio === undefined ? '' : `${figure.cpuRatio.toFixed(1)}x`,
  ]
}

/** The table of a run as text with aligned columns; steps without a figure follow with their reason. */
export function formatTable(figures: readonly Figure[], missing: readonly Missing[]): string {
  const lines = alignRows([columns, ...figures.map(cells)])
  return [...lines, ...missing.map((step) => `${step.label}: not measured, ${step.reason}`)].join('\n')
}

/** Lines with aligned columns, the first one underlined; the first column is text and all others are numbers. */
export function alignRows(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, index) => Math.max(...rows.map((row) => row[index]!.length)))
  const lines = rows.map((row) =>
    row
      .map((cell, index) => (index === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[index]!)))
      .join('  ')
      .trimEnd(),
  )
  lines.splice(1, 0, widths.map((width) => '-'.repeat(width)).join('  '))
  return lines
}
