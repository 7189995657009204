// Figures held against goals of their own, of which most are no ratios, and the table they are printed in. Knows no host and
// no step by name.
import { alignRows, showValue } from './figures.ts'
import type { Direction, Missing } from './figures.ts'

/** One figure of a step. */
export interface GoalFigure {
  readonly id: string
  readonly label: string
  readonly unit: string
  readonly value: number
  /** What it is held to, and which way; a figure without a goal is told only. */
  readonly goal?: readonly [Direction, number]
  /** What was seen beside it. */
  readonly note?: string
}

/** Whether a figure meets its goal; undefined for one without. @throws Error on a value that is no number */
export function meetsGoal({ id, value, goal }: GoalFigure): boolean | undefined {
  if (!Number.isFinite(value)) throw new Error(`no usable measurement of ${id}: ${value}`)
  if (goal === undefined) return undefined
  return goal[0] === 'higher' ? value >= goal[1] : value <= goal[1]
}

function cells(figure: GoalFigure): string[] {
  const { label, value, unit, goal, note = '' } = figure
  const met = meetsGoal(figure)
  return [
    label,
    showValue(value, unit),
    goal === undefined ? '' : `${goal[0] === 'higher' ? '>=' : '<='} ${showValue(goal[1], unit)}`,
    met === undefined ? '' : met ? 'ok' : 'short',
    note,
  ]
}

/** The table of a run as text; steps without figures follow with their reason. */
export function formatGoalTable(figures: readonly GoalFigure[], missing: readonly Missing[]): string {
  const lines = alignRows([['figure', 'Cairn', 'goal', '', 'beside it'], ...figures.map(cells)])
  return [...lines, ...missing.map((step) => `${step.label}: not measured, ${step.reason}`)].join('\n')
}

/** The value below which a share of the values lies; NaN of none. */
export function percentileOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
