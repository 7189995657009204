// What people do in a schedule, through the data service of a host. Every value is written once in a schedule, so that it
// tells who wrote it. Knows nothing of sync but the names of documents.
import { PlatformError } from '#shared/errors.ts'
import { statement } from '#main/kernel/database.ts'
import type { Intent, TextNote, Written } from './host-journal.ts'
import { Failed } from './host-machine.ts'
import type { Machine } from './machine.ts'
import type { WriteStep } from './host-steps.ts'
import type { MemoNote } from './memo-writer.ts'
import { changeMemos } from './memo-writer.ts'
import { addedFields, changeSchema } from './schema-writer.ts'
import type { TalkNote } from './talk-writer.ts'
import { talk } from './talk-writer.ts'

/** Above the basic plane, so that every character is a surrogate pair and most share their first half. */
const FIRST_CHARACTER = 0x20000

/** What a write meant. */
export interface Told {
  readonly notes: readonly TextNote[]
  readonly intents: readonly Intent[]
  readonly talks?: readonly TalkNote[]
  readonly memos?: readonly MemoNote[]
}

interface Row {
  readonly id: string
  readonly deleted_at: string | null
  readonly notes: string | null
  readonly labels: string | null
  readonly stock: number | null
  readonly updated_at: string
}

type Values = Record<string, unknown>

/** Nothing was written. */
export const noWrite: Told = { notes: [], intents: [] }

/** Writes as people do, each value once. */
export class Writer {
  #made = 0

  /** Does what a step says; nothing where it cannot be done, as when a record is gone. */
  async write(machine: Machine, step: WriteStep): Promise<Told> {
    try {
      return await this.#write(machine, step)
    } catch (error) {
      // What a person may not do, such as a value that somebody has, or a record that is gone, or a table that is changed.
      if (error instanceof PlatformError && (error.httpStatus < 500 || error.code === 'service_unavailable'))
        return noWrite
      throw error
    } finally {
      machine.failNext(null)
    }
  }

