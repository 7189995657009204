// The outgoing mail of the workspace: what may be queued, and what goes at once. Never logs content.
import type { Clock } from '#main/kernel/clock.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { ComposedMail, MailDraft, MailService } from './api.ts'
import type { Transport } from './service/transport.ts'
import { isMailAddress, oneLine } from './service/transport.ts'
import { insertMessage, putCause } from './store.ts'

/** What the service works with; no transport means that no mail server is configured. */
export interface MailServiceParts {
  readonly transport: Transport | undefined
  /** A transport of its own for one mail that goes at once, beside the queue. */
  readonly openTransport: () => Transport
  readonly wake: () => void
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Logger
}

const maxTextChars = 1_000_000

/** Makes the service. */
export function createMailService(parts: MailServiceParts): MailService {
  const { transport, openTransport, wake, clock, ids, log } = parts
  return {
    isConfigured: () => transport !== undefined,
    queue(tx, mail) {
      if (transport === undefined) return null
      if (!isMailAddress(mail.to)) {
        log.warn({}, 'A mail was dropped: its recipient is no address.')
        return null
      }
      const now = clock.now()
      if (mail.dedupeKey !== undefined && !putCause(tx, mail.dedupeKey, now)) return null
      const id = ids.uuid()
      insertMessage(tx, { id, recipient: mail.to, ...storedOf(mail), createdAt: now }, mail.about ?? [])
      tx.whenOnDisk(wake)
      return id
    },
    async deliver(mail) {
      if (transport === undefined) throw new Error('No mail server is configured.')
      if (!isMailAddress(mail.to)) throw new Error('The recipient is no address.')
      const { subject, body, html } = contentOf(mail)
      const own = openTransport()
      try {
        await own.send({ id: ids.uuid(), to: mail.to, subject, text: body, html })
      } finally {
        own.close()
      }
    },
  }
}

function storedOf(mail: MailDraft | ComposedMail): ReturnType<typeof contentOf> & { material: string | null } {
  if ('material' in mail) return { subject: '', body: '', html: null, material: mail.material }
  return { ...contentOf(mail), material: null }
}

function contentOf(mail: MailDraft): { subject: string; body: string; html: string | null } {
  return {
    subject: oneLine(mail.subject),
    body: mail.text.slice(0, maxTextChars),
    html: mail.html?.slice(0, maxTextChars) ?? null,
  }
}
