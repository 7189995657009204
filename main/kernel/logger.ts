// Structured logs: JSON lines, credentials redacted, line breaks encoded. Never request or record bodies.
import type { Logger as PinoLogger } from 'pino'
import { pino } from 'pino'

/** A structured logger; the first argument holds fields, the second one sentence. */
export type Logger = Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'child' | 'level'>

/** Paths whose values never reach a log line. */
export const redactedPaths = [
  'token',
  'secret',
  'password',
  'code',
  'key',
  'authorization',
  'cookie',
  '*.token',
  '*.secret',
  '*.password',
  '*.code',
  '*.key',
  '*.authorization',
  '*.cookie',
  'req.headers.authorization',
  'req.headers.cookie',
  'req.headers["x-api-key"]',
  'res.headers["set-cookie"]',
] as const

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
