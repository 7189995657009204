// Which provider a sign-in was begun with: an answer that comes back at the address of another one is not handed on. Knows
// the state of a sign-in, no provider.
import { authError } from '../errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { AuthParts } from './auth-parts.ts'
import type { LibraryAnswer } from './bridge.ts'

/** As long as the library remembers the rest of a sign-in that was begun. */
const lifeMs = 600_000

/** Remembers with which provider the sign-in in an answer begins. */
export async function bindState(
  parts: Pick<AuthParts, 'library' | 'clock'>,
  _ctx: RequestContext,
  given: Readonly<Record<string, unknown>>,
  answer: LibraryAnswer,
): Promise<void> {
  const { url } = answer.body as { url?: unknown }
  const state = typeof url === 'string' && URL.canParse(url) ? new URL(url).searchParams.get('state') : null
  if (state === null) return
  const library = await parts.library()
  await library.createVerification(keyOf(state), String(given['provider']), new Date(parts.clock.now() + lifeMs))
}

/**
 * Refuses an answer that was meant for another provider: its code would be sent to the wrong one.
 * @throws token_invalid
 * @source RFC 9700 section 4.4; safety N4
 */
export async function requireBoundState(
  parts: Pick<AuthParts, 'library'>,
  _ctx: RequestContext,
  given: Readonly<Record<string, unknown>>,
  { params }: { readonly params?: unknown },
): Promise<void> {
  const { state } = given
  if (typeof state !== 'string') return
  const found = await (await parts.library()).findVerification(keyOf(state))
  if (found?.value !== (params as { id: string }).id) throw authError('token_invalid', { reason: 'STATE_MISMATCH' })
}

function keyOf(state: string): string {
  return `provider-of:${state}`
}
