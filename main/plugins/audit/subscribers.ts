// Turns events into entries, in the transaction of the change they tell of.
import type { EventListener } from '#main/kernel/plugin.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { AuditDraft, AuditSubject } from './api.ts'
import type { Flood } from './service/flood.ts'
import { draftOf } from './service/kinds.ts'

/** What the listener works with. */
export interface SubscriberParts {
  readonly record: (tx: Tx, subject: AuditSubject, draft: AuditDraft) => void
  /** The same at the end of the job: each entry makes the search index write its pending words, so that many come last. */
  readonly recordAtEnd: (tx: Tx, subject: AuditSubject, draft: AuditDraft) => void
  readonly flood: Pick<Flood, 'admit'>
}

/** Makes the listener. Changes are kept one by one whatever their number; failures and denials are bounded. */
export function eventRecorder({ record, recordAtEnd, flood }: SubscriberParts): EventListener {
  return (event, tx, ctx) => {
    const draft = draftOf(event)
    const isChange = (draft.outcome ?? 'ok') === 'ok'
    if (!isChange && !flood.admit(ctx, draft)) return
    if (event.type.startsWith('record.')) recordAtEnd(tx, ctx, draft)
    else record(tx, ctx, draft)
  }
}
