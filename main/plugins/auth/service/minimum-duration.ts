// Answers after the same time whatever there was to do. Knows nothing of the work.
import { setTimeout as pause } from 'node:timers/promises'

/** Longer than sending a link takes, with its writes, on any machine that is not overwhelmed. */
export const linkMs = 60

/** Longer than making an account takes, with the hash of its password. */
export const signUpMs = 500

/**
 * Does some work and answers no sooner than after a time, a refusal too: how long it took tells nothing.
 * @source safety N2
 */
export async function noSoonerThan<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const due = pause(ms)
  try {
    return await work()
  } finally {
    await due
  }
}
