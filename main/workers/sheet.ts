// Entry of the spreadsheet process: XLSX to lines of JSON and back. One task, then it ends; the host kills it at its
// limit, so that no file can hold the host up or fill its memory. Knows no host, no fields, no rights.
import { open, readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads'
import { InvalidInputError, InvalidSpreadsheetError, SheetNotFoundError, readSheet } from 'read-excel-file/node'
import type { CellValue } from 'read-excel-file/node'
import writeSheet from 'write-excel-file/node'
import { sheetLimits } from '#main/kernel/sheet-protocol.ts'
import type { SheetReply, SheetTask } from '#main/kernel/sheet-protocol.ts'
import { endWithParent } from './end-with-parent.ts'
import { SheetRefusal, openSheetArchive } from './sheet-archive.ts'

const linesPerWrite = 1_000
const lengthPerWrite = 4_000_000

const tooMuchMemory: SheetReply = { kind: 'error', reason: 'too_large', message: 'The file needs too much memory.' }

if (isMainThread) watch()
else
  void work(workerData as SheetTask).then((reply) => {
    parentPort!.postMessage(reply)
  })

/** Does the task in a thread of its own: this one stays free to see how much memory that takes, and to end it. */
function watch(): void {
  if (process.send === undefined) {
    process.stderr.write('The spreadsheet process is started by the host only.\n')
    process.exit(1)
  }
  process.umask(0o077)
  endWithParent()
  process.on('disconnect', () => process.exit(0))
  process.on('message', (task) => {
    const reply = (message: SheetReply): void => {
      clearInterval(timer)
      process.send?.(message)
    }
    const thread = new Worker(fileURLToPath(import.meta.url), {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: sheetLimits.heapMb },
    })
    const timer = setInterval(() => {
      if (process.memoryUsage.rss() > sheetLimits.memoryBytes) reply(tooMuchMemory)
    }, 25)
    thread.on('message', reply)
    thread.on('error', (error: NodeJS.ErrnoException) => {
      reply(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuchMemory : refusalOf(error))
    })
  })
}

async function work(task: SheetTask): Promise<SheetReply> {
  try {
    return await (task.kind === 'read' ? read(task) : write(task))
  } catch (error) {
    return refusalOf(error)
  }
}

/** Writes the header and every row that is not empty as one JSON array per line. */
async function read(task: SheetTask & { kind: 'read' }): Promise<SheetReply> {
  const archive = Readable.from(openSheetArchive(await readFile(task.file)), { objectMode: false })
  const rows = await readSheet(archive, task.sheet ?? 1, { trim: false })
  checkLength(rows)
  const target = await open(task.target, 'wx', 0o600)
  try {
    let lines: string[] = []
    let length = 0
    let total = 0
    for (const row of rows) {
      if (row.every((cell) => cell === null || cell === '')) continue
      total += 1
      const line = JSON.stringify(row.map(plainCell))
      lines.push(line)
      length += line.length
      if (lines.length < linesPerWrite && length < lengthPerWrite) continue
      await target.appendFile(`${lines.join('\n')}\n`)
      lines = []
      length = 0
    }
    if (lines.length > 0) await target.appendFile(`${lines.join('\n')}\n`)
    return { kind: 'done', lines: total }
  } finally {
    await target.close()
  }
}

/** A shared text is stored once and used by any number of cells. @throws SheetRefusal */
function checkLength(rows: readonly (readonly (CellValue | null)[])[]): void {
  let length = 0
  for (const row of rows) {
    const before = length
    for (const cell of row) length += typeof cell === 'string' ? cell.length : 0
    if (length - before > sheetLimits.rowLength) throw new SheetRefusal('too_large', 'A row is too long.')
    if (length > sheetLimits.outputLength) throw new SheetRefusal('too_large', 'The cells hold too much text.')
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

function refusalOf(error: unknown): SheetReply {
  const message = error instanceof Error ? error.message : String(error)
  return { kind: 'error', reason: reasonOf(error), message }
}

function reasonOf(error: unknown): (SheetReply & { kind: 'error' })['reason'] {
  if (error instanceof SheetRefusal) return error.reason
  if (error instanceof SheetNotFoundError) return 'sheet_not_found'
  return error instanceof InvalidInputError || error instanceof InvalidSpreadsheetError ? 'invalid' : 'failed'
}
