// Owns a webhook as it is typed: what the form begins with, what keeps it from being sent, what the host is told. Pure.
import type { Pair } from '../../components/pair-rows.tsx'
import { recordOf } from '../../components/pair-rows.tsx'
import { hasCode, ApiError } from '../../lib/api-error.ts'
import type { CallInput } from '../../lib/endpoints.ts'
import type { FieldProblem } from '../../lib/field-problems.ts'
import { t } from '../../lib/strings.ts'
import type { Webhook } from './webhook-queries.ts'

/** The ways to prove who sends, with what each needs. */
export const credentialNames = {
  none: [],
  bearer: ['token'],
  basic: ['username', 'password'],
  'api-key': ['header', 'key'],
} as const

/** A way to prove who sends. */
export type AuthenticationType = keyof typeof credentialNames

/** Figures of an own retry policy, in the order of the form. */
export const retryFigures = ['maxRetries', 'initialDelayMs', 'maxDelayMs'] as const

type Strategy = 'exponential' | 'linear' | 'fixed'

/** The form. Numbers are text while they are typed. */
export interface WebhookDraft {
  label: string
  name: string
  description: string
  object: string
  triggers: readonly Webhook['triggers'][number][]
  url: string
  method: Webhook['method']
  headers: readonly Pair[]
  body: string
  payloadFields: readonly string[]
  includeSession: boolean
  authentication: AuthenticationType
  credentials: Readonly<Record<string, string>>
  ownRetries: boolean
  strategy: Strategy
  retries: Readonly<Record<(typeof retryFigures)[number], string>>
  timeoutMs: string
  secret: string
  isActive: boolean
  tags: string
}

/** What the form begins with: the webhook, or the defaults of a new one. */
export function draftOf(webhook?: Webhook): WebhookDraft {
  const policy = webhook?.retryPolicy
  const type = webhook?.authentication?.type ?? 'none'
  return {
    label: webhook?.label ?? '',
    name: webhook?.name ?? '',
    description: webhook?.description ?? '',
    object: webhook?.object ?? '',
    triggers: webhook?.triggers ?? ['create', 'update', 'delete'],
    url: webhook?.url ?? '',
    method: webhook?.method ?? 'POST',
    headers: Object.entries(webhook?.headers ?? {}),
    body: webhook?.body === undefined ? '' : JSON.stringify(webhook.body, null, 2),
    payloadFields: webhook?.payloadFields ?? [],
    includeSession: webhook?.includeSession ?? false,
    authentication: type in credentialNames ? (type as AuthenticationType) : 'none',
    credentials: webhook?.authentication?.credentials ?? {},
    ownRetries: policy !== undefined,
    strategy: policy?.backoffStrategy ?? 'exponential',
    retries: {
      maxRetries: String(policy?.maxRetries ?? 3),
      initialDelayMs: String(policy?.initialDelayMs ?? 1_000),
      maxDelayMs: String(policy?.maxDelayMs ?? 60_000),
    },
    timeoutMs: String(webhook?.timeoutMs ?? 30_000),
    secret: '',
    isActive: webhook?.isActive ?? true,
    tags: (webhook?.tags ?? []).join(', '),
  }
}

/** What is known to be wrong before the host is asked. */
export function draftProblems(draft: WebhookDraft): FieldProblem[] {
  const problems: FieldProblem[] = []
  const say = (field: string, message: string): void => void problems.push({ field, code: 'rule_violation', message })
  if (draft.name === '') say('name', t('webhooks.name.missing'))
  if (draft.url.trim() === '') say('url', t('webhooks.url.missing'))
  if (draft.body.trim() !== '' && !isJson(draft.body)) say('body', t('word.notJson'))
  if (!isWhole(draft.timeoutMs)) say('timeoutMs', t('webhooks.number.wrong'))
  if (draft.ownRetries)
    for (const name of retryFigures)
      if (!isWhole(draft.retries[name])) say(`retryPolicy.${name}`, t('webhooks.number.wrong'))
  return problems
}

/** The problems of a refusal at their fields; codes about one field become problems of it. */
export function refusalProblems(error: unknown): readonly FieldProblem[] {
  if (hasCode(error, 'webhook_already_exists'))
    return [{ field: 'name', code: 'rule_violation', message: t('webhooks.name.taken') }]
  if (hasCode(error, 'webhook_target_forbidden'))
    return [{ field: 'url', code: 'rule_violation', message: t('webhooks.url.forbidden') }]
  return error instanceof ApiError ? error.fieldErrors : []
}

/** What both making and changing take. */
function commonParts(draft: WebhookDraft) {
  const { triggers, method, includeSession, isActive, strategy, retries } = draft
  const credentials = Object.fromEntries(
    credentialNames[draft.authentication].map((name) => [name, draft.credentials[name] ?? defaultOf(name)]),
  )
  return {
    // Without an object nothing changes that could send it.
    triggers: triggers.filter((trigger) => draft.object !== '' || trigger === 'api'),
    url: draft.url.trim(),
    method,
    headers: recordOf(draft.headers),
    payloadFields: draft.object === '' ? [] : [...draft.payloadFields],
    includeSession,
    // The shape is judged by the host: what is typed need not fit it yet.
    authentication: {
      type: draft.authentication,
      ...(draft.authentication === 'none' ? {} : { credentials }),
    } as NonNullable<CallInput<'createWebhook'>['body']['authentication']>,
    timeoutMs: Number(draft.timeoutMs),
    isActive,
    tags: wordsOf(draft.tags),
    retryPolicy: draft.ownRetries
      ? {
          backoffStrategy: strategy,
          maxRetries: Number(retries.maxRetries),
          initialDelayMs: Number(retries.initialDelayMs),
          maxDelayMs: Number(retries.maxDelayMs),
        }
      : undefined,
    ...(draft.secret === '' ? {} : { secret: draft.secret }),
  }
}

/** A new webhook as the host takes it. */
export function inputOf(draft: WebhookDraft): CallInput<'createWebhook'>['body'] {
  return {
    ...commonParts(draft),
    name: draft.name,
    ...(draft.label === '' ? {} : { label: draft.label }),
    ...(draft.description === '' ? {} : { description: draft.description }),
    ...(draft.object === '' ? {} : { object: draft.object }),
    ...(draft.body.trim() === '' ? {} : { body: JSON.parse(draft.body) as unknown }),
  }
}

/** A changed webhook as the host takes it: null takes away. */
export function patchOf(draft: WebhookDraft): CallInput<'updateWebhook'>['body'] {
  const parts = commonParts(draft)
  return {
    ...parts,
    label: draft.label || null,
    description: draft.description || null,
    object: draft.object || null,
    body: draft.body.trim() === '' ? null : (JSON.parse(draft.body) as unknown),
    retryPolicy: parts.retryPolicy ?? null,
  }
}

const defaultOf = (credential: string): string => (credential === 'header' ? 'X-API-Key' : '')

function wordsOf(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}

const isWhole = (text: string): boolean => /^\d+$/.test(text.trim())

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
