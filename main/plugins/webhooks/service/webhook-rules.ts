// What a webhook may be: its object, fields, address, credentials and templates. Knows no storage.
import { isDeepStrictEqual } from 'node:util'
import type { WebhookInput } from '#shared/contracts/webhooks.ts'
import { maskedSecret, WebhookAuthentication } from '#shared/contracts/webhooks.ts'
import type { FieldError } from '#shared/errors.ts'
import { validationError } from '#shared/errors.ts'
import { ExpressionError, compileOpenExpression } from '#shared/expression/compile-expression.ts'
import { templatesOf } from '#shared/expression/templates.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldErrorsOf } from '#shared/schema-errors.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Outbound } from '#main/kernel/outbound.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import { webhookError } from '../errors.ts'
import type { WebhookSecrets } from './secrets.ts'
import type { WebhookDefinition } from './webhook-list.ts'

/** Names under which other things lie. @source D-190 */
const reservedNames: ReadonlySet<string> = new Set(['deliveries', 'redeliver'])

/** What rules are judged by. */
export interface WebhookRuleParts {
  readonly metadata: Pick<MetadataService, 'objectSchema'>
  readonly outbound: Pick<Outbound, 'problemOf'>
  readonly authorizer: () => Authorizer
}

/**
 * Refuses a webhook that cannot work.
 * @param ctx by whose rights it is to send; fields that are closed to them are as unknown ones
 * @throws validation_error, webhook_target_forbidden
 */
export function checkWebhook(
  { metadata, outbound, authorizer }: WebhookRuleParts,
  webhook: WebhookDefinition,
  ctx: RequestContext | undefined,
): void {
  const problems: FieldError[] = []
  const add = (field: string, code: FieldError['code'], message: string): void =>
    void problems.push({ field, code, message })
  if (reservedNames.has(webhook.name)) add('name', 'not_allowed', 'The name is reserved.')
  const schema = webhook.object === undefined ? undefined : metadata.objectSchema(webhook.object)
  if (webhook.object !== undefined && schema === undefined)
    add('object', 'invalid_reference', 'There is no object of this name.')
  const isKnown = (field: FieldSchema | undefined): boolean =>
    field !== undefined &&
    (field.system || ctx === undefined || authorizer().canField(ctx, webhook.object!, field.name, 'readable'))
  for (const [index, name] of webhook.payloadFields.entries())
    if (schema !== undefined && !isKnown(schema.byName.get(name)))
      add(`payloadFields.${index}`, 'unknown_field', `The object has no field "${name}".`)
  for (const [path, text] of textsIn(webhook.body, 'body')) {
    for (const source of templatesOf(text)) {
      try {
        compileOpenExpression(source)
      } catch (error) {
        if (!(error instanceof ExpressionError)) throw error
        add(path, 'expression_error', error.message)
      }
    }
  }
  const target = outbound.problemOf(webhook.url)
  if (target === 'invalid_target') add('url', 'invalid_url', 'The address must be http or https, without a password.')
  if (problems.length > 0) throw validationError(problems)
  if (target !== undefined) throw webhookError('webhook_target_forbidden', { field: 'url' })
}

/**
 * Parts an authentication into what is shown and what is secret; masked credentials are those there were.
 * @throws validation_error
 */
export function splitAuthentication(
  given: unknown,
  former: Pick<WebhookDefinition, 'authentication'> & Pick<WebhookSecrets, 'credentials'>,
): Pick<WebhookDefinition, 'authentication'> & Pick<WebhookSecrets, 'credentials'> {
  if (given === undefined) return former
  if (given === null) return {}
  const parsed = WebhookAuthentication.safeParse(withFormer(given, former.credentials ?? {}))
  if (!parsed.success) throw validationError(fieldErrorsOf(parsed.error.issues, given, 'authentication'))
  const { type } = parsed.data
  if (parsed.data.type === 'none') return { authentication: { type } }
  const credentials: Readonly<Record<string, string>> = parsed.data.credentials
  const shown = Object.fromEntries(
    Object.entries(credentials).map(([name, value]) => [name, openNames.has(name) ? value : maskedSecret]),
  )
  return { authentication: { type, credentials: shown }, credentials }
}

/** Credentials that are no secrets. */
const openNames: ReadonlySet<string> = new Set(['header', 'username'])

function withFormer(given: unknown, former: Readonly<Record<string, string>>): unknown {
  if (typeof given !== 'object' || given === null) return given
  const { credentials } = given as { credentials?: unknown }
  if (typeof credentials !== 'object' || credentials === null) return given
  const filled = Object.entries(credentials).map(([name, value]) => [
    name,
    value === maskedSecret ? (Object.hasOwn(former, name) ? former[name] : undefined) : (value as unknown),
  ])
  return { ...given, credentials: Object.fromEntries(filled) as unknown }
}

/** What decides what is sent, when and where. */
const sentParts = [
  'object',
  'triggers',
  'url',
  'method',
  'headers',
  'body',
  'payloadFields',
  'includeSession',
] as const satisfies readonly (keyof WebhookDefinition)[]

/** Whether a change is one of what is sent, when and where; whoever makes it answers for it. @source D-249 */
export function isSentOtherwise(before: WebhookDefinition, after: WebhookDefinition): boolean {
  const none = { type: 'none' }
  return (
    sentParts.some((part) => !isDeepStrictEqual(before[part], after[part])) ||
    !isDeepStrictEqual(before.authentication ?? none, after.authentication ?? none)
  )
}

/** Refuses another name than the one a webhook or receiver has. @throws validation_error */
export function refuseName(name: string, given: string | undefined): void {
  if (given === undefined || given === name) return
  const message = 'The name cannot be changed.'
  throw validationError([{ field: 'name', code: 'not_allowed', message, value: given }])
}

/** What a new webhook is without its secrets. */
export function definitionOf({ secret: _secret, authentication: _proof, ...rest }: WebhookInput): WebhookDefinition {
  return rest
}

function textsIn(value: unknown, path: string): (readonly [path: string, text: string])[] {
  if (typeof value === 'string') return [[path, value]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]) => textsIn(part, `${path}.${key}`))
}
