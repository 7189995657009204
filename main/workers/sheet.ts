// Entry of the spreadsheet process: XLSX to lines of JSON and back. One task, then it ends; the host kills it at its
// limit, so that no file can hold the host up or fill its memory. Knows no host, no fields, no rights.
import { open, readFile } from 'node:fs/promises'
import { setFlagsFromString } from 'node:v8'
import { InvalidInputError, InvalidSpreadsheetError, SheetNotFoundError, readSheet } from 'read-excel-file/node'
import type { CellValue } from 'read-excel-file/node'
import writeSheet from 'write-excel-file/node'
import type { SheetReply, SheetTask } from '#main/kernel/sheet-protocol.ts'
import { endWithParent } from './end-with-parent.ts'

/** Bytes of a file when unpacked; what is larger is refused before it is unpacked. */
const maxUnpackedBytes = 500_000_000

/** A file may lie about its size: the process ends itself beyond this. */
const maxMemoryBytes = 2_000_000_000

const linesPerWrite = 1_000

if (process.send === undefined) {
  process.stderr.write('The spreadsheet process is started by the host only.\n')
  process.exit(1)
}
process.umask(0o077)
setFlagsFromString('--max-old-space-size=1536')
setInterval(() => {
  if (process.memoryUsage.rss() > maxMemoryBytes) process.exit(2)
}, 25).unref()
endWithParent()
process.on('disconnect', () => process.exit(0))

const reply = (message: SheetReply): void => {
  process.send?.(message)
}

process.on('message', (message) => {
  const task = message as SheetTask
  const work = task.kind === 'read' ? read(task) : write(task)
  void work.then(reply, (error: unknown) => {
    reply({ kind: 'error', reason: reasonOf(error), message: error instanceof Error ? error.message : String(error) })
  })
})

/** Writes the header and every row that is not empty as one JSON array per line. */
async function read(task: SheetTask & { kind: 'read' }): Promise<SheetReply> {
  if ((await unpackedBytes(task.file)) > maxUnpackedBytes)
    return { kind: 'error', reason: 'too_large', message: 'The unpacked file is too large.' }
  const rows = await readSheet(task.file, task.sheet ?? 1, { trim: false })
  const target = await open(task.target, 'wx', 0o600)
  try {
    let lines: string[] = []
    let total = 0
    for (const row of rows) {
      if (row.every((cell) => cell === null || cell === '')) continue
      total += 1
      lines.push(JSON.stringify(row.map(plainCell)))
      if (lines.length < linesPerWrite) continue
      await target.appendFile(`${lines.join('\n')}\n`)
      lines = []
    }
    if (lines.length > 0) await target.appendFile(`${lines.join('\n')}\n`)
    return { kind: 'done', lines: total }
  } finally {
    await target.close()
  }
}

/** Makes a sheet of lines that hold one JSON array each; the first is the header. */
async function write(task: SheetTask & { kind: 'write' }): Promise<SheetReply> {
  const lines = (await readFile(task.file, 'utf8')).split('\n').filter((line) => line !== '')
  const rows = lines.map((line) => JSON.parse(line) as (string | number | boolean | null)[])
  const [header = [], ...records] = rows.map((row) => row.map(encodeCell))
  const heading = header.map((text) => ({ value: String(text), fontWeight: 'bold' as const }))
  await writeSheet([heading, ...records], { sheet: task.sheet, stickyRowsCount: 1 }).toFile(task.target)
  return { kind: 'done', lines: rows.length }
}

/** What XML cannot hold, or the writer would drop. */
const unwritable = /[\p{Noncharacter_Code_Point}\uFFFD\u0000-\u0008\u000B-\u001F\u007F-\u0084\u0086-\u009F]/gu

/**
 * Escapes text as spreadsheets do, `_x000D_` for a carriage return, and a text that looks like an escape.
 * @source ECMA-376 part 1, 22.9.2.19
 */
function encodeCell(cell: string | number | boolean | null): string | number | boolean | null {
  if (typeof cell !== 'string') return cell
  const text = cell.replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_').replace(unwritable, escapeUnits)
  // The writer keeps its texts as keys of a plain object, which has members of its own.
  return text in Object.prototype ? escapeUnits(text.charAt(0)) + text.slice(1) : text
}

function escapeUnits(text: string): string {
  return Array.from({ length: text.length }, (_, at) => {
    const code = text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0')
    return `_x${code}_`
  }).join('')
}

/** A sheet's date has no zone: it is passed on as it reads on the screen. */
function plainCell(cell: CellValue | null): string | number | boolean | null {
  if (!(cell instanceof Date)) return cell as string | number | boolean | null
  if (Number.isNaN(cell.getTime())) return null
  const text = cell.toISOString().slice(0, -1)
  const time = text.slice(11).replace(/\.000$/, '')
  // Day zero of the calendar of spreadsheets: a time without a day.
  if (cell.getUTCFullYear() < 1900) return time
  return time === '00:00:00' ? text.slice(0, 10) : `${text.slice(0, 11)}${time}`
}

function reasonOf(error: unknown): 'sheet_not_found' | 'invalid' | 'failed' {
  if (error instanceof SheetNotFoundError) return 'sheet_not_found'
  return error instanceof InvalidInputError || error instanceof InvalidSpreadsheetError ? 'invalid' : 'failed'
}

/** Adds up the sizes that the directory of an archive declares; infinite when there is no directory. */
async function unpackedBytes(path: string): Promise<number> {
  const file = await readFile(path)
  const end = file.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  if (end < 0 || end + 22 > file.length) return 0
  let at = file.readUInt32LE(end + 16)
  let bytes = 0
  while (at + 46 <= end && file.readUInt32LE(at) === 0x02014b50) {
    bytes += file.readUInt32LE(at + 24)
    at += 46 + file.readUInt16LE(at + 28) + file.readUInt16LE(at + 30) + file.readUInt16LE(at + 32)
  }
  return bytes
}
