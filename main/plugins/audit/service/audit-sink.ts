// Refused requests, used keys and tried one-time codes as entries.
import type { Clock } from '#main/kernel/clock.ts'
import type { AuditSink } from '#main/kernel/audit-sink.ts'
import { localOwner } from '#main/kernel/context.ts'
import type { AuditDraft, AuditSubject } from '../api.ts'

const hourMs = 3_600_000
/** Keys whose last use is remembered; beyond it all are forgotten and may be told of again. */
const maxKeys = 10_000

/** Makes the audit sink. */
export function createAuditSink(parts: {
  note: (subject: AuditSubject, draft: AuditDraft) => void
  clock: Pick<Clock, 'now'>
}): AuditSink {
  const usedAt = new Map<string, number>()
  return {
    refused({ code, details, caller, operationId, requestId, source }) {
      // Without a credential nobody was refused: the request could not have been anybody's.
      if (code === 'permission_denied' && caller?.credential === 'none') return
      const object = details['object']
      const kind = code === 'permission_denied' ? 'access.denied' : 'access.credential_refused'
      parts.note(
        { ...(caller ?? { actor: { type: 'user', id: 'anonymous' } }), requestId, source },
        {
          kind,
          outcome: caller === null ? 'failed' : 'denied',
          ...(typeof object === 'string' ? { object } : {}),
          details: { operation: operationId, ...pick(details) },
        },
      )
    },
    keyUsed(caller, requestId) {
      const now = parts.clock.now()
      const last = usedAt.get(caller.credentialId)
      if (last !== undefined && now - last < hourMs) return
      if (usedAt.size >= maxKeys) usedAt.clear()
      usedAt.set(caller.credentialId, now)
      parts.note({ ...caller, requestId, source: 'API' }, { kind: 'key.used' })
    },
    codeTried({ requestId, source }, sessionId) {
      const details = { method: 'one-time-code' }
      if (sessionId === null) {
        const nobody = { actor: { type: 'user', id: 'anonymous' }, requestId, source } as const
        parts.note(nobody, { kind: 'auth.sign_in_failed', outcome: 'failed', details })
        return
      }
      const owner = { actor: localOwner, credential: 'console-session', credentialId: sessionId, requestId, source }
      parts.note(owner, { kind: 'auth.signed_in', details })
    },
  }
}

/** What a refusal names: rights and fields, never what was sent. */
function pick(details: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { permission, action, fields, reason } = details
  return { permission, action, fields, reason }
}
