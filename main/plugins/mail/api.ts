// What other plugins may ask of mail. Types only.
import type { Tx } from '#main/kernel/database.ts'

/** One mail. */
export interface MailDraft {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html?: string
  /** Names the cause; a second mail of the same cause is dropped. */
  readonly dedupeKey?: string
}

/** The outgoing mail of the workspace. */
export interface MailService {
  /** Whether a mail server is configured. */
  isConfigured(): boolean
  /** Queues the mail in the transaction; it is sent after COMMIT and tried again while the server refuses. */
  queue(tx: Tx, mail: MailDraft): void
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    mail: MailService
  }
}
