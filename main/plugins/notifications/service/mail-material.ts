// Mails of notifications while they wait: what they are made of, so that their words are made when they leave, with what
// their reader may see then (safety C1).
import type { MailText, LinkOf } from './messages.ts'
import { digestLines, digestMailOf, mailOf } from './messages.ts'
import type { KeptNotification } from './quotes.ts'
import type { Readings } from './readings.ts'

/** How often mails of many come. */
export type DigestPeriod = 'daily' | 'weekly'

interface Material {
  readonly kept: readonly KeptNotification[]
  /** Absent for a mail of one. */
  readonly period?: DigestPeriod
  /** Older ones that are only counted. */
  readonly older?: number
}

/** The material of a mail of one. */
export function materialOf(kept: KeptNotification): string {
  return JSON.stringify({ kept: [kept] } satisfies Material)
}

/** The material of a mail of many; the newest are named, the others counted. */
export function digestMaterialOf(all: readonly KeptNotification[], period: DigestPeriod): string {
  const kept = all.slice(-digestLines)
  return JSON.stringify({ kept, period, older: all.length - kept.length } satisfies Material)
}

/** The words of a mail at this moment; null when nothing is left to tell. */
export function wordsOfMail(readings: Pick<Readings, 'forUser'>, linkOf: LinkOf, material: string): MailText | null {
  const { kept, period, older = 0 } = JSON.parse(material) as Material
  const seen = kept.flatMap((one) => readings.forUser(one) ?? [])
  const [first] = seen
  if (first === undefined) return null
  return period === undefined ? mailOf(first, linkOf) : digestMailOf(seen, older, period, linkOf)
}
