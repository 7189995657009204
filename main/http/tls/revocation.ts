// Whether a client certificate was taken back: what every source answers, and asking all of them. Knows no connection.
import type { X509Certificate } from 'node:crypto'

/** An answer about one certificate. */
export interface RevocationAnswer {
  /** Null: it is good. Else why not, for the log. */
  readonly problem: string | null
  /** How long the answer counts, in milliseconds of the clock. */
  readonly until: number
}

/** Something that knows which certificates were taken back. */
export interface RevocationSource {
  /** Never throws: a source that cannot say that a certificate is good answers a problem. */
  check(certificate: X509Certificate, issuer: X509Certificate): Promise<RevocationAnswer>
}

/** A valid answer is fetched again after this time at the latest. */
export const refreshMs = 60 * 60_000

/** After a failure nobody is asked again for this long, so that connections cannot become a flood of requests. */
export const failureLifeMs = 10_000

/** Clocks of authorities may be ahead of ours by this much. */
export const clockSkewMs = 5 * 60_000

/** Asks every source; the first problem counts, and the shortest life. */
export async function checkRevocation(
  sources: readonly RevocationSource[],
  certificate: X509Certificate,
  issuer: X509Certificate,
): Promise<RevocationAnswer> {
  const answers = await Promise.all(sources.map((source) => source.check(certificate, issuer)))
  const problem = answers.find((answer) => answer.problem !== null)
  return problem ?? { problem: null, until: Math.min(Infinity, ...answers.map(({ until }) => until)) }
}
