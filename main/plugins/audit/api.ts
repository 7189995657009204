// What other plugins may ask of the audit. Types only. Events of the families the README names are recorded by
// themselves; this is for what raises no event.
import type { z } from 'zod'
import type { auditRoutes } from '#shared/contracts/audit.ts'
import type { Actor, ChangeSource } from '#shared/events.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'

/** How what an entry tells of ended. */
export type AuditOutcome = 'ok' | 'denied' | 'failed'

/** What an entry tells. */
export interface AuditDraft {
  /** Two or three words with dots between them, the first naming the family: `auth.sign_in.failed`. */
  readonly kind: string
  /** Default: ok. */
  readonly outcome?: AuditOutcome
  /** The object concerned. */
  readonly object?: string
  /** The metadata item concerned. */
  readonly item?: { readonly type: string; readonly name: string }
  readonly recordId?: string
  /** Names, counts, ids; values of fields and credentials have no place here and are left out where they are known. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** Who an entry is about, as far as it is known; a request context is one. */
export interface AuditSubject extends Pick<RequestContext, 'requestId'> {
  readonly actor: Actor
  readonly credential?: string
  readonly credentialId?: string
  readonly impersonatorId?: string
  readonly organizationId?: string | null
  readonly source: ChangeSource
}

/** What a check of the chain found. */
export type AuditVerification = z.output<typeof auditRoutes.verifyAudit.response>

/** The audit. */
export interface AuditService {
  /** Adds an entry inside the transaction of the change it tells of: both are stored or neither is. */
  record(tx: Tx, subject: AuditSubject, draft: AuditDraft): void
  /**
   * Adds an entry soon, in a write of its own; the caller never waits. Entries that differ in nothing but their request
   * are counted together once there are many of them.
   */
  note(subject: AuditSubject, draft: AuditDraft): void
  /** Checks the chain in slices; leaves no entry. */
  verify(): Promise<AuditVerification>
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    audit: AuditService
  }
}
