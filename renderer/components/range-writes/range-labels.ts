// Owns the words about ranges that were written: what was done, what was left out, and why.
import { locale } from '../../lib/language.ts'
import { t, tn } from '../../lib/strings.ts'

const rows = (number: number): string => tn('count.rows', number)
const cells = (number: number): string => tn('count.cells', number)

/** Reasons named before the rest is only counted. */
const namedReasons = 3

/** "Too long (3); taken (1)": reasons with how often each was given, the most frequent first. */
function reasonsText(reasons: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  if (counts.size === 1) return reasons[0] ?? ''
  const named = [...counts].toSorted((a, b) => b[1] - a[1]).slice(0, namedReasons)
  const text = named.map(([reason, times]) => `${times.toLocaleString(locale)} × ${reason}`).join(' ')
  return counts.size > namedReasons ? `${text} …` : text
}

/** Rows are named by number as far as they can be read at a glance. */
const namedRows = 5

/** Sentences; each stands alone. */
export const rangeLabels = {
  changed: (number: number): string => t('range.changed', { cells: cells(number) }),
  added: (number: number): string => t('range.added', { rows: rows(number) }),
  copied: (number: number): string => t('grid.copied', { cells: cells(number) }),
  copyFailed: t('range.copyFailed'),
  refused: (number: number): string => t('range.refused', { cells: cells(number) }),
  readonly: (columns: readonly string[]): string => t('range.readonly', { columns: columns.join(', ') }),
  columnsBeyond: (number: number): string => t('range.columnsBeyond', { columns: tn('count.columns', number) }),
  rowsBeyond: (number: number): string => t('range.rowsBeyond', { rows: rows(number) }),
  failed: (reasons: readonly string[]): string =>
    t('range.failed', { cells: cells(reasons.length), reasons: reasonsText(reasons) }),
  notAdded: (numbers: readonly number[], reasons: readonly string[]): string => {
    const named = numbers.slice(0, namedRows).join(', ')
    const which = numbers.length > namedRows ? `${named}, …` : named
    return t('range.notAdded', { rows: rows(reasons.length), which, reasons: reasonsText(reasons) })
  },
  moved: (number: number): string => t('range.moved', { rows: rows(number) }),
  notLoaded: (number: number): string => t('range.notLoaded', { rows: rows(number) }),
  unread: (reason: string): string => t('range.unread', { reason }),
  tooMany: (number: number, limit: number): string => t('range.tooMany', { cells: cells(number), limit }),
}
