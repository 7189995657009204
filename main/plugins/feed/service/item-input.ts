// Reads what clients say of an item: its type, its text, what hangs on the type (D-137). Pure but for what it is told.
import { clientFeedTypes } from '#shared/contracts/feed.ts'
import type { FieldError } from '#shared/errors.ts'
import { validationError } from '#shared/errors.ts'
import type { FileReference } from '#shared/field-types/field-schema.ts'
import { isDate } from '#shared/calendar/iso.ts'
import { feedError } from '../errors.ts'

/** A type clients may create. */
export type ClientType = (typeof clientFeedTypes)[number]

/** The free members of an item. */
export type ItemData = Readonly<Record<string, unknown>>

/** What clients say of an item, and what they leave out. */
export interface ItemInput {
  readonly body?: string | undefined
  readonly data?: ItemData | undefined
  readonly attachments?: readonly string[] | undefined
}

/** What became of it. */
export interface ReadInput {
  /** Null for none. */
  readonly body: string | null
  readonly data: ItemData | null
  readonly attachments: readonly Required<FileReference>[]
}

/** What is asked while an item is read. */
export interface InputLookups {
  /** For the assignee of a task. */
  readonly userExists: (id: string) => boolean
  /** What is true of a file that is attached; undefined for one that may not be. Absent: there are no files. */
  readonly fileOf?: ((id: string) => Required<FileReference> | undefined) | undefined
}

/** Types that say nothing without a text. */
const needsBody: ReadonlySet<string> = new Set(['comment', 'note'])
const maxDataLength = 20_000

/** @throws invalid_feed_type for everything clients do not create */
export function clientType(type: string): ClientType {
  const known = clientFeedTypes.find((one) => one === type)
  if (known === undefined) throw feedError('invalid_feed_type', { type: type.slice(0, 200), allowed: clientFeedTypes })
  return known
}

/**
 * Checks and tidies the members of an item of a type; every problem is told at once.
 * @throws validation_error
 */
export function readItemInput(type: string, given: ItemInput, { userExists, fileOf }: InputLookups): ReadInput {
  const problems: FieldError[] = []
  const body = given.body === undefined || given.body.trim() === '' ? null : given.body.toWellFormed()
  if (body === null && needsBody.has(type))
    problems.push({ field: 'body', code: 'required', message: `A ${type} needs a text.` })
  const attachments: Required<FileReference>[] = []
  for (const [at, id] of (given.attachments ?? []).entries()) {
    const file = fileOf?.(id.toLowerCase())
    const field = `attachments.${at}`
    if (file === undefined)
      problems.push({ field, code: 'invalid_reference', message: 'There is no such file.', value: id })
    else if (attachments.some(({ fileId }) => fileId === file.fileId))
      problems.push({ field, code: 'duplicate_value', message: 'The file occurs twice in the list.', value: id })
    else attachments.push(file)
  }
  const data = given.data === undefined || Object.keys(given.data).length === 0 ? null : given.data
  if (data !== null) {
    if (JSON.stringify(data).length > maxDataLength) {
      const message = `The data takes more than ${maxDataLength} characters.`
      problems.push({ field: 'data', code: 'max_length', message, constraint: maxDataLength })
    }
    if (type === 'task') problems.push(...taskProblems(data, userExists))
  }
  if (problems.length > 0) throw validationError(problems)
  return { body, data, attachments }
}

function taskProblems({ dueDate, assigneeId, done }: ItemData, userExists: (id: string) => boolean): FieldError[] {
  const problems: FieldError[] = []
  const isDay = typeof dueDate === 'string' && (isDate(dueDate) || !Number.isNaN(Date.parse(dueDate)))
  if (dueDate != null && !isDay)
    problems.push({ field: 'data.dueDate', code: 'invalid_date', message: 'The value must be a date.', value: dueDate })
  if (assigneeId != null && (typeof assigneeId !== 'string' || !userExists(assigneeId))) {
    const message = 'There is no such user.'
    problems.push({ field: 'data.assigneeId', code: 'invalid_reference', message, value: assigneeId })
  }
  if (done != null && typeof done !== 'boolean')
    problems.push({
      field: 'data.done',
      code: 'invalid_boolean',
      message: 'The value must be true or false.',
      value: done,
    })
  return problems
}

/** The members of an item after a change: what is given replaces what is there, null takes it away. */
export function mergeData(present: ItemData | null, given: ItemData | undefined): ItemData | undefined {
  const merged = { ...present, ...given }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null))
}
