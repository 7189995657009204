// Which provider a sign-in was begun with, and in which session a provider is added to an account: an answer that comes back
// at the address of another one, or after that session, is not handed on. Knows the state of a sign-in, no provider.
import { authError } from '../errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { AuthParts } from './auth-parts.ts'
import { readSessionById } from '../store.ts'
import type { LibraryAnswer } from './bridge.ts'

/** As long as the library remembers the rest of a sign-in that was begun. */
const lifeMs = 600_000

/** Remembers with which provider the sign-in in an answer begins. @param sessionId what the answer counts as long as */
export async function bindState(
  parts: Pick<AuthParts, 'library' | 'clock'>,
  _ctx: RequestContext,
  given: Readonly<Record<string, unknown>>,
  answer: LibraryAnswer,
  sessionId?: string,
): Promise<void> {
  const { url } = answer.body as { url?: unknown }
  const state = typeof url === 'string' && URL.canParse(url) ? new URL(url).searchParams.get('state') : null
  if (state === null) return
  const library = await parts.library()
  const bound = [String(given['provider']), ...(sessionId === undefined ? [] : [sessionId])].join(' ')
  await library.createVerification(keyOf(state), bound, new Date(parts.clock.now() + lifeMs))
}

/** The same for a provider that is added to the account of a session. The host's own credentials have none to end. */
export function bindLink(
  parts: Pick<AuthParts, 'library' | 'clock'>,
  ctx: RequestContext,
  given: Readonly<Record<string, unknown>>,
  answer: LibraryAnswer,
): Promise<void> {
  return bindState(parts, ctx, given, answer, ctx.credential === 'session' ? ctx.credentialId : undefined)
}

/**
 * Refuses an answer that was meant for another provider, as its code would be sent to the wrong one, and one that would add
 * a provider for a session that has ended.
 * @throws token_invalid
 * @source RFC 9700 section 4.4; safety N4
 */
export async function requireBoundState(
  parts: Pick<AuthParts, 'library' | 'read'>,
  _ctx: RequestContext,
  given: Readonly<Record<string, unknown>>,
  { params }: { readonly params?: unknown },
): Promise<void> {
  const { state } = given
  if (typeof state !== 'string') return
  const found = await (await parts.library()).findVerification(keyOf(state))
  const [provider, sessionId] = found?.value.split(' ') ?? []
  const hasEnded = sessionId !== undefined && readSessionById(parts.read, sessionId) === undefined
  if (provider !== (params as { id: string }).id || hasEnded)
    throw authError('token_invalid', { reason: 'STATE_MISMATCH' })
}

function keyOf(state: string): string {
  return `provider-of:${state}`
}
