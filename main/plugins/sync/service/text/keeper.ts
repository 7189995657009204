// Stores the text of a room in its row, as an ordinary update by whoever edited last, and takes over what others write
// there. One write at a time; a text that is refused stays in the room. Knows no socket and no Yjs.
import type { FieldError } from '#shared/errors.ts'
import { PlatformError } from '#shared/errors.ts'
import type { PlatformEvent } from '#shared/events.ts'
import type { LiveTextProblem } from '#shared/live-text.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { DataService, PlatformRecord } from '#main/plugins/data/api.ts'
import type { TextPlace } from './access.ts'
import type { LiveDocument, SentMark, TextMark } from './document.ts'
import type { LentLetters } from './shared-text.ts'

/** How long after the first change that is not stored a text is stored (design of sync, section 8). */
const storeMs = 300

/** Bytes of changes that are stored at once. */
const storeBytes = 64 * 1024

/** How long after a failure of the host itself it is tried again. */
const againMs = 1_000

/** Writes of one editor with less between them, and nobody else's, are one piece of work for history and notices. */
const workMs = 5 * 60_000

/** How often a write is tried again because the record changed meanwhile. */
const maxTries = 20

/** Somebody who edits. */
export interface Editor {
  /** Tells editors apart: a user with a credential. */
  readonly key: string
  readonly userId: string
  /** @param work names the writes that belong together */
  context(requestId: string, work: string): RequestContext
}

/** What a keeper works with. */
export interface KeeperParts {
  readonly place: TextPlace
  readonly document: LiveDocument
  readonly data: Pick<DataService, 'update'>
  /** The version of the row the document was made from. */
  readonly version: string
  /** Reads the row with no rights in the way; null when there is none. */
  readRow(): Promise<PlatformRecord | null>
  requestId(): string
  /** Milliseconds of a clock that nobody sets. */
  now(): number
  /** Offers the letters of a text that other machines have too to the write of the row. */
  lend?(requestId: string, update: Uint8Array): LentLetters
  /** Told after every write and every change of the row. */
  stored(text: string): void
  /** Told why a text is not stored; `editor` is the user who may know everything of it. */
  refused(problem: LiveTextProblem, editor: string): void
  /** Told when the record is gone. */
  gone(): void
  /** Told of what nobody foresaw. */
  failed(error: unknown): void
}

/** Keeps one text. */
export interface Keeper {
  /** Why the text is not stored at this moment. */
  readonly problem: { readonly problem: LiveTextProblem; readonly editor: string } | null
  /** Whether somebody here edited what is not stored yet. */
  readonly hasWork: boolean
  /** Notes a change of so many bytes. */
  edited(editor: Editor, bytes: number): void
  /** Stores what is not stored; resolves when it is, or when it was refused. */
  store(): Promise<void>
  /** Hears of a committed change of the record. */
  hear(event: PlatformEvent): void
  stop(): void
}

