// Runs the spreadsheet process: an XLSX file to lines of JSON, and lines of JSON to an XLSX file.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { platformError, validationError } from '#shared/errors.ts'
import type { KillableChild, ProcessSpawner } from '#main/kernel/ports.ts'
import type { SheetReply, SheetTask } from '#main/kernel/sheet-protocol.ts'

/** Reading or writing a spreadsheet ends after this long. */
const timeoutMs = 300_000

/** Spreadsheets under way at most: each may take a gigabyte of memory. */
const maxProcesses = 2

/** Converts spreadsheets in a process of their own. */
export interface Sheets {
  /**
   * @returns how many lines were written
   * @param signal kills the process, and ends the wait for one
   * @throws validation_error when the file is no spreadsheet, too large or has no such sheet, service_unavailable, timeout
   */
  run(task: SheetTask, signal?: AbortSignal): Promise<number>
  /** Kills every process. */
  close(): void
}

/** Path of the entry: the source when the host runs from sources, else the bundle beside the host's. */
function sheetEntry(): string {
  const places = ['../../../workers/sheet.ts', './workers/sheet.js', '../workers/sheet.js']
  const paths = places.map((place) => fileURLToPath(new URL(place, import.meta.url)))
  const entry = paths.find((path) => existsSync(path))
  if (entry === undefined) throw new Error('The spreadsheet process is not part of this installation.')
  return entry
}

/** Makes the runner; no process is started before the first task. */
export function createSheets(spawn: ProcessSpawner): Sheets {
  const children = new Set<KillableChild>()
  const waiting = new Set<() => void>()
  let closed = false

  const convert = (task: SheetTask, signal: AbortSignal | undefined): Promise<number> =>
    new Promise((resolve, reject) => {
      const child = spawn(sheetEntry(), { name: 'cairn-sheet' })
      children.add(child)
      const end = (settle: () => void): void => {
        if (!children.delete(child)) return
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
        child.kill()
        settle()
      }
      const onAbort = (): void => end(() => reject(signal?.reason as Error))
      const timer = setTimeout(() => end(() => reject(platformError('timeout', { timeoutMs }))), timeoutMs)
      signal?.addEventListener('abort', onAbort, { once: true })
      child.onMessage((message) => {
        const reply = message as SheetReply
        end(() => (reply.kind === 'done' ? resolve(reply.lines) : reject(refusal(reply))))
      })
      // A file that makes the process run out of memory is a bad file, not a bad host.
      child.onExit(() => end(() => reject(refuse('The file could not be read as a spreadsheet.'))))
      child.send(task)
    })

  return {
    async run(task, signal) {
      while (children.size >= maxProcesses && signal?.aborted !== true) {
        await new Promise<void>((resolve) => {
          const go = (): void => {
            waiting.delete(go)
            signal?.removeEventListener('abort', go)
            resolve()
          }
          waiting.add(go)
          signal?.addEventListener('abort', go)
        })
      }
      signal?.throwIfAborted()
      if (closed) throw platformError('service_unavailable', { retryAfterSeconds: 1 })
      try {
        return await convert(task, signal)
      } finally {
        const [next] = waiting
        next?.()
      }
    },
    close() {
      closed = true
      for (const child of children) child.kill()
    },
  }
}

function refusal(reply: SheetReply & { kind: 'error' }): Error {
  if (reply.reason === 'sheet_not_found') {
    return validationError([{ field: 'sheet', code: 'invalid_option', message: 'The file has no such sheet.' }])
  }
  if (reply.reason === 'too_large') return refuse(reply.message)
  if (reply.reason === 'invalid') return refuse('The file is no XLSX spreadsheet.')
  return refuse('The file could not be read as a spreadsheet.')
}

function refuse(message: string): Error {
  return validationError([{ field: 'xlsxBase64', code: 'invalid_format', message }])
}
