// Repeats of a write that carry the same Idempotency-Key get the first answer instead of a second effect. In memory:
// the credentials of this host end with its process, so no key could be repeated by the same credential later.
// Knows no route.
import { hash } from 'node:crypto'
import { PlatformError, platformError, validationError } from '#shared/errors.ts'
import type { Clock } from '#main/kernel/clock.ts'
import { ByteStream, RawJson, Reply } from '#main/kernel/reply.ts'

/** How long an answer is kept (D-42). */
const keptMs = 24 * 60 * 60_000

/** Answers kept at most; the oldest finished ones go first. */
const maxEntries = 10_000

/** Characters of answers kept at most. */
const maxCharacters = 32 * 1024 * 1024

const keyPattern = /^[\x21-\x7e]{1,128}$/

/** What identifies a write: who, which key, which route, which body. */
export interface RepeatableWrite {
  readonly credentialId: string
  readonly key: string
  readonly method: string
  readonly path: string
  readonly body: unknown
}

/** The remembered writes of one server. */
export interface IdempotencyKeys {
  /**
   * Runs `work` unless the same write was made before: then answers what it answered, after `onReplay` was called.
   * Failures of the server are not remembered, so they can be tried again.
   * @throws validation_error for a malformed key; conflict when the key was used with another body or still runs
   */
  run(write: RepeatableWrite, work: () => unknown, onReplay: () => void): unknown
}

interface Entry {
  readonly digest: string
  readonly startedAt: number
  /** Null while the work runs. */
  outcome: { answer: Reply<RawJson> } | { refusal: PlatformError } | null
  characters: number
}

/**
 * Makes an empty memory.
 * @source D-42
 */
export function createIdempotencyKeys(clock: Clock): IdempotencyKeys {
  const entries = new Map<string, Entry>()
  let characters = 0

  const forget = (name: string, entry: Entry): void => {
    if (entries.get(name) !== entry) return
    entries.delete(name)
    characters -= entry.characters
  }

  const makeRoom = (): void => {
    const oldest = clock.now() - keptMs
    for (const [name, entry] of entries) {
      const crowded = entries.size > maxEntries || characters > maxCharacters
      if (!crowded && entry.startedAt > oldest) break
      if (entry.outcome !== null) forget(name, entry)
    }
  }

  const remember = (name: string, entry: Entry, outcome: NonNullable<Entry['outcome']>, size: number): void => {
    if (entries.get(name) !== entry) return
    entry.outcome = outcome
    entry.characters = size
    characters += size
    makeRoom()
  }

  const succeed = (name: string, entry: Entry, result: unknown): unknown => {
    const answer = storedForm(result)
    // A stream can be sent once only.
    if (answer === null) forget(name, entry)
    else remember(name, entry, { answer }, answer.body.text.length)
    return answer ?? result
  }

  const fail = (name: string, entry: Entry, error: unknown): never => {
    const isRefusal = error instanceof PlatformError && error.httpStatus < 500 && error.httpStatus !== 429
    if (isRefusal) remember(name, entry, { refusal: error }, 500)
    else forget(name, entry)
    throw error
  }

  return {
    run(write, work, onReplay) {
      if (!keyPattern.test(write.key)) {
        const message = 'Expected 1 to 128 visible ASCII characters.'
        throw validationError([{ field: 'Idempotency-Key', code: 'invalid_format', message }])
      }
      const name = [write.credentialId, write.method, write.path, write.key].join('\n')
      const digest = hash('sha256', JSON.stringify(write.body) ?? '')
      const before = entries.get(name)
      if (before !== undefined && before.startedAt > clock.now() - keptMs) {
        if (before.digest !== digest) throw platformError('conflict', { reason: 'idempotency_key_reused' })
        if (before.outcome === null)
          throw platformError('conflict', { reason: 'idempotency_key_running', retryAfterSeconds: 1 })
        onReplay()
        if ('refusal' in before.outcome) throw before.outcome.refusal
        return before.outcome.answer
      }
      if (before !== undefined) forget(name, before)
      const entry: Entry = { digest, startedAt: clock.now(), outcome: null, characters: 0 }
      entries.set(name, entry)
      let result: unknown
      try {
        result = work()
      } catch (error) {
        return fail(name, entry, error)
      }
      if (!(result instanceof Promise)) return succeed(name, entry, result)
      return result.then(
        (value: unknown) => succeed(name, entry, value),
        (error: unknown) => fail(name, entry, error),
      )
    },
  }
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
