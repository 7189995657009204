import { describe, expect, it } from 'vitest'
import { createEventQueue } from './event-queue.ts'

describe('an event queue', () => {
  it('hands events over in order, and counts those that wait', async () => {
    const queue = createEventQueue<string>(() => undefined)
    queue.push('a', 10)
    queue.push('b', 5)
    expect(queue.bytes()).toBe(15)
    expect(await queue.next()).toEqual({ done: false, value: 'a' })
    expect(queue.bytes()).toBe(5)
    expect(await queue.next()).toEqual({ done: false, value: 'b' })
    const waiting = queue.next()
    queue.push('c', 1)
    expect(await waiting).toEqual({ done: false, value: 'c' })
    expect(queue.bytes()).toBe(0)
  })

  it('ends once: for who waits, for what comes later, and for whoever asked to know', async () => {
    let ends = 0
    const queue = createEventQueue<string>(() => (ends += 1))
    const waiting = queue.next()
    queue.end()
    await queue.return!()
    queue.push('late', 1)
    expect([await waiting, await queue.next()]).toEqual([
      { done: true, value: undefined },
      { done: true, value: undefined },
    ])
    expect([ends, queue.bytes()]).toEqual([1, 0])
  })
})
