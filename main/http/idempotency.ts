// Repeats of a write that carry the same Idempotency-Key get the first answer instead of a second effect. Knows no route
// and no database: answers are kept by a store it is given.
import { hash } from 'node:crypto'
import { PlatformError, platformError, validationError } from '#shared/errors.ts'
import { answersKeptMs } from '#main/kernel/answer-store.ts'
import type { AnswerStore, StoredAnswer } from '#main/kernel/answer-store.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { EffectKey } from '#main/kernel/context.ts'
import { ByteStream, RawJson, Reply } from '#main/kernel/reply.ts'

const keyPattern = /^[\x21-\x7e]{1,128}$/

/** What identifies a write: who, which key, which route, which body. */
export interface RepeatableWrite {
  readonly credentialId: string
  readonly key: string
  readonly method: string
  readonly path: string
  readonly body: unknown
  readonly rights: ReplayRights
}

/** What an answer that is told again is judged by. */
export interface ReplayRights {
  /** Stands for the rights of the caller at this moment. */
  stamp(): string
  /** Whether the caller may read the records whose values an answer holds. */
  mayTell(body: string): boolean
}

/** The remembered writes of one server. */
export interface IdempotencyKeys {
  /**
   * Runs `work` unless the same write was made before: then answers what it answered, after `onReplay` was called.
   * Failures of the server are not remembered, so they can be tried again. The answer waits until it is kept.
   * @throws validation_error for a malformed key; conflict when the key was used with another body, still runs, or its
   * answer is not known any more
   */
  run(write: RepeatableWrite, work: (key: EffectKey) => unknown, onReplay: () => void): unknown
}

/** An answer as it is kept. */
type Kept = {
  /** The rights it was told by; '' of what is told to nobody. */
  readonly rights: string
} & (
  | {
      readonly status?: number
      readonly headers: Record<string, string | readonly string[]>
      readonly body: string
    }
  | { readonly refusal: Omit<PlatformError, 'name' | 'stack' | 'cause'> }
  /** How far a call has come. */
  | { readonly part: string }
)

/**
 * Makes the keys of one server.
 * @source D-42
 */
export function createIdempotencyKeys(clock: Clock, store: AnswerStore = createMemory()): IdempotencyKeys {
  /** Digests of the writes that run now, by name. */
  const running = new Map<string, string>()

  /** Lets go of a write once its outcome is kept; an outcome that cannot be kept is answered all the same. */
  const finish = <T>(name: string, saving: Promise<void> | void, settle: () => T): T | Promise<T> => {
    const end = (): T => {
      running.delete(name)
      return settle()
    }
    return saving instanceof Promise ? saving.then(end, end) : end()
  }

  /** @param kept what was kept in the transaction of the write */
  const succeed = (key: EffectKey, result: unknown, kept: string | undefined, { stamp }: ReplayRights): unknown => {
    const answer = storedForm(result)
    // A stream can be sent once only.
    if (answer === null) return finish(key.name, undefined, () => result)
    const text = keptText(answer, stamp())
    return finish(key.name, text === kept ? undefined : store.save(key, text), () => answer)
  }

  const fail = (key: EffectKey, error: unknown, { stamp }: ReplayRights): unknown => {
    const isRefusal = error instanceof PlatformError && error.httpStatus < 500 && error.httpStatus !== 429
    const raise = (): never => {
      throw error
    }
    if (!isRefusal) return finish(key.name, undefined, raise)
    const { code, httpStatus, category, retryable, message, details } = error
    const kept: Kept = { refusal: { code, httpStatus, category, retryable, message, details }, rights: stamp() }
    return finish(key.name, store.save(key, JSON.stringify(kept)), raise)
  }

  return {
    run(write, work, onReplay) {
      if (!keyPattern.test(write.key)) {
        const message = 'Expected 1 to 128 visible ASCII characters.'
        throw validationError([{ field: 'Idempotency-Key', code: 'invalid_format', message }])
      }
      const name = hash('sha256', [write.credentialId, write.method, write.path, write.key].join('\n'))
      const digest = store.digest(JSON.stringify(write.body) ?? '')
      const go = (known: string): unknown => runWith(name, known, work, onReplay, write.rights)
      return digest instanceof Promise ? digest.then(go) : go(digest)
    },
  }

  function runWith(
    name: string,
    digest: string,
    work: (key: EffectKey) => unknown,
    onReplay: () => void,
    rights: ReplayRights,
  ): unknown {
    const now = clock.now()
    const other = running.get(name)
    if (other !== undefined) {
      if (other !== digest) throw platformError('conflict', { reason: 'idempotency_key_reused' })
      throw platformError('conflict', { reason: 'idempotency_key_running', retryAfterSeconds: 1 })
    }
    const before = store.find(name)
    const known = before !== undefined && before.startedAt > now - answersKeptMs ? keptOf(before, digest) : undefined
    if (known !== undefined && !('part' in known)) return replay(known, onReplay, rights)
    let kept: string | undefined
    const key: EffectKey = {
      ...{ name, digest, startedAt: now },
      keep(tx, answer) {
        const form = storedForm(answer)
        if (form === null || store.saveWith === undefined) return
        const text = keptText(form, rights.stamp())
        store.saveWith(tx, key, text)
        // Not before: a transaction that is rolled back keeps nothing.
        tx.afterCommit(() => (kept = text))
      },
      ...(known && { part: known.part }),
      keepPart(tx, part) {
        store.saveWith?.(tx, key, JSON.stringify({ part, rights: '' } satisfies Kept))
      },
    }
    running.set(name, digest)
    let result: unknown
    try {
      result = store.during === undefined ? work(key) : store.during(key, () => work(key))
    } catch (error) {
      return fail(key, error, rights)
    }
    if (!(result instanceof Promise)) return succeed(key, result, kept, rights)
    return result.then(
      (value: unknown) => succeed(key, value, kept, rights),
      (error: unknown) => fail(key, error, rights),
    )
  }
}

