import { Readable } from 'node:stream'
import { beforeEach, describe, expect, it } from 'vitest'
import { platformError } from '#shared/errors.ts'
import { createManualClock } from '#main/kernel/clock.ts'
import type { AnswerStore, StoredAnswer } from '#main/kernel/answer-store.ts'
import type { ManualClock } from '#main/kernel/clock.ts'
import type { EffectKey } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import { ByteStream, Reply } from '#main/kernel/reply.ts'
import { createIdempotencyKeys } from './idempotency.ts'
import type { IdempotencyKeys, RepeatableWrite } from './idempotency.ts'

let clock: ManualClock
let keys: IdempotencyKeys
let runs: number
let replays: number

beforeEach(() => {
  clock = createManualClock(0)
  keys = createIdempotencyKeys(clock)
  runs = 0
  replays = 0
})

const rights = { stamp: () => 'same', mayTell: () => true }
const write: RepeatableWrite = { credentialId: 'me', key: 'k-1', method: 'POST', path: '/x', body: { a: 1 }, rights }
const run = (work: () => unknown, change: Partial<RepeatableWrite> = {}): unknown =>
  keys.run(
    { ...write, ...change },
    () => {
      runs += 1
      return work()
    },
    () => (replays += 1),
  )
const text = (answer: unknown): string => (answer as Reply<{ text: string }>).body.text

describe('createIdempotencyKeys', () => {
  it('runs a write once and answers its repeats with the first answer', async () => {
    const first = await run(async () => new Reply({ n: 1 }, { status: 201, headers: { location: '/x/1' } }))
    const second = (await run(async () => ({ n: 2 }))) as Reply<unknown>
    expect(text(second)).toBe(text(first))
    expect([second.status, second.headers['location'], runs, replays]).toEqual([201, '/x/1', 1, 1])
  })

  it('refuses the same key with another body, and a repeat while the first still runs', async () => {
    let finish: ((value: unknown) => void) | undefined
    const first = run(() => new Promise((resolve) => (finish = resolve)))
    expect(() => run(() => 1)).toThrow(
      expect.objectContaining({
        code: 'conflict',
        details: { reason: 'idempotency_key_running', retryAfterSeconds: 1 },
      }),
    )
    expect(() => run(() => 1, { body: { a: 2 } })).toThrow(
      expect.objectContaining({ details: { reason: 'idempotency_key_reused' } }),
    )
    finish?.({ done: true })
    await first
    expect(text(run(() => 1))).toBe('{"done":true}')
  })

  it('keeps credentials, paths and methods apart', () => {
    run(() => 1)
    run(() => 1, { credentialId: 'you' })
    run(() => 1, { path: '/y' })
    run(() => 1, { method: 'PATCH' })
    expect(runs).toBe(4)
  })

  it('repeats a refusal, and tries again after a failure of the server', async () => {
    const refuse = (): never => {
      throw platformError('conflict')
    }
    expect(() => run(refuse)).toThrow('conflicts')
    expect(() => run(() => 1)).toThrow('conflicts')
    expect([runs, replays]).toEqual([1, 1])
    await expect(run(async () => Promise.reject(new Error('lost')), { key: 'other' })).rejects.toThrow('lost')
    expect(text(run(() => 1, { key: 'other' }))).toBe('1')
  })

  it('forgets after 24 hours', () => {
    run(() => 1)
    clock.advance(24 * 60 * 60_000 - 1)
    run(() => 2)
    expect(runs).toBe(1)
    clock.advance(1)
    expect(text(run(() => 2))).toBe('2')
  })

  it('refuses keys that are empty, too long or not visible ASCII', () => {
    for (const key of ['', 'a'.repeat(129), 'has space', 'ä']) {
      expect(() => run(() => 1, { key })).toThrow(expect.objectContaining({ code: 'validation_error' }))
    }
    expect(runs).toBe(0)
  })

  it('does not remember a stream', () => {
    run(() => new ByteStream(Readable.from(['x']), 'text/plain'))
    run(() => new ByteStream(Readable.from(['x']), 'text/plain'))
    expect(runs).toBe(2)
  })

  it('drops the oldest answers when there are too many', () => {
    for (let number = 0; number <= 10_001; number += 1) run(() => number, { key: `k-${number}` })
    const before = runs
    run(() => 'again', { key: 'k-10001' })
    expect(runs).toBe(before)
    run(() => 'again', { key: 'k-0' })
    expect(runs).toBe(before + 1)
  })

  it('hands what an interrupted call kept to its repeat, until there is an answer', async () => {
    const stored = new Map<string, StoredAnswer>()
    const save = ({ name, digest, startedAt }: EffectKey, answer: string): void =>
      void stored.set(name, { digest, startedAt, answer })
    const store: AnswerStore = {
      ...{ digest: (body) => body, find: (name) => stored.get(name), save },
      saveWith: (_tx, key, answer) => save(key, answer),
    }
    const kept = createIdempotencyKeys(clock, store)
    const tx = {} as Tx
    const call = (work: (key: EffectKey) => unknown, change: Partial<RepeatableWrite> = {}): unknown =>
      kept.run({ ...write, ...change }, work, () => (replays += 1))
    const parts: (string | undefined)[] = []
    const interrupted = (part: string) => async (key: EffectKey) => {
      parts.push(key.part)
      key.keepPart!(tx, part)
      throw platformError('service_unavailable', { retryAfterSeconds: 1 })
    }
    await expect(call(interrupted('one'))).rejects.toThrow()
    await expect(call(interrupted('two'))).rejects.toThrow()
    expect(() => call(() => 1, { body: { a: 2 } })).toThrow(
      expect.objectContaining({ details: { reason: 'idempotency_key_reused' } }),
    )
    expect(
      text(
        await call(async ({ part }) => {
          parts.push(part)
          return { done: true }
        }),
      ),
    ).toBe('{"done":true}')
    expect([text(call(() => 1)), replays, parts]).toEqual(['{"done":true}', 1, [undefined, 'one', 'two']])
  })
})
