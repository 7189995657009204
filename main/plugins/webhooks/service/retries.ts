// When a failed delivery is tried again. Pure.
import type { RetryPolicy } from '#shared/contracts/webhooks.ts'
import type { z } from 'zod'

/** Waits between attempts where a webhook has no policy of its own, in milliseconds. @source D-194 */
const standardWaits = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000].map((seconds) => seconds * 1_000)
/** Part of a wait by which it is shorter or longer, so that what failed together does not come together again. */
const spread = 0.2
const longestAskedMs = 3_600_000
/** Answers of a server that may think otherwise later. */
const passingStatuses: ReadonlySet<number> = new Set([408, 409, 425, 429])

/** What came of an attempt. */
export type AttemptVerdict = 'success' | 'retry' | 'refused' | 'ended'

/** What a status says of the delivery; redirects are not followed. @source D-194 */
export function verdictOf(status: number): AttemptVerdict {
  if (status >= 200 && status < 300) return 'success'
  if (status === 410) return 'ended'
  return status >= 500 || passingStatuses.has(status) ? 'retry' : 'refused'
}

/**
 * How long to wait after a failed attempt; null when all were made.
 * @param failed how many attempts failed so far, this one included
 * @param retryAfter the header of the answer: seconds, or a date
 * @param now milliseconds
 * @param random a number from 0 to 1
 */
export function waitMs(
  policy: z.output<typeof RetryPolicy> | undefined,
  failed: number,
  retryAfter: string | undefined,
  now: number,
  random: number,
): number | null {
  const wait = policy === undefined ? standardWait(failed, random) : policyWait(policy, failed)
  if (wait === null) return null
  const asked = /^\d+$/.test(retryAfter ?? '') ? Number(retryAfter) * 1_000 : Date.parse(retryAfter ?? '') - now
  return Math.max(wait, Math.min(longestAskedMs, asked || 0))
}

function standardWait(failed: number, random: number): number | null {
  const wait = standardWaits[failed - 1]
  return wait === undefined ? null : Math.round(wait * (1 - spread + 2 * spread * random))
}

function policyWait(policy: z.output<typeof RetryPolicy>, failed: number): number | null {
  const { maxRetries, backoffStrategy, initialDelayMs, maxDelayMs } = policy
  if (failed > maxRetries) return null
  const factor = backoffStrategy === 'fixed' ? 1 : backoffStrategy === 'linear' ? failed : 2 ** (failed - 1)
  return Math.min(maxDelayMs, initialDelayMs * factor)
}
