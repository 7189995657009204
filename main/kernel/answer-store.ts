// Keeps the answers of writes that carry an Idempotency-Key in the database, so that a repeat after a restart is known.
// The key is stored in the transaction of the write itself: a write whose answer was lost is never done twice.
import { AsyncLocalStorage } from 'node:async_hooks'
import { createHmac } from 'node:crypto'
import type { EffectKey } from './context.ts'
import type { Database, Tx } from './database.ts'
import { statement } from './database.ts'
import type { EventBus } from './events.ts'
import type { Migration } from './plugin.ts'
import type { SecretStore } from './ports.ts'
import { makeSealedKey, openSealedKey } from './sealed-key.ts'

/** A write that was made before. */
export interface StoredAnswer {
  /** Hash of the body it was made with; '' where none is kept. */
  readonly digest: string
  /** Milliseconds. */
  readonly startedAt: number
  /** The answer as text; null when the write is stored and its answer is not known any more. */
  readonly answer: string | null
}

/** Remembers answers by the name of their write. */
export interface AnswerStore {
  /** A hash of a body that tells nothing about it to whoever has the store alone. */
  digest(body: string): string | Promise<string>
  find(name: string): StoredAnswer | undefined
  save(key: EffectKey, answer: string): Promise<void> | void
  /** Saves it in the transaction of the write; absent where answers are not in the database. */
  saveWith?(tx: Tx, key: EffectKey, answer: string): void
  /** Does the work of a write: whatever it stores until it ends is stored with its key. Absent likewise. */
  during?<T>(key: EffectKey, work: () => T): T
}

/** The store of a host. */
export interface HostAnswers extends AnswerStore {
  /** The database for whoever writes in the name of requests: what is written during the work of one takes its key along. */
  marking<T extends Pick<Database, 'write' | 'writeStepwise'>>(database: T): T
}

/** How long an answer is kept (D-42). */
export const answersKeptMs = 24 * 60 * 60_000

/** Answers kept at most, and their characters; the oldest go first. */
const maxAnswers = 10_000
const maxCharacters = 32 * 1024 * 1024
/** They are counted every so many answers or characters. */
const countEvery = 100
const countAfter = 1024 * 1024

/** Ids in an answer: whatever it tells of a record names it. */
const uuids = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g

/** The tables of answers and of the records they name. */
export const answerTable: Migration = {
  number: 3,
  name: 'answers',
  sql: `
    CREATE TABLE _answer (
      name TEXT PRIMARY KEY,
      digest TEXT NOT NULL,
      started_at INTEGER NOT NULL,
      answer TEXT,
      size INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX _answer_started ON _answer (started_at);
    CREATE TABLE _answer_record (
      record_id TEXT NOT NULL,
      name TEXT NOT NULL REFERENCES _answer (name) ON DELETE CASCADE,
      PRIMARY KEY (record_id, name)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX _answer_record_name ON _answer_record (name);
  `,
}

/** The key of the hashes, sealed: a body may hold a password, and a plain hash of a short one could be guessed. */
export const answerKeyTable: Migration = {
  number: 4,
  name: 'answer-key',
  sql: 'CREATE TABLE _answer_key (one INTEGER PRIMARY KEY CHECK (one = 1), sealed TEXT NOT NULL) STRICT;',
}

/**
 * Makes the store over the database.
 * @throws SecretKeyMissing when its key was sealed with a key file that is gone
 * @source D-42
 */
