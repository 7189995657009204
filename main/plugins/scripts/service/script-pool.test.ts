// The pool with real processes: how many there are, and what ends with a run.
import { afterEach, describe, expect, it } from 'vitest'
import { forkSpawner } from '#main/workers/fork-spawner.ts'
import { createScriptPool } from './script-pool.ts'
import type { PoolRun, ScriptPool } from './script-pool.ts'

let pool: ScriptPool | undefined
afterEach(() => pool?.close())

const run = (source: string, more: Partial<PoolRun> = {}): PoolRun => ({
  source,
  input: 'null',
  timeoutMs: 5_000,
  depth: 0,
  signal: undefined,
  answer: async () => 'null',
  ...more,
})

describe('runs that scripts wait for', () => {
  it('share places of their depth and wait for nobody of another one', async () => {
    pool = createScriptPool(forkSpawner)
    const open = pool
    const source = 'await records.get("a", "b"); return 1'
    let most = 0
    // Both places of the first depth are taken by runs that wait for five deeper ones each.
    const answer = async (): Promise<string> => {
      const inner = Array.from({ length: 5 }, () => open.run(run('return 2', { depth: 1 })))
      await Promise.all(inner)
      most = Math.max(most, open.size())
      return 'null'
    }
    const results = await Promise.all([1, 2, 3].map(() => open.run(run(source, { answer }))))
    expect(results.map(({ outcome }) => outcome)).toEqual([{ value: '1' }, { value: '1' }, { value: '1' }])
    expect(most).toBeLessThanOrEqual(4)
  })

  it('end with the one that waits for them, also in the queue', async () => {
    pool = createScriptPool(forkSpawner)
    const open = pool
    const parent = new AbortController()
    const forever = (): Promise<string> => new Promise(() => undefined)
    const waiting = [1, 2, 3].map(() =>
      open.run(run('await records.get("a", "b")', { depth: 1, signal: parent.signal, answer: forever })),
    )
    parent.abort()
    for (const { outcome } of await Promise.all(waiting)) expect(outcome).toMatchObject({ reason: 'wall' })
    expect(open.size()).toBe(0)
  })
})

describe('the time of a run', () => {
  it('begins when its process can run it: a slow machine refuses no write for that', async () => {
    pool = createScriptPool((entry, options) => {
      const child = forkSpawner(entry, options)
      process.kill(child.pid!, 'SIGSTOP')
      setTimeout(() => process.kill(child.pid!, 'SIGCONT'), 1_500)
      return child
    })
    expect((await pool.run(run('return 1', { timeoutMs: 1_000 }))).outcome).toEqual({ value: '1' })
  })

  it('ends a run whose process is not there', async () => {
    const stranger = new AbortController()
    pool = createScriptPool((entry, options) => {
      const child = forkSpawner(entry, options)
      process.kill(child.pid!, 'SIGSTOP')
      return child
    })
    const waiting = pool.run(run('return 1', { signal: stranger.signal }))
    await new Promise((resolve) => setTimeout(resolve, 100))
    stranger.abort()
    expect((await waiting).outcome).toMatchObject({ reason: 'wall', message: expect.stringContaining('did not start') })
    expect(pool.size()).toBe(0)
  })
})

describe('calls', () => {
  it('go to the host a few at a time, the rest ends with the run', async () => {
    pool = createScriptPool(forkSpawner)
    let begun = 0
    let aborted = 0
    const answer: PoolRun['answer'] = (_method, _args, signal) => {
      begun += 1
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => {
          aborted += 1
          reject(new Error('over'))
        }),
      )
    }
    const source = 'await Promise.all(Array.from({ length: 500 }, () => records.get("a", "b")))'
    const { outcome } = await pool.run(run(source, { timeoutMs: 2_000, answer }))
    expect(outcome).toMatchObject({ reason: 'wall' })
    expect([begun, aborted]).toEqual([8, 8])
  })

  it('are bounded in all, however they are awaited', async () => {
    pool = createScriptPool(forkSpawner)
    let begun = 0
    const answer = async (): Promise<string> => {
      begun += 1
      return 'null'
    }
    const source = 'for (;;) await Promise.all(Array.from({ length: 500 }, () => records.get("a", "b")))'
    const { outcome } = await pool.run(run(source, { answer }))
    expect(['calls', 'wall', 'cpu']).toContain('reason' in outcome ? outcome.reason : 'value')
    expect(begun).toBeLessThanOrEqual(10_000)
  })
})