/** What is kept of a write that was made before. @throws conflict */
function keptOf(before: StoredAnswer, digest: string): Kept {
  if (before.digest !== '' && before.digest !== digest)
    throw platformError('conflict', { reason: 'idempotency_key_reused' })
  if (before.answer === null) throw platformError('conflict', { reason: 'idempotency_answer_unknown' })
  return JSON.parse(before.answer) as Kept
}

/** The answer of a write that was made before. @throws conflict, and what it threw */
function replay(
  kept: Exclude<Kept, { readonly part: string }>,
  onReplay: () => void,
  { stamp, mayTell }: ReplayRights,
): Reply<RawJson> {
  // What it told may be closed to the caller by now; a refusal may show the record as it is.
  const told = 'refusal' in kept ? JSON.stringify(kept.refusal.details) : kept.body
  if (kept.rights !== stamp() || !mayTell(told))
    throw platformError('conflict', { reason: 'idempotency_answer_unknown' })
  onReplay()
  if ('refusal' in kept) {
    const { code, details, ...definition } = kept.refusal
    throw new PlatformError(code, definition, details)
  }
  const { status, headers, body } = kept
  return new Reply(new RawJson(body), { ...(status === undefined ? {} : { status }), headers })
}

/**
 * Remembers answers for as long as the process lives: for servers without a database, and for answers that hold secrets.
 * @param marks where it stays known that a write was made, without its answer and any trace of its body
 */
export function createMemory(maxRemembered = 10_000, marks?: AnswerStore): AnswerStore {
  const answers = new Map<string, StoredAnswer>()
  let characters = 0
  return {
    digest: (body) => hash('sha256', body),
    find: (name) => answers.get(name) ?? marks?.find(name),
    ...(marks?.during && { during: (key, work) => marks.during!({ ...key, digest: '' }, work) }),
    save({ name, digest, startedAt }, answer) {
      characters += answer.length - (answers.get(name)?.answer?.length ?? 0)
      answers.delete(name)
      answers.set(name, { digest, startedAt, answer })
      for (const [oldest, { answer: text, startedAt: at }] of answers) {
        const crowded = answers.size > maxRemembered || characters > maxCharacters
        if (!crowded && at > startedAt - answersKeptMs) break
        answers.delete(oldest)
        characters -= text?.length ?? 0
      }
    },
  }
}

/** Characters a process remembers at most. */
const maxCharacters = 32 * 1024 * 1024

function keptText({ status, headers, body }: Reply<RawJson>, rights: string): string {
  const kept: Kept = { ...(status === undefined ? {} : { status }), headers, body: body.text, rights }
  return JSON.stringify(kept)
}

/** A result as text, with the status and headers it came with; null when it is a stream. */
function storedForm(result: unknown): Reply<RawJson> | null {
  const reply = result instanceof Reply ? (result as Reply<unknown>) : null
  const body = reply === null ? result : reply.body
  if (body instanceof ByteStream) return null
  const raw = body instanceof RawJson ? body : new RawJson(JSON.stringify(body) ?? 'null')
  const status = reply?.status
  return new Reply(raw, { ...(status === undefined ? {} : { status }), headers: { ...reply?.headers } })
}
