// What the workspace of the tests of conflicts holds: a table, conflicts of every kind in it, and changes that lie aside.
// They are stored as merging stores them; merging itself is tested without a browser.
import type { PluginDefinition, PluginHost } from '#main/kernel/plugin.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import type { ConflictDraft, ConflictSide } from '#main/plugins/sync/conflicts/conflict-store.ts'
import { openConflict } from '#main/plugins/sync/conflicts/conflict-store.ts'
import { putProblem } from '#main/plugins/sync/store/problem-store.ts'
import type { ConsoleBench } from './open-console.ts'
import { ownerId } from './seed-activity.ts'

/** Lets a test write beside the application. */
export interface Writer {
  readonly plugin: PluginDefinition
  host(): PluginHost
}

/** A plugin that hands out its host. */
export function createWriter(): Writer {
  let seen: PluginHost | undefined
  const plugin = definePlugin({
    id: 'conflict_writer',
    version: '1.0.0',
    requires: ['metadata'],
    register(host) {
      seen = host
    },
  })
  return { plugin, host: () => seen! }
}

const fields = {
  title: { type: 'text', label: 'Title' },
  status: {
    type: 'select',
    label: 'Status',
    options: [
      { value: 'open', label: 'Open', color: 'blue' },
      { value: 'done', label: 'Done', color: 'green' },
    ],
  },
  pages: { type: 'number', label: 'Pages' },
  summary: { type: 'markdown', label: 'Summary' },
  code: { type: 'text', label: 'Code', unique: true },
}

/** Ids of the books the conflicts are about, by title. */
export type ConflictBooks = Readonly<Record<string, string>>

/** Makes the table and turns sync on. */
export async function seedBooks(bench: ConsoleBench): Promise<ConflictBooks> {
  const item = { name: 'book', label: 'Book', pluralLabel: 'Books', fields }
  await bench.api('PUT', '/meta/object/book', { type: 'object', name: 'book', item })
  const books: Record<string, string> = {}
  for (const title of ['Notes on the engine', 'The compiler', 'Sketch of a history', 'A table of logarithms']) {
    const { id } = await bench.api<{ id: string }>('POST', '/data/book', { title, status: 'open', pages: 120 })
    books[title] = id
  }
  await bench.api('POST', '/sync/enable', { deviceName: 'Laptop' })
  return books
}

/** Stores conflicts of every kind people decide side by side, and two changes that lie aside. */
export async function seedConflicts(bench: ConsoleBench, writer: Writer, books: ConflictBooks): Promise<void> {
  const { device } = await bench.api<{ device: { id: string } }>('GET', '/sync/status')
  const host = writer.host()
  const schema = host.service('metadata').objectSchema('book')!
  const uidOf = (field: string): string => schema.byName.get(field)!.uid
  const mine = (value: ConflictSide['value'], at: string): ConflictSide => ({
    value,
    actor: ownerId,
    device: device.id,
    at,
  })
  const theirs = (value: ConflictSide['value'], at: string): ConflictSide => ({
    value,
    actor: 'far',
    device: 'desk',
    at,
  })
  const draft = (title: string, rest: Omit<ConflictDraft, 'doc' | 'object' | 'recordId'>): ConflictDraft => {
    const recordId = books[title]!
    const letter = rest.kind === 'text' ? `t/${schema.uid}/${recordId}/${rest.field}` : `r/${schema.uid}/${recordId}`
    return { doc: letter, object: schema.uid, recordId, ...rest }
  }
  const drafts = [
    draft('Notes on the engine', {
      kind: 'field',
      field: uidOf('status'),
      winner: mine('open', '2026-01-31T09:12:00.000Z'),
      losers: [theirs('done', '2026-01-31T09:10:30.000Z')],
    }),
    draft('Notes on the engine', {
      kind: 'field',
      field: uidOf('pages'),
      winner: mine(120, '2026-01-31T09:12:00.000Z'),
      losers: [theirs(132, '2026-01-31T09:11:00.000Z')],
      base: 96,
    }),
    draft('The compiler', {
      kind: 'text',
      field: uidOf('summary'),
      winner: mine('The first program that wrote programs, and why nobody believed it.', '2026-01-31T10:00:00.000Z'),
      losers: [
        theirs(
          'The first program that translated programs, and why nobody at the time believed it.',
          '2026-01-31T10:01:00.000Z',
        ),
      ],
    }),
    draft('Sketch of a history', {
      kind: 'delete_edit',
      field: '',
      winner: theirs(null, '2026-01-31T11:00:00.000Z'),
      losers: [
        mine({ [uidOf('title')]: 'Sketch of a longer history', [uidOf('pages')]: 210 }, '2026-01-31T11:02:00.000Z'),
      ],
    }),
    draft('A table of logarithms', {
      kind: 'type',
      field: uidOf('pages'),
      winner: theirs(null, '2026-01-31T12:00:00.000Z'),
      losers: [theirs('about two hundred', '2026-01-31T12:00:00.000Z')],
    }),
  ]
  await host.write('test.conflicts', (tx) => {
    for (const one of drafts) openConflict(tx, one, '2026-01-31T12:30:00.000Z')
    const aside = { doc: `r/${schema.uid}/${books['The compiler']!}`, since: '2026-01-31T08:15:30.123Z' }
    putProblem(tx, { ...aside, inc: 77_001, seq: 14, kind: 'parked', reason: 'missing_dep', detail: '77002' })
    putProblem(tx, {
      ...aside,
      inc: 77_001,
      seq: 15,
      kind: 'quarantine',
      reason: 'forbidden',
      detail: 'Only the machine of an administrator may change this.',
    })
  })
}
