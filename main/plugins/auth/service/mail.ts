// Sends the mails of accounts at once, past the queue of mails: what they carry opens accounts and is stored nowhere.
// Without a mail server they wait for whoever manages users. Nothing of them is ever logged.
import type { Clock } from '#main/kernel/clock.ts'
import type { Reads, Tx, Write } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { MailService } from '../../mail/api.ts'
import type { NotificationDraft } from '../../notifications/api.ts'
import type { OutgoingMail } from './library-options.ts'
import { insertMail, readMailContent, readMails } from './mail-store.ts'

/** A mail that waits to be handed on by a person. */
export interface WaitingMail {
  readonly id: string
  readonly to: string
  readonly kind: string
  readonly content: string
  readonly createdAt: string
  readonly expiresAt: string
}

/** The outgoing mail of one host. */
export interface Mail {
  /** Sends, or puts aside; returns before either is done, so that the time taken tells nothing. */
  send(mail: OutgoingMail): Promise<void>
  /** What was put aside and still counts, newest first. */
  waiting(): WaitingMail[]
  /** The link or code of one of them; undefined when it no longer counts. */
  content(id: string): string | undefined
  /** Waits for mail under way; called at stop. */
  settle(): Promise<void>
}

/** What mail works with. */
export interface MailParts {
  /** The way to the mail server; absent or not configured, mails are put aside. */
  readonly transport: () => MailService | undefined
  /** Tells people that a mail waits for them to hand it on; gets nothing of its content. */
  readonly tell: (tx: Tx, mail: Pick<WaitingMail, 'id' | 'to' | 'kind'>) => void
  readonly read: Reads
  readonly write: Write
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Logger
}

const lifeMs = 86_400_000

const subjects: Readonly<Record<OutgoingMail['kind'], string>> = {
  'reset-password': 'Set a new password',
  'verify-email': 'Confirm your email address',
  'change-email': 'Confirm the change of your email address',
  'magic-link': 'Your link to sign in',
  'two-factor-code': 'Your code to sign in',
  invitation: 'You were invited',
}

/**
 * Tells somebody who manages accounts that a mail waits. Holds neither link nor code: those who may see them find them
 * in the list of their notifications, where they are read from the waiting mail.
 * @source D-39
 */
export function waitingNotice(
  userId: string,
  { id, to, kind }: Pick<WaitingMail, 'id' | 'to' | 'kind'>,
): NotificationDraft {
  const subject = subjects[kind as OutgoingMail['kind']] ?? kind
  return {
    userId,
    type: 'system',
    title: 'A mail waits to be handed on',
    body: `There is no mail server. For ${to}: ${subject}.`,
    data: { waitingMailId: id, kind, to },
    actionUrl: '#/access',
    dedupeKey: `auth.mail:${id}`,
  }
}

/**
 * Makes the mail.
 * @source D-39
 */
export function createMail(parts: MailParts): Mail {
  const { transport, tell, read, write, clock, ids, log } = parts
  const underWay = new Set<Promise<void>>()

  const putAside = (mail: OutgoingMail): Promise<void> =>
    write('auth.mail', (tx) => {
      const now = clock.now()
      const id = ids.uuid()
      const content = mail.url ?? mail.code ?? ''
      insertMail(tx, { id, recipient: mail.to, kind: mail.kind, content, created_at: now, expires_at: now + lifeMs })
      tell(tx, { id, to: mail.to, kind: mail.kind })
    })

  const deliver = async (mail: OutgoingMail): Promise<void> => {
    const way = transport()
    if (way?.isConfigured() !== true) return putAside(mail)
    const subject = subjects[mail.kind]
    await way.deliver({ to: mail.to, subject, text: `${subject}:\n\n${mail.url ?? mail.code ?? ''}\n` })
  }

  return {
    send(mail) {
      const sending = new Promise<void>((resolve) => setImmediate(resolve))
        .then(() => deliver(mail))
        // The cause may quote the address or the link.
        .catch((error: unknown) =>
          log.error({ kind: mail.kind, code: (error as { code?: unknown }).code }, 'A mail could not be sent.'),
        )
        .finally(() => underWay.delete(sending))
      underWay.add(sending)
      return Promise.resolve()
    },
    waiting: () =>
      readMails(read, clock.now()).map((row) => ({
        id: row.id,
        to: row.recipient,
        kind: row.kind,
        content: row.content,
        createdAt: new Date(row.created_at).toISOString(),
        expiresAt: new Date(row.expires_at).toISOString(),
      })),
    content: (id) => readMailContent(read, id, clock.now()),
    async settle() {
      await Promise.all(underWay)
    },
  }
}
