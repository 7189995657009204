// Calls made later, by timers that ring as those of a machine do: now and then a moment early.
import { expect, it } from 'vitest'
import { createManualTimers } from '#main/replication/channel/timers.ts'
import { createWake } from './session-times.ts'

it('wakes whoever was woken a moment early and asks for the same time again', () => {
  const manual = createManualTimers()
  const early = { now: manual.now, after: (ms: number, run: () => void) => manual.after(Math.max(ms - 1, 0.1), run) }
  const due = 50
  const woken: number[] = []
  const wakeIn = createWake(early, () => {
    woken.push(early.now())
    if (early.now() < due) wakeIn(due - early.now())
  })
  wakeIn(due)
  manual.advance(1_000)
  expect(woken.length).toBeGreaterThan(1)
  expect(woken.at(-1)).toBeGreaterThanOrEqual(due)
})

it('wakes at the nearest time, and for a later one that is asked for again', () => {
  const manual = createManualTimers()
  const woken: number[] = []
  const wakeIn = createWake(manual, () => {
    woken.push(manual.now())
    if (manual.now() < 300) wakeIn(300 - manual.now())
  })
  wakeIn(300)
  wakeIn(100)
  wakeIn(200)
  manual.advance(1_000)
  expect(woken[0]).toBe(100)
  expect(woken.at(-1)).toBe(300)
})