export async function createAnswerStore({
  database,
  bus,
  secrets,
}: {
  database: Pick<Database, 'read' | 'write'>
  bus: Pick<EventBus, 'on'>
  secrets: SecretStore
}): Promise<HostAnswers> {
  const stored = database.read.get<{ sealed: string }>(statement('SELECT sealed FROM _answer_key'))
  // A copy of the database without its secrets: answers of before cannot be compared with, so they are refused.
  let key = await openSealedKey(secrets, stored?.sealed)
  let making: Promise<Buffer> | undefined
  let saves = 0
  let grown = 0
  /** What begins during the work of a write and goes on after its end is none of it any more. */
  const underWay = new AsyncLocalStorage<{ key: EffectKey | undefined }>()

  const digestWith = (known: Buffer, body: string): string => createHmac('sha256', known).update(body).digest('hex')

  /** Made when the first body is hashed: most workspaces need none. */
  const makeKey = async (): Promise<Buffer> => {
    const made = await makeSealedKey(secrets)
    await database.write('answer key', (tx) => {
      tx.run(statement('INSERT OR REPLACE INTO _answer_key (one, sealed) VALUES (1, ?)', [made.sealed]))
    })
    return made.key
  }

  const insert = (tx: Tx, key: EffectKey, answer: string | null): void => {
    const verb = answer === null ? 'INSERT OR IGNORE' : 'INSERT OR REPLACE'
    tx.run(
      statement(`${verb} INTO _answer (name, digest, started_at, answer, size) VALUES (?, ?, ?, ?, ?)`, [
        key.name,
        key.digest,
        key.startedAt,
        answer,
        answer?.length ?? 0,
      ]),
    )
    for (const id of new Set(answer?.match(uuids) ?? []))
      tx.run(statement('INSERT INTO _answer_record (record_id, name) VALUES (?, ?)', [id, key.name]))
  }

  const makeRoom = (tx: Tx, now: number, characters: number): void => {
    tx.run(statement('DELETE FROM _answer WHERE started_at <= ?', [now - answersKeptMs]))
    saves += 1
    grown += characters
    if (saves % countEvery !== 1 && grown < countAfter) return
    grown = 0
    for (;;) {
      const { n, size } = tx.get<{ n: number; size: number }>(
        statement('SELECT count(*) AS n, total(size) AS size FROM _answer'),
      )!
      if (n <= maxAnswers && size <= maxCharacters) return
      tx.run(
        statement('DELETE FROM _answer WHERE name IN (SELECT name FROM _answer ORDER BY started_at LIMIT ?)', [
          Math.max(Math.ceil(n / 10), n - maxAnswers),
        ]),
      )
    }
  }

  const saveWith = (tx: Tx, key: EffectKey, answer: string): void => {
    makeRoom(tx, key.startedAt, answer.length)
    insert(tx, key, answer)
  }

  bus.on(
    '*',
    (event, tx, ctx) => {
      if (ctx.effectKey !== undefined) insert(tx, ctx.effectKey, null)
      // Nothing of a purged record stays, also not in an answer (D-59); that the write was made is still known.
      if (event.type !== 'record.purged') return
      const named = 'SELECT name FROM _answer_record WHERE record_id = ?'
      // Few records are named: looking costs less than an UPDATE that finds nothing.
      if (tx.get(statement(named, [event.recordId])) === undefined) return
      tx.run(statement(`UPDATE _answer SET answer = NULL, size = 0 WHERE name IN (${named})`, [event.recordId]))
    },
    Number.MAX_SAFE_INTEGER,
  )

  return {
    digest(body) {
      if (key !== undefined) return digestWith(key, body)
      making ??= makeKey()
      return making.then(
        (made) => digestWith((key = made), body),
        (error: unknown) => {
          making = undefined
          throw error
        },
      )
    },
    find: (name) =>
      database.read.get<StoredAnswer>(
        statement('SELECT digest, started_at AS startedAt, answer FROM _answer WHERE name = ?', [name]),
      ),
    save: (key, answer) =>
      database.write(
        'answer',
        (tx) => saveWith(tx, key, answer),
        // What is answered was done already.
        { whenFull: true },
      ),
    saveWith,
    during(key, work) {
      const scope: { key: EffectKey | undefined } = { key }
      const end = (): void => void (scope.key = undefined)
      let result: ReturnType<typeof work> | undefined
      try {
        return (result = underWay.run(scope, work))
      } finally {
        if (result instanceof Promise) result.then(end, end)
        else end()
      }
    },
    marking: (given) => ({
      ...given,
      write: (name, fn, options) => {
        const made = underWay.getStore()?.key
        if (made === undefined) return given.write(name, fn, options)
        const marked = (tx: Tx): ReturnType<typeof fn> => {
          insert(tx, made, null)
          return fn(tx)
        }
        return given.write(name, marked, options)
      },
      writeStepwise: (name, fn, options) => {
        const made = underWay.getStore()?.key
        if (made === undefined) return given.writeStepwise(name, fn, options)
        const marked = function* (tx: Tx): ReturnType<typeof fn> {
          insert(tx, made, null)
          return yield* fn(tx)
        }
        return given.writeStepwise(name, marked, options)
      },
    }),
  }
}
