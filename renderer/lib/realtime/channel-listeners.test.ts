// Who listens to what: one subscription per channel, nothing told twice.
import { describe, expect, it } from 'vitest'
import { createChannelListeners } from './channel-listeners.ts'
import type { ChannelMessage, PresenceMember, RealtimeEvent } from './channel-listeners.ts'
import { cellsOf, changedMembers, othersOf } from './presence.ts'
import { backoffMs } from './realtime-client.ts'
import { readEventStream } from './event-stream.ts'

const event = (eventId: string): ChannelMessage => ({
  kind: 'event',
  event: { eventId, type: 'record.updated', channel: 'object:a', payload: {} } as unknown as RealtimeEvent,
})

describe('listeners of channels', () => {
  it('are counted: the first subscribes, the last unsubscribes', () => {
    const listeners = createChannelListeners()
    const one = (): void => undefined
    const other = (): void => undefined
    expect(listeners.add('object:a', one)).toBe(true)
    expect(listeners.add('object:a', one)).toBe(false)
    expect(listeners.add('object:a', other)).toBe(false)
    expect(listeners.add('object:b', other)).toBe(true)
    expect(listeners.remove('object:a', one)).toBe(false)
    expect(listeners.remove('object:a', one)).toBe(false)
    expect(listeners.has('object:a')).toBe(true)
    expect(listeners.remove('object:a', other)).toBe(true)
    expect(listeners.remove('object:a', other)).toBe(false)
    expect(listeners.channels()).toEqual(['object:b'])
  })

  it('are told every event once, also when it is delivered again', () => {
    const listeners = createChannelListeners()
    const told: string[] = []
    listeners.add('object:a', (message) => message.kind === 'event' && told.push(message.event.eventId))
    for (const id of ['9007199254740993', '9007199254740993', '9007199254740992', '9007199254740994']) {
      listeners.tell('object:a', event(id))
    }
    listeners.tell('object:b', event('9007199254740999'))
    expect(told).toEqual(['9007199254740993', '9007199254740994'])
  })
})

describe('who is there', () => {
  const member = (userId: string, connectionId: string, more: Partial<PresenceMember> = {}): PresenceMember => ({
    userId,
    name: userId,
    status: 'online',
    state: {},
    connectionId,
    lastSeen: '2026-01-01T00:00:00.000Z',
    ...more,
  })

  it('follows joins, changes and leaves by connection', () => {
    let members = changedMembers([], 'join', member('ada', '1'))
    members = changedMembers(members, 'join', member('bo', '2'))
    members = changedMembers(members, 'update', member('bo', '2', { status: 'away' }))
    members = changedMembers(members, 'leave', member('ada', '1'))
    expect(members).toEqual([member('bo', '2', { status: 'away' })])
  })

  it('shows each of the others once, the window that is used before one that is not', () => {
    const shown = othersOf(
      [member('me', '1'), member('bo', '2', { status: 'away' }), member('bo', '3'), member('ada', '4')],
      'me',
    )
    expect(shown.map(({ userId, status }) => [userId, status])).toEqual([
      ['ada', 'online'],
      ['bo', 'online'],
    ])
  })
})

describe('what others are editing', () => {
  it('is the cell each of their windows names, and nothing of one’s own', () => {
    const at = (userId: string, cell: unknown, status: PresenceMember['status'] = 'online'): PresenceMember => ({
      userId,
      name: userId,
      status,
      state: { cell },
      connectionId: userId,
      lastSeen: '2026-01-01T00:00:00.000Z',
    })
    const cell = { recordId: 'r', field: 'f' }
    const members = [
      at('ada', cell),
      at('me', cell),
      at('bo', cell, 'offline'),
      at('cleo', null),
      at('dora', { recordId: 1, field: 'f' }),
      at('eve', 'r'),
    ]
    expect(cellsOf(members, 'me')).toEqual([{ userId: 'ada', name: 'ada', recordId: 'r', field: 'f' }])
  })
})

describe('trying again', () => {
  it('waits longer every time, at most five seconds', () => {
    const waits = Array.from({ length: 12 }, (_, tries) => backoffMs(tries, 1))
    expect(waits[0]).toBe(250)
    expect(waits.slice(1).every((wait, at) => wait >= waits[at]!)).toBe(true)
    expect(Math.max(...waits)).toBe(5_000)
    expect(backoffMs(20, 0)).toBe(2_500)
  })
})

describe('a stream of events', () => {
  it('is read across pieces, without comments', async () => {
    const pieces = [
      ': heartbeat\n\nid: 1\nevent: rec',
      'ord.updated\ndata: {"a":\r\ndata: 1}\n',
      '\ndata:x\n\nevent: y\n\n',
    ]
    const body = new ReadableStream({
      start(controller) {
        for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
        controller.close()
      },
    })
    const found = []
    for await (const one of readEventStream(new Response(body))) found.push(one)
    expect(found).toEqual([
      { type: 'record.updated', data: '{"a":\n1}' },
      { type: 'message', data: 'x' },
    ])
  })
})
