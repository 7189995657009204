// Device authorization: the payloads of D-36 around the library's steps.
import { platformError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { PlatformError } from '#shared/errors.ts'
import { Reply } from '#main/kernel/reply.ts'
import { authError } from '../errors.ts'
import type { AuthParts } from './auth-parts.ts'
import { slowPolling } from './consent-store.ts'
import type { ForwardedInput } from './forwarding.ts'
import { asProtocolSays, fieldsOf, tell } from './forwarding.ts'
import { digestOf } from './session-lookup.ts'
import { anonymous, tellSignIn } from './sign-in.ts'
import { printUserCode } from './user-code.ts'
import { requireOwnSession } from './users.ts'

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'
const slowDownMs = 5_000

/** A code and what the device shows. `intervalSeconds`, never `interval`. */
export function requestCode(parts: AuthParts, ctx: RequestContext, input: ForwardedInput): Promise<Reply<never>> {
  return asProtocolSays(Buffer.isBuffer(input.body), async () => {
    const { client_id: clientId, scope } = fieldsOf(input.body)
    if (typeof clientId !== 'string' || clientId === '')
      throw authError('invalid_request', { reason: 'invalid_request', description: 'client_id is required' })
    const answer = await parts.bridge.call(anonymous(ctx), {
      method: 'POST',
      path: '/device/code',
      headers: {},
      body: { client_id: clientId, ...(typeof scope === 'string' ? { scope } : {}) },
    })
    const { interval, user_code: userCode, ...rest } = answer.body as { interval: number; user_code: string }
    const body = { ...rest, user_code: printUserCode(userCode), intervalSeconds: interval }
    return new Reply(body as never, { headers: { 'cache-control': 'no-store' } })
  })
}

/** The token of an approved device; each poll that comes too early adds five seconds to the pause. */
export function pollToken(parts: AuthParts, ctx: RequestContext, input: ForwardedInput): Promise<Reply<never>> {
  return asProtocolSays(Buffer.isBuffer(input.body), async () => {
    const { grant_type: grantType, device_code: code, client_id: clientId } = fieldsOf(input.body)
    if (grantType !== deviceGrant) throw authError('unsupported_grant_type', { reason: 'unsupported_grant_type' })
    if (typeof code !== 'string' || typeof clientId !== 'string')
      throw authError('invalid_request', { reason: 'invalid_request' })
    try {
      const answer = await parts.bridge.call(anonymous(ctx), {
        method: 'POST',
        path: '/device/token',
        headers: { 'user-agent': input.headers['user-agent'] },
        body: { grant_type: grantType, device_code: code, client_id: clientId },
      })
      const given = answer.body as { access_token: string; expires_in: number; scope?: string }
      const caller = parts.lookup.byToken(given.access_token, false)
      if (caller !== null) await tellSignIn(parts, ctx, caller.actor.id, 'device', caller.credentialId)
      const body = {
        access_token: given.access_token,
        token_type: 'Bearer',
        expires_in: given.expires_in,
        scope: given.scope ?? '',
      }
      return new Reply(body as never, { headers: { 'cache-control': 'no-store' } })
    } catch (error) {
      if (error instanceof PlatformError && error.code === 'slow_down') await slowDown(parts, code)
      throw error
    }
  })
}

/** Lets a device act as the caller, or refuses it; the code belongs to whoever looked it up first. */
export async function decide(
  parts: AuthParts,
  ctx: RequestContext,
  input: ForwardedInput,
  verdict: 'approve' | 'deny',
): Promise<{ success: boolean }> {
  requireOwnSession(ctx)
  const { userCode } = input.body as { userCode: string }
  const code = normalised(userCode)
  const { headers } = input
  try {
    await countGuess(parts, ctx, verdict, async () => {
      await parts.bridge.call(ctx, { method: 'GET', path: '/device', query: { user_code: code }, headers })
      await parts.bridge.call(ctx, { method: 'POST', path: `/device/${verdict}`, body: { userCode: code }, headers })
    })
  } catch (error) {
    // A code that is wrong, old or decided is one to the caller: nothing to guess from.
    if (error instanceof PlatformError && error.category === 'validation')
      throw platformError('resource_not_found', { resource: 'device_code' })
    throw error
  }
  const type = verdict === 'approve' ? 'auth.device_approved' : 'auth.device_denied'
  await tell(parts, ctx, type, { userId: ctx.actor.id })
  return { success: true }
}

/** What a code is about. */
export async function describeDevice(
  parts: AuthParts,
  ctx: RequestContext,
  input: ForwardedInput,
): Promise<Record<string, unknown>> {
  requireOwnSession(ctx)
  const { user_code: userCode } = input.query as { user_code: string }
  const { headers } = input
  const query = { user_code: normalised(userCode) }
  const answer = await countGuess(parts, ctx, 'describe', () =>
    parts.bridge.call(ctx, { method: 'GET', path: '/device', query, headers }),
  )
  return { ...(answer.body as Record<string, unknown>), user_code: printUserCode(normalised(userCode)) }
}

/**
 * Counts codes that are none, apart from the failures of the account: a code is short, and whoever is signed in may try.
 * One that is right takes back its own count only, since everybody can have right ones made.
 * @throws rate_limit_exceeded
 * @source RFC 8628 section 5.1; safety N1
 */
async function countGuess<T>(
  parts: AuthParts,
  ctx: RequestContext,
  step: 'approve' | 'deny' | 'describe',
  work: () => Promise<T>,
): Promise<T> {
  const account = `device codes of ${ctx.actor.id}`
  await parts.attempts.begin(account, `device ${step}`)
  try {
    const result = await work()
    await parts.attempts.takeBack(account)
    return result
  } catch (error) {
    // Expired codes and those of others are hits too.
    if (!(error instanceof PlatformError) || error.httpStatus >= 500) await parts.attempts.takeBack(account)
    throw error
  }
}

async function slowDown(parts: AuthParts, code: string): Promise<void> {
  await parts.write('auth.slow-down', (tx) => slowPolling(tx, digestOf(code), slowDownMs))
}

function normalised(userCode: string): string {
  return userCode.replaceAll(/[^A-Za-z0-9]/g, '').toUpperCase()
}