/** Makes the keeper of a room. */
export function createKeeper(parts: KeeperParts): Keeper {
  const { place, document } = parts
  let { version } = parts
  let editors = new Map<string, Editor>()
  let waiting = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let running: Promise<void> | undefined
  let isAskedAgain = false
  let isStopped = false
  let problem: Keeper['problem'] = null
  let work = { editor: '', id: '', at: 0 }
  /** The write under way. */
  let sent:
    | { readonly requestId: string; readonly mark: TextMark; readonly loan?: LentLetters; isHeard: boolean }
    | undefined

  const later = (ms: number): void => {
    if (isStopped) return
    timer ??= setTimeout(() => void self.store(), ms)
  }

  const take = (record: PlatformRecord, own: SentMark | undefined): void => {
    const given = String(record['updated_at'])
    // Read before an event that was heard first.
    if (given < version) return
    version = given
    const value = record[place.field]
    document.follow(typeof value === 'string' ? value : '', own)
    if (!document.isDirty) tellStored()
    else if (own === undefined && editors.size > 0) later(storeMs)
  }

  const tellStored = (): void => {
    problem = null
    parts.stored(document.text())
  }

  const reload = async (own?: SentMark): Promise<boolean> => {
    const record = await parts.readRow()
    if (record === null) parts.gone()
    else take(record, own)
    return record !== null
  }

  const workOf = (editor: Editor, requestId: string): string => {
    const now = parts.now()
    const goesOn = work.editor === editor.key && now - work.at < workMs
    work = { editor: editor.key, id: goesOn ? work.id : requestId, at: now }
    return work.id
  }

  /** Writes once; answers whether it is to be tried again. */
  const write = async (editor: Editor): Promise<'done' | 'again'> => {
    const requestId = parts.requestId()
    const mark = document.mark()
    const { text } = mark
    const loan = parts.lend?.(requestId, mark.update)
    sent = { requestId, mark, isHeard: false, ...(loan === undefined ? {} : { loan }) }
    try {
      await parts.data.update(editor.context(requestId, workOf(editor, requestId)), {
        object: place.object,
        id: place.recordId,
        data: { [place.field]: text === '' ? null : text },
        expectedVersion: version,
      })
      // A write that changed nothing raises no event.
      if (!sent.isHeard) await reload({ ...mark, isTaken: false })
      return 'done'
    } catch (error) {
      if (!(error instanceof PlatformError) || error.code !== 'CONCURRENT_UPDATE') throw error
      return (await reload()) ? 'again' : 'done'
    } finally {
      loan?.end()
      sent = undefined
    }
  }

  /** Writes in the name of one editor. @returns the refusal, null when it is stored */
  const storeAs = async (editor: Editor): Promise<PlatformError | null> => {
    try {
      for (let attempt = 0; attempt < maxTries; attempt += 1) if ((await write(editor)) === 'done') return null
      return new PlatformError('CONCURRENT_UPDATE', { ...busy })
    } catch (error) {
      if (error instanceof PlatformError) return error
      throw error
    }
  }

  const storeOnce = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    waiting = 0
    if (!document.isDirty) {
      // Who took out letters of another machine before they were stored there takes them out of what is stored then.
      if (!document.isAhead) editors.clear()
      tellStored()
      return
    }
    const taken = editors
    editors = new Map()
    let last: { refusal: PlatformError; editor: Editor } | undefined
    for (const editor of [...taken.values()].toReversed()) {
      const refusal = await storeAs(editor)
      if (refusal === null) return
      last = { refusal, editor }
      // Who edited before may still be allowed to.
      if (!['permission_denied', 'resource_not_found'].includes(refusal.code)) break
    }
    editors = new Map([...taken, ...editors])
    if (last === undefined) return
    if (last.refusal.code === 'resource_not_found' && !(await reload())) return
    problem = { problem: problemOf(last.refusal), editor: last.editor.userId }
    parts.refused(problem.problem, problem.editor)
    if (last.refusal.httpStatus >= 500 || last.refusal.code === 'CONCURRENT_UPDATE') later(againMs)
  }

  const run = async (): Promise<void> => {
    while (isAskedAgain && !isStopped) {
      isAskedAgain = false
      try {
        await storeOnce()
      } catch (error) {
        parts.failed(error)
        later(againMs)
      }
    }
  }

  const self: Keeper = {
    get problem() {
      return problem
    },
    get hasWork() {
      return editors.size > 0 || running !== undefined
    },
    edited(editor, bytes) {
      editors.delete(editor.key)
      editors.set(editor.key, editor)
      waiting += bytes
      if (waiting >= storeBytes) void self.store()
      else later(storeMs)
    },
    store() {
      isAskedAgain = true
      running ??= run().finally(() => {
        running = undefined
      })
      return running
    },
    hear(event) {
      const { record } = event.payload as { record?: PlatformRecord }
      if (event.type === 'record.deleted' || event.type === 'record.purged') parts.gone()
      else if (record !== undefined) {
        const isOwn = sent !== undefined && sent.requestId === event.requestId
        if (isOwn) sent!.isHeard = true
        // What others wrote has its place in the history: what comes after it is told after it.
        else work = { editor: '', id: '', at: 0 }
        take(record, isOwn ? { ...sent!.mark, isTaken: sent!.loan?.isTaken ?? true } : undefined)
      }
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
  return self
}

const busy = {
  httpStatus: 409,
  category: 'request',
  retryable: true,
  message: 'The record changes too often to be written.',
} as const

function problemOf({ code, message, details }: PlatformError): LiveTextProblem {
  const found = details['fieldErrors'] as readonly FieldError[] | undefined
  if (found === undefined) return { code, message }
  return { code, message, fieldErrors: found.map((one) => ({ field: one.field, message: one.message })) }
}
