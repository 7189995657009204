// What must have become of what people said: worked out from what each step said and who had seen it, and compared with the
// rows of each machine. Knows no segment and no entry.
import { statement } from '#main/kernel/database.ts'
import type { Written } from './host-journal.ts'
import { hadSeen } from './host-journal.ts'
import type { Machine } from './machine.ts'
import { latestFirst, same } from './oracle-marks.ts'
import type { MadeItem, TalkNote } from './talk-writer.ts'

/** An item as it has to be. */
export interface SaidItem {
  readonly id: string
  readonly feed: string
  readonly made: MadeItem
  readonly isDeleted: boolean
  /** By what it is of: the value that counts. */
  readonly values: ReadonlyMap<string, unknown>
  /** Texts and data that gave way to something their writer had not seen, by the part of the item. */
  readonly lost: ReadonlyMap<string, readonly unknown[]>
  /** Who said something of it. */
  readonly by: readonly Written[]
}

interface Said {
  readonly by: Written
  readonly note: TalkNote
}

/** Everything that was said and is not lost with a database, by item. */
export function saidItems(survivors: readonly Written[], skewed: boolean): readonly SaidItem[] {
  const byItem = Map.groupBy(
    survivors.flatMap((by) => by.talks.flatMap((note) => withBody(note).map((one): Said => ({ by, note: one })))),
    ({ note }) => note.item,
  )
  return [...byItem].flatMap(([id, all]) => {
    const made = all.find(({ note }) => note.what === 'made')
    return made === undefined ? [] : [saidItem(id, made.note, all, skewed)]
  })
}

/** Whether an envelope took away an entry of an item that it deleted. */
export function removesOfTalk(by: Written, key: string): boolean {
  return by.talks.some(
    ({ item, what }) =>
      what === 'deleted' && key.startsWith(item) && key !== item && !/#(body|deleted|visibility|edited)$/.test(key),
  )
}

/**
 * Compares the rows of a machine with what was said.
 * @param purged records that are gone for good
 * @param beside items of records that were brought back: what others said of them meanwhile may stand beside what they said
 */
export function assertTalk(
  machine: Machine,
  said: readonly SaidItem[],
  purged: ReadonlySet<string>,
  beside: ReadonlySet<string>,
): void {
  const { read } = machine.plugin
  const rows = new Map(
    read.all(statement<Record<string, unknown>>('SELECT * FROM feed_item')).map((row) => [row['id'] as string, row]),
  )
  const present = said.filter(({ feed }) => !purged.has(recordOf(feed)))
  const answered = new Set(present.filter(({ isDeleted }) => !isDeleted).map(({ made }) => made.parent))
  const expected = present.filter(({ id, isDeleted }) => !isDeleted || answered.has(id))
  same(`what was said on ${machine.name}`, [...rows.keys()].sort(), expected.map(({ id }) => id).sort())
  for (const item of expected) if (!beside.has(item.id)) assertItem(machine, item, rows.get(item.id)!)
}

function assertItem(machine: Machine, item: SaidItem, row: Record<string, unknown>): void {
  const { id, made, values, isDeleted } = item
  const { read } = machine.plugin
  const reactions = read.all(
    statement<{ emoji: string; user: string }>(
      'SELECT emoji, user_id AS user FROM feed_reaction WHERE item_id = ? ORDER BY emoji, user_id',
      [id],
    ),
  )
  const pins = read.all(statement<{ user: string }>('SELECT user_id AS user FROM feed_pin WHERE item_id = ?', [id]))
  const data = row['data'] === null ? {} : (JSON.parse(row['data'] as string) as { done?: boolean; note?: string })
  const reacted = [...values].filter(([what, value]) => what.includes(' ') && value === true).map(([what]) => what)
  const task = made.type === 'task' && !isDeleted
  same(
    `what ${id} says on ${machine.name}`,
    {
      type: row['type'],
      by: row['actor_id'],
      parent: row['parent_id'],
      deleted: row['is_deleted'],
      body: row['body'],
      visibility: row['visibility'],
      done: data.done ?? null,
      note: data.note ?? null,
      reactions: reactions.map(({ emoji, user }) => `${emoji} ${user}`).sort(),
      pin: pins.map(({ user }) => user),
    },
    {
      type: made.type,
      by: made.by,
      parent: made.parent,
      deleted: isDeleted ? 1 : 0,
      body: isDeleted ? null : values.get('body'),
      visibility: values.get('visibility') ?? 'public',
      done: task ? values.get('data.done') : null,
      note: task ? values.get('data') : null,
      reactions: isDeleted ? [] : reacted.sort(),
      pin: isDeleted ? [] : [values.get('pin') ?? null].filter((user) => user !== null),
    },
  )
}

/** What people said that has to be listed, as `text <feed>0#<item>#<part> <how many>`. */
export function lostTalk(said: readonly SaidItem[], purged: ReadonlySet<string>): string[] {
  return said
    .filter(({ feed }) => !purged.has(recordOf(feed)))
    .flatMap(({ id, feed, lost }) =>
      [...lost].map(([part, values]) => `text ${feed}0#${id}#${part} ${JSON.stringify(values)}`),
    )
}

/** The record of a feed. */
export function recordOf(feed: string): string {
  return feed.split('/')[2]!
}

function saidItem(id: string, made: TalkNote, all: readonly Said[], skewed: boolean): SaidItem {
  const deletions = all.filter(({ note }) => note.what === 'deleted').map(({ by }) => by)
  const isDeleted = deletions.length > 0
  const values = new Map<string, unknown>()
  const lost = new Map<string, readonly unknown[]>()
  for (const [what, notes] of Map.groupBy(all, ({ note }) => note.what)) {
    if (what === 'made' || what === 'deleted') continue
    // Of what one call said the last word counts.
    const last = [...new Map(notes.map((one) => [one.by, one])).values()]
    const alive = last.filter(
      ({ by }) =>
        !last.some((other) => hadSeen(other.by, by)) &&
        (what === 'body' || what === 'visibility' || !deletions.some((other) => hadSeen(other, by))),
    )
    const [winner, ...others] = latestFirst(alive, skewed)
    if (winner === undefined) continue
    values.set(what, winner.note.value)
    if (what !== 'body' && !what.startsWith('data')) continue
    const gave = (isDeleted ? alive : others).map(({ note }) => note.value)
    const told = gave.filter((value) => value !== null && (isDeleted || value !== winner.note.value))
    if (told.length > 0) lost.set(what, told.map((value) => JSON.stringify(value)).sort())
  }
  return { id, feed: made.feed, made: made.value as MadeItem, isDeleted, values, lost, by: all.map(({ by }) => by) }
}

/** Who deletes an item writes an empty text. */
function withBody(note: TalkNote): readonly TalkNote[] {
  return note.what === 'deleted' ? [note, { ...note, what: 'body', value: null }] : [note]
}
