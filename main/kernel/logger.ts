// Structured logs: JSON lines, credentials redacted, line breaks encoded. Never request or record bodies.
import type { Logger as PinoLogger } from 'pino'
import { pino } from 'pino'

/** A structured logger; the first argument holds fields, the second one sentence. */
export type Logger = Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'child' | 'level'>

/** Names of members that hold credentials. */
const credentialNames = [
  'token',
  'accessToken',
  'refreshToken',
  'sessionToken',
  'secret',
  'clientSecret',
  'password',
  'newPassword',
  'code',
  'otp',
  'key',
  'apiKey',
  'authorization',
  'cookie',
]

/** Paths whose values never reach a log line: credentials at the top and up to two levels below, and those of headers. */
export const redactedPaths: readonly string[] = [
  ...['', '*.', '*.*.'].flatMap((depth) => credentialNames.map((name) => depth + name)),
  'req.headers["x-api-key"]',
  'res.headers["set-cookie"]',
  '*["x-api-key"]',
  '*["set-cookie"]',
]

/** Where log lines go: a stream with `write`, or nothing at all. */
export interface LogDestination {
  write(line: string): void
}

/** Makes a logger that writes to `destination`; without one, lines are dropped. */
export function createLogger(options: { level?: string; destination?: LogDestination } = {}): Logger {
  const settings = {
    level: options.destination === undefined ? 'silent' : (options.level ?? 'info'),
    redact: { paths: [...redactedPaths], censor: '[redacted]' },
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
  }
  return pino(settings, options.destination ?? { write: () => undefined })
}
