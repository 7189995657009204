// The mark that keeps a spreadsheet from running a cell: an apostrophe before it. Exports put it, imports take it off.

/** What a spreadsheet would run, with any apostrophes before it: one more or less keeps the two ways inverse. */
const runs = /^'*[=+\-@\t\r\0]/

/** The text as a cell that is never run. */
export function withMark(text: string): string {
  return runs.test(text) ? `'${text}` : text
}

/** The text that a cell stands for. */
export function withoutMark(cell: string): string {
  return cell.startsWith("'") && runs.test(cell) ? cell.slice(1) : cell
}
