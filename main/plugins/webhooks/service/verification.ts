// Whether a call of a receiver comes from who it should (D-196). Knows no action.
import { BlockList, isIP } from 'node:net'
import { z } from 'zod'
import { WebhookSecret } from '#shared/contracts/webhooks.ts'
import type { FieldError } from '#shared/errors.ts'
import { validationError } from '#shared/errors.ts'
import type { RawBody } from '#shared/route.ts'
import { fieldErrorsOf } from '#shared/schema-errors.ts'
import { isHexSigned, isSameText, isSigned } from './signature.ts'

const header = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/)

const paramsByType = {
  none: z.object({}),
  header_token: z.object({ header: header.default('X-Webhook-Token'), token: z.string().min(1).max(1_024) }),
  hmac: z.object({
    secret: WebhookSecret,
    scheme: z.enum(['standard', 'hex']).default('standard'),
    header: header.default('X-Signature'),
    prefix: z.string().max(100).default('sha256='),
    toleranceSeconds: z.int().min(1).max(86_400).default(300),
  }),
  ip_whitelist: z.object({ ips: z.array(z.string()).min(1).max(1_000) }),
}

/** How a receiver verifies, with its parameters. */
export type Verification = {
  [K in keyof typeof paramsByType]: { readonly type: K; readonly params: z.output<(typeof paramsByType)[K]> }
}[keyof typeof paramsByType]

/** Parameters that are secrets, by name. */
export const secretParams: ReadonlySet<string> = new Set(['token', 'secret'])

/** Reads the parameters of a type. @throws validation_error */
export function readVerification(type: Verification['type'], given: Readonly<Record<string, unknown>>): Verification {
  // The specification's clients write `secret` for the token, too.
  const named = type === 'header_token' && given['token'] === undefined ? { ...given, token: given['secret'] } : given
  const parsed = paramsByType[type].safeParse(named)
  if (!parsed.success)
    throw validationError(
      fieldErrorsOf(parsed.error.issues, named).map((one) => ({ ...one, field: `verificationParams.${one.field}` })),
    )
  const verification = { type, params: parsed.data } as Verification
  if (verification.type === 'ip_whitelist') addressesOf(verification.params.ips)
  return verification
}

/** A call as it came. */
export interface ReceivedCall {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly raw: RawBody
  /** Milliseconds. */
  readonly now: number
}

/** The id of the message when the call is verified and has one; null for one without, undefined when it is not verified. */
export function verify(verification: Verification, { headers, raw, now }: ReceivedCall): string | null | undefined {
  switch (verification.type) {
    case 'none':
      return null
    case 'header_token': {
      const { header: name, token } = verification.params
      return isSameText(headers[name.toLowerCase()] ?? '', token) ? null : undefined
    }
    case 'ip_whitelist': {
      const family = raw.address.includes(':') ? 'ipv6' : 'ipv4'
      return addressesOf(verification.params.ips).check(raw.address, family) ? null : undefined
    }
    case 'hmac': {
      const { secret: key, scheme, header: name, prefix, toleranceSeconds } = verification.params
      if (scheme === 'hex') {
        const given = headers[name.toLowerCase()] ?? ''
        return given.startsWith(prefix) && isHexSigned(key, raw.bytes, given.slice(prefix.length)) ? null : undefined
      }
      const { 'webhook-id': id, 'webhook-timestamp': text, 'webhook-signature': signature } = headers
      const timestamp = Number(text)
      const isFresh = /^\d{1,12}$/.test(text ?? '') && Math.abs(now / 1_000 - timestamp) <= toleranceSeconds
      if (!id || id.length > 200 || signature === undefined || !isFresh) return undefined
      return isSigned(key, { id, timestamp, body: raw.bytes }, signature) ? id : undefined
    }
  }
}

/** @throws validation_error for what is neither an address nor a range of addresses */
function addressesOf(ips: readonly string[]): BlockList {
  const list = new BlockList()
  const problems: FieldError[] = []
  for (const [index, text] of ips.entries()) {
    const [address = '', bits] = text.split('/', 2)
    const version = isIP(address)
    const family = version === 6 ? 'ipv6' : 'ipv4'
    const most = version === 6 ? 128 : 32
    const isRange = bits !== undefined && /^\d{1,3}$/.test(bits) && Number(bits) <= most
    if (version === 0 || (bits !== undefined && !isRange)) {
      const field = `verificationParams.ips.${index}`
      problems.push({ field, code: 'invalid_format', message: 'Neither an address nor a range such as 192.0.2.0/24.' })
    } else if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  if (problems.length > 0) throw validationError(problems)
  return list
}
