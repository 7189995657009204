// What people say of records in a schedule: comments, tasks, replies, edits, deletions, reactions and pins, through the
// service of feeds. Each text is written once in a schedule. Knows nothing of documents but the beginning of their names.
import { statement } from '#main/kernel/database.ts'
import type { Machine } from './machine.ts'
import type { TalkStep } from './host-steps.ts'

/** What a step said of an item. */
export interface TalkNote {
  /** The beginning of the names of the documents of the record's feed. */
  readonly feed: string
  readonly item: string
  /** `made`, `body`, `data`, `data.done`, `visibility`, `deleted`, `pin`, or a reaction as `emoji user`. */
  readonly what: string
  /** Null where something was taken away. */
  readonly value: unknown
}

/** What an item was made as. */
export interface MadeItem {
  readonly type: 'comment' | 'task'
  readonly parent: string | null
  readonly by: string
}

interface ItemRow {
  readonly id: string
  readonly record: string
  readonly type: string
  readonly author: string
  readonly parent: string | null
  readonly data: string | null
  readonly visibility: string
}

const emojis = ['👍', '🎉']

/** Does what a step says; nothing where there is nothing to say it of. @throws PlatformError for what a person may not do */
export async function talk(
  machine: Machine,
  step: TalkStep,
  record: string | undefined,
  text: string,
): Promise<readonly TalkNote[]> {
  const { people } = machine
  const { gate, items, marks } = machine.feed
  const uid = machine.metadata.objectSchema('part')!.uid
  const of = (recordId: string): string => `f/${uid}/${recordId}/`
  if (step.kind === 'comment') {
    if (record === undefined) return []
    const by = people[step.r % people.length]!
    const ctx = machine.ctx(by)
    const place = gate.feed(ctx, { object: 'part', recordId: record })
    const open = itemRows(machine).filter((one) => one.record === record && one.parent === null)
    const parent = step.what === 3 ? (pick(open, step.r)?.id ?? null) : null
    const type = step.what === 2 ? 'task' : 'comment'
    const data = type === 'task' ? { done: false, note: text } : undefined
    const { id } = await items.create(ctx, place, { type, body: text, parentId: parent, visibility: 'public', data })
    const note = (what: string, value: unknown): TalkNote => ({ feed: of(record), item: id, what, value })
    const made: MadeItem = { type, parent, by }
    return [
      note('made', made),
      note('body', text),
      ...(type === 'task' ? [note('data.done', false), note('data', text)] : []),
    ]
  }
  // Few, so that several people meet at one.
  const item = pick(itemRows(machine).slice(0, 3), step.r)
  if (item === undefined) return []
  // People of an administrator's machine may be anybody; the others are themselves.
  const isAuthor = (step.kind === 'editComment' || step.kind === 'uncomment') && machine.member === undefined
  const ctx = machine.ctx(isAuthor ? item.author : people[step.r % 3 === 0 ? people.length - 1 : 0]!)
  const place = gate.feed(ctx, { object: 'part', recordId: item.record }, step.kind === 'pin' ? 'edit' : 'read')
  const note = (what: string, value: unknown): TalkNote => ({ feed: of(item.record), item: item.id, what, value })
  switch (step.kind) {
    case 'editComment': {
      if (step.what === 1) {
        const visibility = item.visibility === 'public' ? 'internal' : 'public'
        await items.change(ctx, place, item.id, { visibility })
        return [note('visibility', visibility)]
      }
      if (item.type === 'task' && step.what > 1) {
        const { done } = JSON.parse(item.data ?? '{}') as { done?: boolean }
        const data = step.what === 2 ? { done: done !== true } : { note: text }
        await items.change(ctx, place, item.id, { data })
        return [step.what === 2 ? note('data.done', done !== true) : note('data', text)]
      }
      await items.change(ctx, place, item.id, { body: text })
      return [note('body', text)]
    }
    case 'uncomment':
      await items.remove(ctx, place, item.id)
      return [note('deleted', true)]
    case 'react': {
      const emoji = emojis[step.what % emojis.length]!
      await (step.on ? marks.react : marks.unreact)(ctx, place, item.id, emoji)
      return [note(`${emoji} ${ctx.actor.id}`, step.on ? true : null)]
    }
    case 'pin':
      await (step.on ? marks.pin : marks.unpin)(ctx, place, item.id)
      return [note('pin', step.on ? ctx.actor.id : null)]
  }
}

/** Items that are there, of records that are there. */
function itemRows(machine: Machine): ItemRow[] {
  const sql = `SELECT i.id, i.record_id AS record, i.type, i.actor_id AS author, i.parent_id AS parent, i.data, i.visibility
    FROM feed_item AS i JOIN o_part AS p ON p.id = i.record_id
    WHERE i.is_deleted = 0 AND p.deleted_at IS NULL ORDER BY i.id`
  return machine.plugin.read.all(statement<ItemRow>(sql))
}

function pick<T>(from: readonly T[], index: number): T | undefined {
  return from.length === 0 ? undefined : from[index % from.length]
}
