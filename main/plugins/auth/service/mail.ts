// Sends the mails of accounts over SMTP; without a mail server they wait for whoever manages users. Nothing of them is
// ever logged. nodemailer is loaded with the first mail.
import type { Clock } from '#main/kernel/clock.ts'
import type { Reads, Write } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { AuthConfig } from './auth-config.ts'
import type { OutgoingMail } from './library-options.ts'

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
  /** Waits for mail under way; called at stop. */
  settle(): Promise<void>
}

/** What mail works with. */
export interface MailParts {
  readonly settings: AuthConfig['mail']
  readonly read: Reads
  readonly write: Write
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Logger
}

const lifeMs = 86_400_000
const timeoutMs = 15_000

const subjects: Readonly<Record<OutgoingMail['kind'], string>> = {
  'reset-password': 'Set a new password',
  'verify-email': 'Confirm your email address',
  'change-email': 'Confirm the change of your email address',
  'magic-link': 'Your link to sign in',
  'two-factor-code': 'Your code to sign in',
  invitation: 'You were invited',
}

/**
 * Makes the mail.
 * @source D-39
 */
export function createMail(parts: MailParts): Mail {
  const { settings, read, write, clock, ids, log } = parts
  const underWay = new Set<Promise<void>>()

  const putAside = (mail: OutgoingMail): Promise<void> =>
    write('auth.mail', (tx) => {
      const now = clock.now()
      tx.run(statement('DELETE FROM auth_mail WHERE expires_at < ?', [now]))
      tx.run(
        statement(
          'INSERT INTO auth_mail (id, recipient, kind, content, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)',
          [ids.uuid(), mail.to, mail.kind, mail.url ?? mail.code ?? '', now, now + lifeMs],
        ),
      )
    })

  const deliver = async (mail: OutgoingMail): Promise<void> => {
    if (settings === undefined) return putAside(mail)
    const { createTransport } = await import('nodemailer')
    const transport = createTransport({
      host: settings.host,
      port: settings.port,
      secure: settings.secure,
      ...(settings.user === undefined ? {} : { auth: { user: settings.user, pass: settings.password ?? '' } }),
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    try {
      await transport.sendMail({
        from: settings.from,
        to: mail.to,
        subject: subjects[mail.kind],
        text: `${subjects[mail.kind]}:\n\n${mail.url ?? mail.code ?? ''}\n`,
      })
    } finally {
      transport.close()
    }
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
      read
        .all(
          statement<{
            id: string
            recipient: string
            kind: string
            content: string
            created_at: number
            expires_at: number
          }>('SELECT * FROM auth_mail WHERE expires_at > ? ORDER BY created_at DESC, id DESC LIMIT 200', [clock.now()]),
        )
        .map((row) => ({
          id: row.id,
          to: row.recipient,
          kind: row.kind,
          content: row.content,
          createdAt: new Date(row.created_at).toISOString(),
          expiresAt: new Date(row.expires_at).toISOString(),
        })),
    async settle() {
      await Promise.all(underWay)
    },
  }
}
