// Owns the words about ranges that were written, in English: what was done, what was left out, and why.

const count = (number: number, one: string, other: string): string =>
  `${number.toLocaleString('en')} ${number === 1 ? one : other}`
const rows = (number: number): string => count(number, 'row', 'rows')
const cells = (number: number): string => count(number, 'cell', 'cells')

/** Reasons named before the rest is only counted. */
const namedReasons = 3

/** "Too long (3); taken (1)": reasons with how often each was given, the most frequent first. */
function reasonsText(reasons: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  if (counts.size === 1) return reasons[0] ?? ''
  const named = [...counts].toSorted((a, b) => b[1] - a[1]).slice(0, namedReasons)
  const text = named.map(([reason, times]) => `${times.toLocaleString('en')} × ${reason}`).join(' ')
  return counts.size > namedReasons ? `${text} …` : text
}

/** Rows are named by number as far as they can be read at a glance. */
const namedRows = 5

/** Sentences; each stands alone. */
export const rangeLabels = {
  changed: (number: number): string => `${cells(number)} changed.`,
  added: (number: number): string => `${rows(number)} added.`,
  copied: (number: number): string => `${cells(number)} copied.`,
  copyFailed: 'Copying failed: the rows could not be read, or the browser does not let this page use the clipboard.',
  refused: (number: number): string => `${cells(number)} not taken over: the text is kept in the marked cells.`,
  readonly: (columns: readonly string[]): string =>
    `Left as it is, because it cannot be edited here: ${columns.join(', ')}.`,
  columnsBeyond: (number: number): string =>
    `${count(number, 'column', 'columns')} of the clipboard left out: beyond the last column.`,
  rowsBeyond: (number: number): string =>
    `${rows(number)} of the clipboard left out: below the last row. Pasting adds rows where nothing is filtered, searched or grouped.`,
  failed: (reasons: readonly string[]): string =>
    `${cells(reasons.length)} not saved, the text is kept in the marked cells: ${reasonsText(reasons)}`,
  notAdded: (numbers: readonly number[], reasons: readonly string[]): string => {
    const named = numbers.slice(0, namedRows).join(', ')
    const which = numbers.length > namedRows ? `${named}, …` : named
    return `${rows(reasons.length)} of the clipboard not added (${which}): ${reasonsText(reasons)}`
  },
  moved: (number: number): string => `${rows(number)} not reached: records were moved or deleted meanwhile.`,
  notLoaded: (number: number): string => `${rows(number)} not changed: they had not been loaded.`,
  unread: (reason: string): string => `The rows could not be read, so nothing was changed. ${reason}`,
  tooMany: (number: number, limit: number): string =>
    `This would change ${cells(number)}; at most ${limit.toLocaleString('en')} can be changed in one step. Nothing was changed.`,
}
