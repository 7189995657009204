// Activity by day, with runs of changes folded.
import { describe, expect, it } from 'vitest'
import { foldDays } from './feed-days.ts'
import type { FeedItem } from './feed-queries.ts'
import type { Thread } from './feed-threads.ts'

const thread = (id: string, createdAt: string, type: FeedItem['type'], by = 'ada', replyCount = 0): Thread => ({
  item: { id, createdAt, type, actor: { type: 'user', id: by }, replyCount, reactions: [] } as unknown as FeedItem,
  replies: [],
})
const said = (threads: readonly Thread[], zone = 'UTC') =>
  foldDays(threads, zone).map(({ day, entries }) => [
    day,
    ...entries.map((entry) => ('run' in entry ? entry.run.map(({ item }) => item.id).join('+') : entry.thread.item.id)),
  ])

describe('activity by day', () => {
  it('folds three changes in a row by the same person, no fewer, and none that was answered', () => {
    const at = '2026-03-02T10:00:00.000Z'
    const list = [
      thread('a', at, 'field_change'),
      thread('b', at, 'field_change'),
      thread('c', at, 'field_change'),
      thread('d', at, 'comment'),
      thread('e', at, 'field_change'),
      thread('f', at, 'field_change'),
      thread('g', at, 'field_change', 'grace'),
      thread('h', at, 'field_change', 'grace', 1),
      thread('i', at, 'field_change', 'grace'),
    ]
    expect(said(list)).toEqual([['2026-03-02', 'a+b+c', 'd', 'e', 'f', 'g', 'h', 'i']])
  })

  it('ends a run with the day of the workspace', () => {
    const list = ['01:00', '00:30', '00:10'].map((time, at) =>
      thread(String(at), `2026-03-02T${time}:00.000Z`, 'field_change'),
    )
    expect(said(list)).toEqual([['2026-03-02', '0+1+2']])
    expect(said(list, 'America/New_York')).toEqual([['2026-03-01', '0+1+2']])
    expect(said(list, 'Atlantic/Azores')).toEqual([
      ['2026-03-02', '0'],
      ['2026-03-01', '1', '2'],
    ])
  })
})
