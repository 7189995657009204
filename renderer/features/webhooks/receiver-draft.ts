// Owns a receiver as it is typed: what the form begins with, what keeps it from being sent, what the host is told. Pure.
import type { Pair } from '../../components/pair-rows.tsx'
import { recordOf } from '../../components/pair-rows.tsx'
import type { CallInput } from '../../lib/endpoints.ts'
import type { FieldProblem } from '../../lib/field-problems.ts'
import { t } from '../../lib/strings.ts'
import { maskedSecret } from './webhook-queries.ts'
import type { Receiver } from './webhook-queries.ts'

/** The ways to make sure who calls, with the parameters of each in the order of the form. */
export const verificationParams = {
  none: [],
  header_token: ['header', 'token'],
  hmac: ['scheme', 'secret', 'header', 'prefix', 'toleranceSeconds'],
  ip_whitelist: ['ips'],
} as const

/** A way to make sure who calls. */
export type VerificationType = keyof typeof verificationParams

/** The form. Parameters are text while they are typed. */
export interface ReceiverDraft {
  label: string
  name: string
  description: string
  path: string
  verificationType: VerificationType
  params: Readonly<Record<string, string>>
  action: Receiver['action']
  target: string
  mapping: readonly Pair[]
  externalIdField: string
  responseMode: Receiver['responseMode']
  isActive: boolean
}

const defaults: Readonly<Record<VerificationType, Readonly<Record<string, string>>>> = {
  none: {},
  header_token: { header: 'X-Webhook-Token', token: '' },
  hmac: { scheme: 'standard', secret: '', header: 'X-Signature', prefix: 'sha256=', toleranceSeconds: '300' },
  ip_whitelist: { ips: '' },
}

/** What the form begins with: the receiver, or the defaults of a new one. */
export function receiverDraftOf(receiver?: Receiver): ReceiverDraft {
  const type = receiver?.verificationType ?? 'hmac'
  const given = Object.entries(receiver?.verificationParams ?? {}).map(
    ([name, value]) => [name, Array.isArray(value) ? value.join('\n') : String(value)] as const,
  )
  return {
    label: receiver?.label ?? '',
    name: receiver?.name ?? '',
    description: receiver?.description ?? '',
    path: receiver?.path ?? '',
    verificationType: type,
    params: { ...defaults[type], ...Object.fromEntries(given) },
    action: receiver?.action ?? 'upsert_record',
    target: receiver?.target ?? '',
    mapping: Object.entries(receiver?.mapping ?? {}),
    externalIdField: receiver?.externalIdField ?? '',
    responseMode: receiver?.responseMode ?? 'sync',
    isActive: receiver?.isActive ?? true,
  }
}

/** The draft with another way to make sure who calls. */
export function withVerification(draft: ReceiverDraft, verificationType: VerificationType): ReceiverDraft {
  return { ...draft, verificationType, params: defaults[verificationType] }
}

/** What is known to be wrong before the host is asked. */
export function receiverProblems(draft: ReceiverDraft): FieldProblem[] {
  const problems: FieldProblem[] = []
  const say = (field: string, message: string): void => void problems.push({ field, code: 'rule_violation', message })
  if (draft.name === '') say('name', t('webhooks.name.missing'))
  if (!/^[a-z0-9][a-z0-9/_-]{0,127}$/.test(draft.path)) say('path', t('receivers.path.wrong'))
  if (draft.target === '') say('target', t('receivers.target.missing'))
  return problems
}

/** A parameter as the host takes it. */
function paramOf(name: string, text: string): unknown {
  if (name === 'toleranceSeconds') return /^\d+$/.test(text) ? Number(text) : text
  if (name !== 'ips') return text
  return text
    .split(/[\s,]+/)
    .map((each) => each.trim())
    .filter((each) => each !== '')
}

function commonParts(draft: ReceiverDraft) {
  const { path, verificationType, params, action, target, responseMode, isActive } = draft
  return {
    path,
    verificationType,
    verificationParams: Object.fromEntries(
      verificationParams[verificationType].map((name) => [name, paramOf(name, params[name] ?? '')] as const),
    ),
    action,
    target,
    responseMode,
    isActive,
  }
}

/** A new receiver as the host takes it. */
export function receiverInputOf(draft: ReceiverDraft): CallInput<'createReceiver'>['body'] {
  const stores = draft.action === 'upsert_record'
  return {
    ...commonParts(draft),
    name: draft.name,
    ...(draft.label === '' ? {} : { label: draft.label }),
    ...(draft.description === '' ? {} : { description: draft.description }),
    ...(stores && draft.mapping.length > 0 ? { mapping: recordOf(draft.mapping) } : {}),
    ...(stores && draft.externalIdField !== '' ? { externalIdField: draft.externalIdField } : {}),
  }
}

/** A changed receiver as the host takes it: null takes away. */
export function receiverPatchOf(draft: ReceiverDraft): CallInput<'updateReceiver'>['body'] {
  const stores = draft.action === 'upsert_record'
  return {
    ...commonParts(draft),
    label: draft.label || null,
    description: draft.description || null,
    mapping: stores && draft.mapping.length > 0 ? recordOf(draft.mapping) : null,
    externalIdField: (stores && draft.externalIdField) || null,
  }
}

/** Whether a parameter is a secret that is stored and not shown. */
export function isKeptSecret(value: string): boolean {
  return value === maskedSecret
}
