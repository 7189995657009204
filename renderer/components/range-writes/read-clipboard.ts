// Owns reading the two clipboard formats spreadsheets exchange: tab-separated text and an HTML table.
// Pure text in, text out; knows no clipboard API, no DOM and no field types.

/** Rows of cell texts; rows may have different lengths when they come from elsewhere. */
export type CellTable = string[][]

/**
 * Reads tab-separated text as spreadsheets write it. Line breaks may be LF, CRLF or CR and come out as LF; one line
 * break at the very end is not a row. A quote that is never closed is an ordinary character.
 */
export function parseTsv(text: string): CellTable {
  const source = text.replace(/\r\n?/g, '\n').replace(/^\uFEFF/, '')
  const rows: CellTable = []
  let row: string[] = []
  let at = 0
  for (;;) {
    const quoted = source[at] === '"' ? quotedCell(source, at) : null
    let end: number
    if (quoted) {
      row.push(quoted.text)
      end = quoted.end
    } else {
      end = at
      while (end < source.length && source[end] !== '\t' && source[end] !== '\n') end++
      row.push(source.slice(at, end))
    }
    at = end + 1
    if (source[end] === '\t') continue
    rows.push(row)
    row = []
    if (end >= source.length || (source[end] === '\n' && end === source.length - 1)) return rows
  }
}

function quotedCell(source: string, start: number): { text: string; end: number } | null {
  let at = start + 1
  for (;;) {
    const close = source.indexOf('"', at)
    if (close < 0) return null
    if (source[close + 1] === '"') {
      at = close + 2
      continue
    }
    const after = source[close + 1]
    if (after !== undefined && after !== '\t' && after !== '\n') return null
    return { text: source.slice(start + 1, close).replaceAll('""', '"'), end: close + 1 }
  }
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

function decodeEntities(text: string): string {
  return text.replace(/&(#x[0-9a-f]{1,6}|#[0-9]{1,7}|[a-z]{2,6});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return entities[name.toLowerCase()] ?? whole
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    if (code === 160) return ' '
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}

// A merged cell larger than this is not a spreadsheet's; only its row span is ignored.
const MAX_SPANNED = 10_000

const span = (attributes: string, name: string): number => {
  const found = new RegExp(`\\b${name}\\s*=\\s*["']?(\\d{1,4})`, 'i').exec(attributes)
  return Math.min(1000, Math.max(1, Number(found?.[1] ?? 1)))
}

/**
 * Reads the first table of an HTML clipboard, or null when there is none. Merged cells (`colspan`, `rowspan`) put
 * their text in the first cell and leave the others empty, as spreadsheets do when they paste their own HTML.
 */
export function parseHtmlTable(html: string): CellTable | null {
  const open = /<table\b/i.exec(html)
  if (!open) return null
  const rows: CellTable = []
  const taken = new Map<string, true>()
  let text: string | null = null
  let rowIndex = -1
  let attributes = ''
  let depth = 0
  let blockEnded = false
  const tag = /<!--[\s\S]*?-->|<(script|style)\b[\s\S]*?<\/\1\s*>|<(\/?)([a-z][a-z0-9]*)\b([^>]*)>|[^<]+|</gi
  tag.lastIndex = open.index
  const place = (): void => {
    if (text === null || rowIndex < 0) return
    const row = rows[rowIndex] ?? (rows[rowIndex] = [])
    let column = 0
    while (column < row.length || taken.has(`${rowIndex}:${column}`)) {
      if (column >= row.length) row.push('')
      column++
    }
    const columns = span(attributes, 'colspan')
    const lines = columns * span(attributes, 'rowspan') > MAX_SPANNED ? 1 : span(attributes, 'rowspan')
    row.push(cellText(text), ...Array.from({ length: columns - 1 }, () => ''))
    for (let line = 1; line < lines; line++) {
      for (let index = 0; index < columns; index++) taken.set(`${rowIndex + line}:${column + index}`, true)
    }
    text = null
  }
  for (let match = tag.exec(html); match; match = tag.exec(html)) {
    const name = match[3]?.toLowerCase()
    if (!name) {
      if (text === null || match[1] !== undefined || match[0].startsWith('<!--')) continue
      // White space in the source is layout, never a line break of the cell.
      const piece = match[0].replace(/[ \t\r\n]+/g, ' ')
      if (blockEnded && piece !== ' ') {
        text += '\n'
        blockEnded = false
      }
      text += piece
      continue
    }
    const closing = match[2] === '/'
    if (name === 'table') {
      depth += closing ? -1 : 1
      if (depth === 0) break
    } else if (depth > 1) {
      continue
    } else if (name === 'tr') {
      place()
      if (!closing) {
        rowIndex++
        rows[rowIndex] = []
      }
    } else if (name === 'td' || name === 'th') {
      place()
      if (!closing) {
        if (rowIndex < 0) rowIndex = 0
        text = ''
        blockEnded = false
        attributes = match[4] ?? ''
      }
    } else if (text !== null && name === 'br') {
      text += '\n'
    } else if (closing && (name === 'p' || name === 'div')) {
      blockEnded = true
    }
  }
  place()
  for (const key of taken.keys()) {
    const [line = 0, column = 0] = key.split(':').map(Number)
    const row = rows[line]
    while (row && row.length <= column) row.push('')
  }
  return rows
}

function cellText(raw: string): string {
  return decodeEntities(raw.replace(/ *\n */g, '\n').replace(/^ +| +$/g, '')).replaceAll('\u00a0', ' ')
}
