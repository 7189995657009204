// Bursts become few runs.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createCoalescer } from './coalesce.ts'

describe('a burst', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('runs at once, then at most once per gap', async () => {
    const starts: number[] = []
    const began = performance.now()
    const coalescer = createCoalescer(() => starts.push(performance.now() - began), 200)
    for (let at = 0; at < 1_000; at += 10) {
      coalescer.ask()
      await vi.advanceTimersByTimeAsync(10)
    }
    await vi.advanceTimersByTimeAsync(1_000)
    expect(starts[0]).toBe(0)
    expect(starts).toHaveLength(6)
    for (const [at, start] of starts.slice(1).entries()) expect(start - starts[at]!).toBeGreaterThanOrEqual(200)
  })

  it('never runs twice at a time, and once more for what was wished meanwhile', async () => {
    let running = 0
    let most = 0
    let runs = 0
    const coalescer = createCoalescer(async () => {
      most = Math.max(most, ++running)
      runs++
      await new Promise((resolve) => setTimeout(resolve, 700))
      running--
    }, 200)
    coalescer.ask()
    await vi.advanceTimersByTimeAsync(100)
    coalescer.ask()
    coalescer.ask()
    await vi.advanceTimersByTimeAsync(5_000)
    expect([runs, most]).toEqual([2, 1])
  })

  it('goes on after a run that failed, and stops when it is told to', async () => {
    let runs = 0
    const coalescer = createCoalescer(async () => {
      runs++
      throw new Error('not loaded')
    }, 200)
    coalescer.ask()
    await vi.advanceTimersByTimeAsync(300)
    coalescer.ask()
    await vi.advanceTimersByTimeAsync(300)
    expect(runs).toBe(2)
    coalescer.ask()
    coalescer.stop()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(runs).toBe(2)
    coalescer.ask()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(runs).toBe(3)
  })
})
