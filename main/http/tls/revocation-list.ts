// The revocation list of a certificate authority: fetched, checked, kept until its next update. Knows no connection.
import type { X509Certificate } from 'node:crypto'
import type { CertificateRevocationList } from 'pkijs'
import type { Clock } from '#main/kernel/clock.ts'
import { fetchBytes } from './fetch-bytes.ts'
import { allowsUse, isSignedBy, loadPki, serialOf } from './pki.ts'
import type { Pki } from './pki.ts'
import type { RevocationAnswer, RevocationSource } from './revocation.ts'
import { clockSkewMs, failureLifeMs, refreshMs } from './revocation.ts'

/** Reading a larger one would hold up every other request. */
const limitBytes = 4 * 1024 * 1024

/** Key usage bit of keys that sign revocation lists. */
const crlSignBit = 6

/** Extensions of a list that do not change what it says. */
const knownExtensions: ReadonlySet<string> = new Set(['2.5.29.35', '2.5.29.20'])

interface ReadList {
  readonly list: CertificateRevocationList
  readonly revoked: ReadonlySet<string>
  readonly nextUpdate: number
}

/**
 * Makes the source behind `crlUrl`. One document may hold the lists of several issuers as PEM.
 * A certificate whose issuer has no valid list in it is not good.
 */
export function createRevocationList(options: { url: string; clock: Clock }): RevocationSource {
  const { url, clock } = options
  let kept: { lists: ReadList[]; refreshAt: number } | undefined
  let failure: { reason: string; until: number } | undefined
  let running: Promise<void> | undefined

  const refresh = (): Promise<void> =>
    (running ??= (async () => {
      const now = clock.now()
      try {
        const bytes = await fetchBytes(url, { limitBytes, timeoutMs: 5_000 })
        const lists = readLists(await loadPki(), bytes, now)
        const soonest = Math.min(...lists.map(({ nextUpdate }) => nextUpdate))
        kept = { lists, refreshAt: Math.min(now + refreshMs, soonest) }
        failure = undefined
      } catch (error) {
        failure = {
          reason: `the revocation list cannot be used: ${(error as Error).message}`,
          until: now + failureLifeMs,
        }
      } finally {
        running = undefined
      }
    })())

  return {
    async check(certificate, issuer): Promise<RevocationAnswer> {
      const due = kept === undefined || clock.now() >= kept.refreshAt
      if (due && (failure === undefined || clock.now() >= failure.until)) await refresh()
      const now = clock.now()
      const pki = await loadPki()
      // An older list counts until its own end, also while a newer one cannot be fetched.
      const valid = kept?.lists.filter(({ nextUpdate }) => nextUpdate > now) ?? []
      if (valid.length === 0)
        return { problem: failure?.reason ?? 'the revocation list has ended', until: failure?.until ?? now }
      const list = valid.find((one) => isOf(pki, one.list, issuer))
      const until = Math.min(list?.nextUpdate ?? Infinity, Math.max(kept!.refreshAt, failure?.until ?? 0))
      if (list === undefined) return { problem: 'no revocation list of its issuer', until }
      const isRevoked = list.revoked.has(serialOf(certificate.serialNumber))
      return { problem: isRevoked ? 'revoked' : null, until }
    },
  }
}

function readLists(pki: Pki, bytes: Buffer, now: number): ReadList[] {
  const text = bytes.toString('latin1')
  const blocks = [...text.matchAll(/-----BEGIN X509 CRL-----([A-Za-z0-9+/=\s]+)-----END X509 CRL-----/g)]
  const ders = blocks.length === 0 ? [bytes] : blocks.map((match) => Buffer.from(match[1]!, 'base64'))
  return ders.map((der) => readList(pki, der, now))
}

function readList(pki: Pki, der: Buffer, now: number): ReadList {
  const list = pki.CertificateRevocationList.fromBER(Uint8Array.from(der))
  const nextUpdate = list.nextUpdate?.value.getTime()
  if (nextUpdate === undefined) throw new Error('it does not say when it ends')
  if (list.thisUpdate.value.getTime() > now + clockSkewMs) throw new Error('it is not valid yet')
  if (nextUpdate <= now) throw new Error('it has ended')
  const own = list.crlExtensions?.extensions ?? []
  const entries = list.revokedCertificates ?? []
  const ofEntries = entries.flatMap(({ crlEntryExtensions }) => crlEntryExtensions?.extensions ?? [])
  // Partial, indirect and delta lists say so in a critical extension (RFC 5280, section 5.2).
  const unknown = [...own, ...ofEntries].find(({ critical, extnID }) => critical && !knownExtensions.has(extnID))
  if (unknown !== undefined) throw new Error(`it has the critical extension ${unknown.extnID}`)
  const revoked = new Set(entries.map(({ userCertificate }) => serialOf(userCertificate.valueBlock.valueHexView)))
  return { list, revoked, nextUpdate }
}

function isOf(pki: Pki, list: CertificateRevocationList, issuer: X509Certificate): boolean {
  const parsed = pki.Certificate.fromBER(Uint8Array.from(issuer.raw))
  return (
    list.issuer.isEqual(parsed.subject) &&
    allowsUse(parsed, crlSignBit) &&
    isSignedBy(issuer.publicKey, list.signatureAlgorithm, list.tbsView, list.signatureValue.valueBlock.valueHexView)
  )
}