  async #write(machine: Machine, step: WriteStep): Promise<Told> {
    const { data } = machine
    const ctx = machine.ctx()
    switch (step.kind) {
      case 'create': {
        const values = this.#values(step.fields, step.code)
        const notes = this.#character()
        const { id } = await data.create(ctx, {
          object: 'part',
          data: { ...values, ...(step.fields % 2 === 0 ? {} : { notes }) },
        })
        const told = this.#told(machine, 'part', id, values)
        return step.fields % 2 === 0 ? told : withText(told, { doc: textOf(machine, id), added: notes })
      }
      case 'child': {
        const part = pick(rows(machine, 'part', 'live'), step.r)
        if (part === undefined) return noWrite
        const values = { title: this.#text(), size: this.#number() }
        const { id } = await data.create(ctx, { object: 'item', data: { ...values, part: part.id } })
        return this.#told(machine, 'item', id, values)
      }
      case 'edit': {
        const part = pick(rows(machine, 'part', 'live'), step.r)
        if (part === undefined) return noWrite
        const values = this.#values(step.fields, step.code, part)
        if (machine.metadata.objectSchema('part')!.byName.has('late')) values['late'] = this.#text()
        if (step.fields % 7 === 3) values['next'] = pick(rows(machine, 'part', 'live'), step.code)!.id
        const added = (step.fields & 64) === 0 ? undefined : this.#character()
        const notes = added === undefined ? {} : { notes: added + (part.notes ?? '') }
        if (Object.keys(values).length === 0 && added === undefined) return noWrite
        const place = { object: 'part', id: part.id, expectedVersion: part.updated_at }
        await data.update(ctx, { ...place, data: { ...values, ...notes } })
        const told = this.#told(machine, 'part', part.id, values, part)
        return added === undefined ? told : withText(told, { doc: textOf(machine, part.id), added })
      }
      case 'editChild': {
        const item = pick(rows(machine, 'item', 'live'), step.r)
        if (item === undefined) return noWrite
        const values = step.r % 2 === 0 ? { title: this.#text() } : { size: this.#number() }
        await data.update(ctx, { object: 'item', id: item.id, data: values })
        return this.#told(machine, 'item', item.id, values)
      }
      case 'move': {
        const live = rows(machine, 'part', 'live')
        const part = pick(live, step.r)
        if (part === undefined) return noWrite
        // Below another one, or below nothing; below itself or what stands below it is refused.
        const above = step.to % 5 === 4 ? null : pick(live, step.to)!.id
        await data.update(ctx, { object: 'part', id: part.id, data: { above } })
        return noWrite
      }
      case 'text':
        return this.#editText(machine, step)
      case 'delete':
      case 'purge': {
        const object = step.child ? 'item' : 'part'
        const row = pick(rows(machine, object, step.kind === 'delete' ? 'live' : 'all'), step.r)
        if (row !== undefined) await data.remove(ctx, { object, id: row.id, purge: step.kind === 'purge' })
        return noWrite
      }
      case 'restore': {
        const object = step.child ? 'item' : 'part'
        const row = pick(rows(machine, object, 'deleted'), step.r)
        if (row !== undefined) await data.restore(ctx, { object, id: row.id })
        return noWrite
      }
      case 'fill': {
        const part = pick(rows(machine, 'part', 'live'), step.r)
        const field = pick(addedFields(machine), step.n)
        if (part === undefined || field === undefined) return noWrite
        const value = this.#text()
        await data.update(ctx, { object: 'part', id: part.id, data: { [field.name]: value } })
        const doc = `r/${machine.metadata.objectSchema('part')!.uid}/${part.id}`
        return { notes: [], intents: [{ doc, values: { [field.uid]: value } }] }
      }
      case 'comment':
      case 'editComment':
      case 'uncomment':
      case 'react':
      case 'pin': {
        const talks = await talk(machine, step, pick(rows(machine, 'part', 'live'), step.r)?.id, this.#text())
        return { ...noWrite, talks }
      }
      case 'addField':
      case 'renameField':
      case 'labelField':
      case 'removeField':
        return { notes: [], intents: await changeSchema(machine, step, this.#text()) }
      case 'memo':
      case 'writeMemo':
      case 'trashMemo':
      case 'retype':
      case 'options':
      case 'uniqueness':
      case 'limit':
      case 'merge':
      case 'dropField':
      case 'dropMemos':
        return { ...noWrite, memos: await changeMemos(machine, step, this.#number()) }
      case 'batch':
        return this.#batch(machine, step)
      case 'import':
        return this.#import(machine, step)
      case 'group':
        return this.#group(machine, step)
      case 'fail': {
        const part = pick(rows(machine, 'part', 'live'), step.r)
        if (part === undefined) return noWrite
        await this.#failing(machine, part.id, () =>
          data.update(ctx, { object: 'part', id: part.id, data: { title: this.#text() } }),
        )
        return noWrite
      }
    }
  }

  /** A call of an API that writes records of two objects at once, all or nothing. */
  async #batch(
    machine: Machine,
    { r, fields, fails }: Extract<WriteStep, { fields: number; r: number; fails: boolean }>,
  ): Promise<Told> {
    const part = this.#values(fields | 1, 5)
    const item = { title: this.#text() }
    const edited = pick(rows(machine, 'part', 'live'), r)
    const change = { title: this.#text() }
    const result = await machine.data.write(
      machine.ctx(),
      [
        { object: 'part', action: 'create', data: part },
        { object: 'item', action: 'create', data: { ...item, part: { $ref: 0 } } },
        ...(edited === undefined ? [] : [{ object: 'part', action: 'update' as const, id: edited.id, data: change }]),
        ...(fails ? [{ object: 'part', action: 'update' as const, id: unknownId, data: change }] : []),
      ],
      { atomic: true, returnRecords: false, continueOnError: false, validateOnly: false },
    )
    if (!result.success) return noWrite
    const ids = result.results.map(({ id }) => id!)
    const parts = [
      this.#told(machine, 'part', ids[0]!, part),
      this.#told(machine, 'item', ids[1]!, item),
      ...(edited === undefined ? [] : [this.#told(machine, 'part', edited.id, change)]),
    ]
    return allTold(parts)
  }

  /** Rows of a file, found again by their code. */
  async #import(
    machine: Machine,
    { r, fields }: Extract<WriteStep, { fields: number; r: number; fails: boolean }>,
  ): Promise<Told> {
    const given = [r % 5, (r + 1 + (fields % 3)) % 5].map((code) => ({ code: codeOf(code), title: this.#text() }))
    const result = await machine.data.bulk(machine.ctx(), {
      object: 'part',
      operation: 'upsert',
      records: given.map((data) => ({ data, externalId: { field: 'code', value: data.code } })),
      options: { atomic: false, returnRecords: false, continueOnError: true, validateOnly: false },
    })
    const parts = result.results.flatMap(({ success, id, index }) =>
      success ? [this.#told(machine, 'part', id!, { title: given[index]!.title })] : [],
    )
    return allTold(parts)
  }

  /** Calls that arrive together and share a transaction; one of them may be taken back. */
  async #group(
    machine: Machine,
    { r, fields, fails }: Extract<WriteStep, { fields: number; r: number; fails: boolean }>,
  ): Promise<Told> {
    const live = rows(machine, 'part', 'live')
    const writes = [0, 1, 2].flatMap((offset) => {
      const part = pick(live, r + offset)
      return part === undefined || offset >= live.length
        ? []
        : [{ part, values: { title: this.#text(), size: this.#number() } }]
    })
    if (writes.length < 2) return noWrite
    const failing = fails ? writes[fields % writes.length]!.part.id : null
    machine.failNext(failing)
    const settled = await Promise.allSettled(
      writes.map(({ part, values }) =>
        machine.data.update(machine.ctx(), { object: 'part', id: part.id, data: values }),
      ),
    )
    const parts = writes.flatMap(({ part, values }, index) => {
      const { status } = settled[index]!
      if (status === 'fulfilled') return [this.#told(machine, 'part', part.id, values)]
      if (part.id === failing) return []
      throw (settled[index] as PromiseRejectedResult).reason
    })
    return allTold(parts)
  }

  async #editText(machine: Machine, step: Extract<WriteStep, { kind: 'text' }>): Promise<Told> {
    const part = pick(rows(machine, 'part', 'live'), step.r)
    if (part === undefined) return noWrite
    const characters = [...(part.notes ?? '')]
    const index = characters.length === 0 ? 0 : step.at % characters.length
    const added = this.#character()
    const removed = characters[index]
    const isRemoval = step.remove && removed !== undefined
    const next = (isRemoval ? characters.toSpliced(index, 1) : characters.toSpliced(index, 0, added)).join('')
    const place = { object: 'part', id: part.id, expectedVersion: part.updated_at }
    await machine.data.update(machine.ctx(), { ...place, data: { notes: next } })
    const doc = textOf(machine, part.id)
    return { intents: [], notes: [isRemoval ? { doc, removed } : { doc, added }] }
  }

  async #failing(machine: Machine, recordId: string, write: () => Promise<unknown>): Promise<void> {
    machine.failNext(recordId)
    let failed = false
    try {
      await write()
    } catch (error) {
      if (!(error instanceof Failed)) throw error
      failed = true
    }
    if (!failed) throw new Error('A write that was to be taken back was answered.')
  }

  /** Values of the fields whose bit is set: title, size, code, a label more, a label less, a stock that grows. */
  #values(fields: number, code: number, row?: Row): Values {
    const values: Values = {}
    if ((fields & 1) !== 0) values['title'] = this.#text()
    if ((fields & 2) !== 0) values['size'] = this.#number()
    if ((fields & 4) !== 0 && code < 5) values['code'] = codeOf(code)
    if ((fields & 32) !== 0) values['stock'] = (row?.stock ?? 0) + this.#number()
    const labels = row === undefined || row.labels === null ? [] : (JSON.parse(row.labels) as string[])
    if ((fields & 8) !== 0) values['labels'] = [...labels, `l${(this.#made += 1)}`]
    else if ((fields & 16) !== 0 && labels.length > 0) values['labels'] = labels.toSpliced(code % labels.length, 1)
    return values
  }

  #told(machine: Machine, object: string, id: string, values: Values, before?: Row): Told {
    const schema = machine.metadata.objectSchema(object)!
    const doc = `r/${schema.uid}/${id}`
    const known = Object.entries(values).filter(([name]) => name === 'title' || name === 'size')
    const byUid = Object.fromEntries(known.map(([name, value]) => [schema.byName.get(name)!.uid, value]))
    const stock = values['stock']
    const grown = typeof stock === 'number' ? [{ doc, grown: stock - (before?.stock ?? 0) }] : []
    return { notes: grown, intents: [{ doc, values: byUid }] }
  }

  #text(): string {
    return `v${(this.#made += 1)}`
  }

  /** Too large to be taken for a part of a date. */
  #number(): number {
    return 1_000_000 + (this.#made += 1)
  }

  #character(): string {
    return String.fromCodePoint(FIRST_CHARACTER + (this.#made += 1))
  }
}

function withText(told: Told, note: TextNote): Told {
  return { ...told, notes: [...told.notes, note] }
}

/** What several writes meant. */
export function allTold(parts: readonly Told[]): Told {
  return {
    notes: parts.flatMap(({ notes }) => notes),
    intents: parts.flatMap(({ intents }) => intents),
    talks: parts.flatMap(({ talks = [] }) => talks),
    memos: parts.flatMap(({ memos = [] }) => memos),
  }
}

/** What was answered is in the log of who answered. @throws Error for the first of it that is not */
export function assertLogged(machine: Machine, told: Told, found: readonly Written[]): void {
  const missing = (what: string): Error => new Error(`${machine.name} stored ${what}, and its log does not say so.`)
  for (const { doc, values } of told.intents) {
    for (const [key, value] of Object.entries(values)) {
      const isThere = found.some(({ docs }) =>
        docs.some((one) => one.doc === doc && one.entries.some((entry) => entry[0] === key && entry[1] === value)),
      )
      if (!isThere) throw missing(`${String(value)} in ${key} of ${doc}`)
    }
  }
  for (const talk of told.talks ?? [])
    if (!found.some(({ talks }) => talks.includes(talk))) throw missing(`${talk.what} of ${talk.item}`)
  for (const memo of told.memos ?? [])
    if (!found.some(({ memos }) => memos.includes(memo))) throw missing(`${memo.word} in ${memo.doc}`)
  for (const note of told.notes)
    if (!found.some(({ docs }) => docs.some(({ doc }) => doc === note.doc))) throw missing(`the text ${note.doc}`)
}

const unknownId = '01920000-0000-7000-8000-000000000000'

function codeOf(code: number): string {
  return `c${code}`
}

function rows(machine: Machine, object: 'part' | 'item', which: 'live' | 'deleted' | 'all'): Row[] {
  const where = { live: 'WHERE deleted_at IS NULL', deleted: 'WHERE deleted_at IS NOT NULL', all: '' }[which]
  return machine.plugin.read.all(statement<Row>(`SELECT * FROM o_${object} ${where} ORDER BY id`))
}

function pick<T>(from: readonly T[], index: number): T | undefined {
  return from.length === 0 ? undefined : from[index % from.length]
}

function textOf(machine: Machine, id: string): string {
  const schema = machine.metadata.objectSchema('part')!
  return `t/${schema.uid}/${id}/${schema.byName.get('notes')!.uid}`
}
