// Hands mails to the mail server over SMTP. The library is loaded with the first mail. Knows neither queue nor database;
// what it is given is never logged.
import type { Transporter } from 'nodemailer'
import type { Database } from '#main/kernel/database.ts'
import type { MailSettings } from './mail-config.ts'

/** A mail as the transport takes it. */
export interface OutgoingMessage {
  /** Becomes the Message-ID, so that a mail sent twice is known as one. */
  readonly id: string
  /** An address that {@link isMailAddress} accepts. */
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string | null
}

/** The way to the mail server. */
export interface Transport {
  /** @throws Error of the library; {@link failureOf} says what it means */
  send(message: OutgoingMessage): Promise<void>
  /** Closes connections that wait for the next mail. */
  close(): void
}

/**
 * What a failure means: `server` is down or refuses everybody, `message` may go later, `final` never goes.
 */
export type Failure = 'server' | 'message' | 'final'

const timeoutMs = 15_000

/** Whether a text is one address and nothing else: no list, no name, no comment, nothing a header could be made of. */
export function isMailAddress(text: string): boolean {
  return text.length <= 320 && /^[^\s@<>,;:"()[\]\\\p{Cc}]+@[^\s@<>,;:"()[\]\\\p{Cc}]+$/u.test(text)
}

/** A text as one line of a header. */
export function oneLine(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, 500)
}

/**
 * Makes the transport; mails sent one after the other share a connection until it is closed.
 * @param onDisk what a mail may rest on is kept before it leaves
 */
export function createTransport(settings: MailSettings, onDisk: Database['onDisk'] = () => null): Transport {
  const domain = /@([A-Za-z0-9.-]+)/.exec(settings.from)?.[1] ?? 'cairn.invalid'
  let opened: Promise<Transporter> | undefined
  const open = async (): Promise<Transporter> => {
    const library = await import('nodemailer')
    const options = {
      host: settings.host,
      port: settings.port,
      secure: settings.secure,
      ...(settings.user === undefined ? {} : { auth: { user: settings.user, pass: settings.password ?? '' } }),
      pool: true as const,
      maxConnections: 1,
      maxMessages: Infinity,
      // What is tried again is decided by the queue.
      maxRequeues: 0,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      dnsTimeout: timeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    }
    return library.createTransport(options)
  }
  return {
    async send({ id, to, subject, text, html }) {
      await onDisk()
      const transporter = await (opened ??= open())
      await transporter.sendMail({
        messageId: `<${id}@${domain}>`,
        from: settings.from,
        // As a value with parts: a text would be read as a list of addresses.
        to: { name: '', address: to },
        subject: oneLine(subject),
        text,
        ...(html === null ? {} : { html }),
        headers: { 'Auto-Submitted': 'auto-generated' },
      })
    },
    close() {
      void opened?.then((transporter) => transporter.close())
      opened = undefined
    },
  }
}

/** Reads a failure of {@link Transport.send}. @source RFC 5321, section 4.2.1 */
export function failureOf(error: unknown): Failure {
  const { code, responseCode, command } = (error ?? {}) as { code?: string; responseCode?: number; command?: string }
  const isAboutMessage = (code === 'EENVELOPE' || code === 'EMESSAGE') && command !== 'MAIL FROM'
  if (!isAboutMessage) return 'server'
  return responseCode === undefined || responseCode >= 500 ? 'final' : 'message'
}
