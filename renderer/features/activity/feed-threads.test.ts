// How items become threads.
import { describe, expect, it } from 'vitest'
import type { FeedItem } from './feed-queries.ts'
import { arrangeThreads } from './feed-threads.ts'

const item = (id: string, more: Partial<FeedItem> = {}): FeedItem => ({
  id,
  type: 'comment',
  object: 'task',
  recordId: '1',
  actor: { type: 'user', id: 'u' },
  mentions: [],
  attachments: [],
  reactions: [],
  replyCount: 0,
  pinned: false,
  starred: false,
  visibility: 'public',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  isEdited: false,
  isDeleted: false,
  ...more,
})

const ids = (threads: { item: FeedItem; replies: FeedItem[] }[]): unknown =>
  threads.map((thread) => [thread.item.id, thread.replies.map(({ id }) => id)])

describe('threads', () => {
  const items = [
    item('e', { parentId: 'a' }),
    item('d', { pinned: true }),
    item('c', { parentId: 'a' }),
    item('b', { parentId: 'gone' }),
    item('a'),
  ]

  it('hold replies in the order they were written, and pinned items on top', () => {
    const { pinned, rest } = arrangeThreads(items, [item('d', { pinned: true })])
    expect(ids(pinned)).toEqual([['d', []]])
    expect(ids(rest)).toEqual([
      ['b', []],
      ['a', ['c', 'e']],
    ])
  })

  it('show pinned items that are not loaded otherwise, and a pinned reply in its conversation as well', () => {
    const top = [item('e', { pinned: true, parentId: 'a' }), item('0', { pinned: true })]
    const { pinned, rest } = arrangeThreads(items, top)
    expect(ids(pinned)).toEqual([
      ['e', []],
      ['0', []],
    ])
    expect(ids(rest)).toEqual([
      ['d', []],
      ['b', []],
      ['a', ['c', 'e']],
    ])
  })

  it('leave pinned items in their place when asked to, and items that came twice once', () => {
    const { pinned, rest } = arrangeThreads([...items, item('a')], [])
    expect(pinned).toEqual([])
    expect(ids(rest)).toEqual([
      ['d', []],
      ['b', []],
      ['a', ['c', 'e']],
    ])
  })
})
