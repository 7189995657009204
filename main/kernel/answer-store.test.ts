// Stored answers over a real file: with the write, without it, their bounds, and purged records.
import { hash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTestDatabase } from '../../test/support/open-test-database.ts'
import type { TestDatabase } from '../../test/support/open-test-database.ts'
import { answersKeptMs, createAnswerStore } from './answer-store.ts'
import type { AnswerStore } from './answer-store.ts'
import type { EffectKey } from './context.ts'
import { internalContext } from './context.ts'
import { statement } from './database.ts'
import { kernelMigrations } from './kernel-migrations.ts'
import type { SecretStore } from './ports.ts'

let db: TestDatabase
let store: AnswerStore

/** A store of secrets that can lose its key. */
let lost = false
const secrets: SecretStore = {
  backend: 'file',
  seal: (plain) => Promise.resolve(`sealed ${plain}`),
  open: (sealed) => (lost ? Promise.reject(new Error('The key is lost.')) : Promise.resolve(sealed.slice(7))),
}

const keyOf = (name: string): EffectKey => ({ name, digest: 'd', startedAt: db.clock.now() })
const contextOf = (name: string) => ({ ...internalContext('answers'), effectKey: keyOf(name) })
const count = (table: string): number =>
  db.database.read.get<{ n: number }>(statement(`SELECT count(*) AS n FROM ${table}`))!.n

beforeEach(async () => {
  db = await openTestDatabase([{ id: 'kernel', migrations: kernelMigrations }])
  store = await createAnswerStore({ ...db, secrets })
})

afterEach(() => db.close())

describe('createAnswerStore', () => {
  it('knows a write from its commit on, and its answer once that is saved', async () => {
    await db.database.write('effect', (tx) => tx.emit(contextOf('a'), { type: 'x', payload: null }))
    expect(store.find('a')).toEqual({ digest: 'd', startedAt: db.clock.now(), answer: null })
    await store.save(keyOf('a'), 'the answer')
    expect(store.find('a')?.answer).toBe('the answer')
    expect(store.find('b')).toBeUndefined()
  })

  it('knows nothing of a write that was rolled back, and keeps an answer when a late event follows', async () => {
    const failing = db.database.write('effect', (tx) => {
      tx.emit(contextOf('a'), { type: 'x', payload: null })
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(store.find('a')).toBeUndefined()
    await store.save(keyOf('a'), 'kept')
    await db.database.write('late', (tx) => tx.emit(contextOf('a'), { type: 'x', payload: null }))
    expect(store.find('a')?.answer).toBe('kept')
  })

  it('forgets answers after a day and the oldest of more than 10,000', async () => {
    await store.save(keyOf('old'), 'x')
    db.clock.advance(answersKeptMs)
    await db.database.write('fill', (tx) => {
      for (let at = 0; at < 10_150; at += 1)
        tx.run(
          statement('INSERT INTO _answer (name, digest, started_at, answer, size) VALUES (?, ?, ?, ?, 1)', [
            `n${at}`,
            'd',
            db.clock.now() + at,
            'x',
          ]),
        )
    })
    for (let at = 0; at < 100; at += 1)
      await store.save({ ...keyOf(`s${at}`), startedAt: db.clock.now() + 20_000 }, 'x')
    expect(store.find('old')).toBeUndefined()
    expect(count('_answer')).toBeLessThanOrEqual(10_101)
    expect([store.find('n0'), store.find('s99')?.answer]).toEqual([undefined, 'x'])
  })

  it('forgets answers beyond 32 million characters', async () => {
    const big = 'x'.repeat(1_000_000)
    for (let at = 0; at < 101; at += 1) {
      db.clock.advance(1)
      await store.save(keyOf(`n${at}`), at < 60 ? big : 'small')
    }
    const { size } = db.database.read.get<{ size: number }>(statement('SELECT total(size) AS size FROM _answer'))!
    expect(size).toBeLessThanOrEqual(32 * 1024 * 1024)
    expect(store.find('n100')?.answer).toBe('small')
  })

  it('hashes bodies with a key of its own that survives a restart, and makes another one when it is lost', async () => {
    const first = await store.digest('body')
    expect([await store.digest('body'), (await store.digest('other')) === first]).toEqual([first, false])
    expect(first).not.toBe(hash('sha256', 'body'))
    expect(await (await createAnswerStore({ ...db, secrets })).digest('body')).toBe(first)
    lost = true
    expect(await (await createAnswerStore({ ...db, secrets })).digest('body')).not.toBe(first)
    lost = false
    expect(count('_answer_key')).toBe(1)
  })

  it('empties the answers that name a purged record, and only those', async () => {
    const gone = '01900000-0000-7000-8000-0000000000aa'
    const other = '01900000-0000-7000-8000-0000000000bb'
    await store.save(keyOf('gone'), JSON.stringify({ id: gone, name: 'canary' }))
    await store.save(keyOf('other'), JSON.stringify({ id: other }))
    await db.database.write('purge', (tx) =>
      tx.emit(internalContext('p'), { type: 'record.purged', recordId: gone, payload: null }),
    )
    expect([store.find('gone')?.answer, store.find('other')?.answer]).toEqual([null, JSON.stringify({ id: other })])
    db.clock.advance(answersKeptMs + 1)
    await store.save(keyOf('later'), 'x')
    expect([count('_answer'), count('_answer_record')]).toEqual([1, 0])
  })
})
