// Owns the sentences for failures: what happened, what was kept, what to do next.
// Knows the codes of the protocol; knows no screen.
import type { FieldError } from '#shared/errors.ts'
import { ApiError, isDiskFull } from './api-error.ts'
import { t } from './strings.ts'
import type { StringKey } from './strings.ts'

const known: Readonly<Record<string, StringKey>> = {
  unreachable: 'problem.unreachable',
  invalid_answer: 'problem.invalid_answer',
  unauthenticated: 'problem.unauthenticated',
  session_expired: 'problem.unauthenticated',
  api_key_invalid: 'problem.unauthenticated',
  invalid_credentials: 'problem.invalid_credentials',
  token_invalid: 'problem.token_invalid',
  account_banned: 'problem.account_banned',
  user_already_exists: 'problem.user_already_exists',
  permission_denied: 'problem.permission_denied',
  origin_forbidden: 'problem.origin_forbidden',
  resource_not_found: 'problem.resource_not_found',
  flow_not_found: 'problem.resource_not_found',
  execution_not_found: 'problem.resource_not_found',
  webhook_not_found: 'problem.resource_not_found',
  receiver_not_found: 'problem.resource_not_found',
  delivery_not_found: 'problem.resource_not_found',
  workflow_not_found: 'problem.resource_not_found',
  approval_not_found: 'problem.resource_not_found',
  transition_not_found: 'problem.transition_not_available',
  transition_not_available: 'problem.transition_not_available',
  transition_denied: 'problem.transition_denied',
  transition_condition_failed: 'problem.transition_condition_failed',
  comment_required: 'problem.comment_required',
  approval_pending: 'problem.approval_pending',
  approval_not_assigned: 'problem.approval_not_assigned',
  approval_already_decided: 'problem.approval_already_decided',
  validation_error: 'problem.validation_error',
  invalid_query: 'problem.invalid_query',
  conflict: 'problem.conflict',
  CONCURRENT_UPDATE: 'problem.CONCURRENT_UPDATE',
  delete_restricted: 'problem.delete_restricted',
  destructive_change: 'problem.destructive_change',
  record_locked: 'problem.record_locked',
  item_locked: 'problem.item_locked',
  payload_too_large: 'problem.payload_too_large',
  rate_limit_exceeded: 'problem.rate_limit_exceeded',
  timeout: 'problem.timeout',
  service_unavailable: 'problem.service_unavailable',
  not_implemented: 'problem.not_implemented',
  sync_disabled: 'problem.sync_disabled',
  sync_conflict_not_found: 'problem.sync_conflict_not_found',
  pairing_not_found: 'problem.pairing_not_found',
  pairing_expired: 'problem.pairing_not_found',
  pairing_refused: 'problem.pairing_refused',
  internal_error: 'problem.internal_error',
}

const knownFieldCodes: Readonly<Record<string, StringKey>> = {
  required: 'field.code.required',
  not_unique: 'field.code.not_unique',
  duplicate_value: 'field.code.not_unique',
  invalid_type: 'field.code.invalid_type',
  invalid_number: 'field.code.invalid_number',
  invalid_boolean: 'field.code.invalid_boolean',
  invalid_date: 'field.code.invalid_date',
  invalid_datetime: 'field.code.invalid_datetime',
  invalid_email: 'field.code.invalid_email',
  invalid_url: 'field.code.invalid_url',
  invalid_option: 'field.code.invalid_option',
  invalid_reference: 'field.code.invalid_reference',
  unknown_field: 'field.code.unknown_field',
  read_only: 'field.code.read_only',
  max_length: 'field.code.max_length',
  min_length: 'field.code.min_length',
  max_value: 'field.code.max_value',
  min_value: 'field.code.min_value',
}

/** One or two sentences about a failure, for a toast or a panel. */
export function problemText(error: unknown): string {
  if (!(error instanceof ApiError)) {
    return t('problem.other', { code: 'error', message: error instanceof Error ? error.message : String(error) })
  }
  const first = error.fieldErrors[0]
  if (error.code === 'conflict' && first?.code === 'not_unique') return t('problem.not_unique')
  if (error.code === 'validation_error' && first) return fieldProblemText(first)
  if (error.code === 'validation_error' && error.details['reason'] === 'INVALID_USERNAME') {
    return t('problem.invalid_username')
  }
  if (isDiskFull(error)) return t('problem.disk_full')
  const key = known[error.code]
  if (key) return t(key)
  // The host says it in the reader's language where it has words for it.
  const { localizedMessage = error.message } = error.details
  return t('problem.other', { code: error.code, message: String(localizedMessage) })
}

/** One sentence about one problem with one field; names the field unless `bare`. */
export function fieldProblemText(problem: Pick<FieldError, 'field' | 'code' | 'message'>, bare = false): string {
  const key = knownFieldCodes[problem.code]
  const message = key ? t(key) : problem.message
  return bare || problem.field === '' ? message : t('problem.field', { field: problem.field, message })
}
