// What other plugins may ask of mail. Types only.
import type { Tx } from '#main/kernel/database.ts'

/** One mail. */
export interface MailDraft {
  /** One address, without a name. */
  readonly to: string
  /** Line breaks and other control characters become spaces. */
  readonly subject: string
  readonly text: string
  readonly html?: string
  /** Names the cause; a second mail of the same cause is dropped. */
  readonly dedupeKey?: string
  /** Ids of the records it quotes: a mail that waits is dropped when one of them is purged. */
  readonly about?: readonly string[]
}

/** A mail about records: its words are made when it leaves, with what its reader may see then. */
export interface ComposedMail extends Pick<MailDraft, 'to' | 'dedupeKey' | 'about'> {
  /** What the notifications service makes the words of; a mail without any left is dropped. */
  readonly material: string
}

/** The outgoing mail of the workspace. */
export interface MailService {
  /** Whether a mail server is configured. */
  isConfigured(): boolean
  /**
   * Queues the mail in the transaction; it is sent after COMMIT, in order, and tried again for a day while the server
   * refuses. Answers the id that its Message-ID holds; null when it was dropped: no mail server, a cause that was there
   * before, or no address.
   */
  queue(tx: Tx, mail: MailDraft | ComposedMail): string | null
  /**
   * Sends at once and stores nothing, for mails that carry a secret; tried once.
   * @throws Error when the server did not take it, or there is none; its text may quote the address
   */
  deliver(mail: MailDraft): Promise<void>
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    mail: MailService
  }
}
