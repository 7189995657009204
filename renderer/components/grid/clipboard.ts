// Owns writing the two clipboard formats spreadsheets exchange: tab-separated text and an HTML table.
// Pure text in, text out; knows no clipboard API, no DOM and no field types.

const needsQuotes = /["\t\r\n]/

/** Writes cells as tab-separated text: lines end in LF, cells with tabs, quotes or line breaks are quoted. */
export function writeTsv(cells: readonly (readonly string[])[]): string {
  const lines = cells.map((row) =>
    row.map((cell) => (needsQuotes.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join('\t'),
  )
  // An empty last line would be read as the end of the line before it, so it is made visible.
  if (lines.length > 1 && lines.at(-1) === '') lines[lines.length - 1] = '""'
  return lines.join('\n')
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Writes cells as an HTML table, the form spreadsheets prefer over text. */
export function writeHtmlTable(cells: readonly (readonly string[])[]): string {
  const cell = (text: string): string => {
    const escaped = text.replace(/[&<>"]/g, (character) => escapes[character] ?? character)
    // Runs of blanks and blanks at the ends would collapse when read as HTML.
    const blanks = escaped.replace(/^ | $| (?= )|(?<=\n) | (?=\n)/g, '&#160;').replaceAll('\t', '&#9;')
    return `<td>${blanks.replace(/\r\n?|\n/g, '<br>')}</td>`
  }
  const rows = cells.map((row) => `<tr>${row.map(cell).join('')}</tr>`)
  return `<meta charset="utf-8"><table>${rows.join('')}</table>`
}
