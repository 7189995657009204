// Asks a responder about single certificates (OCSP, RFC 6960): request, signed answer, kept until its next update.
// Knows no connection.
import { randomBytes, X509Certificate } from 'node:crypto'
import type { BasicOCSPResponse, CertID, Certificate, SingleResponse } from 'pkijs'
import type { Clock } from '#main/kernel/clock.ts'
import { fetchBytes } from './fetch-bytes.ts'
import { hasExtendedUse, isSignedBy, loadPki } from './pki.ts'
import type { Pki } from './pki.ts'
import type { RevocationAnswer, RevocationSource } from './revocation.ts'
import { clockSkewMs, failureLifeMs, refreshMs } from './revocation.ts'

const limitBytes = 65_536
const maxKept = 10_000
const basicResponseId = '1.3.6.1.5.5.7.48.1.1'
const nonceId = '1.3.6.1.5.5.7.48.1.2'
const ocspSigningId = '1.3.6.1.5.5.7.3.9'

/** Life of an answer that does not say when the next one comes. */
const unstatedLifeMs = 5 * 60_000

/** Makes the source behind `ocspUrl`. A certificate the responder does not call good is not good. */
export function createCertificateStatus(options: { url: string; clock: Clock }): RevocationSource {
  const { url, clock } = options
  const kept = new Map<string, RevocationAnswer>()
  const running = new Map<string, Promise<RevocationAnswer>>()

  const ask = async (certificate: X509Certificate, issuer: X509Certificate): Promise<RevocationAnswer> => {
    try {
      const pki = await loadPki()
      const id = await idOf(pki, certificate, issuer)
      const nonce = randomBytes(16)
      const body = requestFor(pki, id, nonce)
      const contentType = 'application/ocsp-request'
      const bytes = await fetchBytes(url, { body, contentType, limitBytes, timeoutMs: 5_000 })
      return readAnswer(pki, bytes, { id, nonce, issuer, now: clock.now() })
    } catch (error) {
      const problem = `the responder's answer cannot be used: ${(error as Error).message}`
      return { problem, until: clock.now() + failureLifeMs }
    }
  }

  return {
    check(certificate, issuer) {
      const key = certificate.fingerprint256
      const known = kept.get(key)
      if (known !== undefined && known.until > clock.now()) return Promise.resolve(known)
      let asking = running.get(key)
      if (asking === undefined) {
        asking = ask(certificate, issuer).then((answer) => {
          running.delete(key)
          kept.delete(key)
          if (kept.size >= maxKept) kept.delete(kept.keys().next().value!)
          kept.set(key, answer)
          return answer
        })
        running.set(key, asking)
      }
      return asking
    },
  }
}

function parse(pki: Pki, certificate: X509Certificate): Certificate {
  return pki.Certificate.fromBER(Uint8Array.from(certificate.raw))
}

/** The name of a certificate in the protocol: hashes of its issuer's name and key, and its serial number. */
async function idOf(pki: Pki, certificate: X509Certificate, issuer: X509Certificate): Promise<CertID> {
  // SHA-1 is what every responder understands; here it names, it does not protect.
  return pki.CertID.create(parse(pki, certificate), {
    hashAlgorithm: 'SHA-1',
    issuerCertificate: parse(pki, issuer),
  })
}

function requestFor(pki: Pki, id: CertID, nonce: Buffer): Buffer {
  const request = new pki.OCSPRequest()
  request.tbsRequest.requestList = [new pki.Request({ reqCert: id })]
  request.tbsRequest.requestExtensions = [
    new pki.Extension({ extnID: nonceId, extnValue: Uint8Array.from(derOctets(nonce)).buffer }),
  ]
  return Buffer.from(request.toSchema(true).toBER(false))
}

/** An OCTET STRING of less than 128 bytes. */
function derOctets(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([4, bytes.length]), bytes])
}

interface Asked {
  readonly id: CertID
  readonly nonce: Buffer
  readonly issuer: X509Certificate
  readonly now: number
}

function readAnswer(pki: Pki, bytes: Buffer, asked: Asked): RevocationAnswer {
  const outer = pki.OCSPResponse.fromBER(Uint8Array.from(bytes))
  const status = outer.responseStatus.valueBlock.valueDec
  if (status !== 0 || outer.responseBytes?.responseType !== basicResponseId) throw new Error(`status ${status}`)
  const answer = pki.BasicOCSPResponse.fromBER(outer.responseBytes.response.valueBlock.valueHexView)
  if (!isGenuine(pki, answer, asked)) throw new Error('nobody entitled has signed it')
  const data = answer.tbsResponseData
  const echoed = data.responseExtensions?.find(({ extnID }) => extnID === nonceId)
  // Responders may leave it out, since they sign their answers in advance; another one answers another request.
  if (echoed !== undefined && !derOctets(asked.nonce).equals(echoed.extnValue.valueBlock.valueHexView)) {
    throw new Error('it belongs to another request')
  }
  const one = data.responses.find(({ certID }) => certID.isEqual(asked.id))
  if (one === undefined) throw new Error('it is about another certificate')
  return judge(one, asked.now)
}

function judge(one: SingleResponse, now: number): RevocationAnswer {
  const from = one.thisUpdate.getTime()
  const end = one.nextUpdate?.getTime() ?? from + unstatedLifeMs
  if (from > now + clockSkewMs) throw new Error('it is not valid yet')
  if (end <= now) throw new Error('it has ended')
  const until = Math.min(end, now + refreshMs)
  // A choice of three: good, revoked, unknown.
  const state = (one.certStatus as { idBlock: { tagNumber: number } }).idBlock.tagNumber
  return { problem: state === 0 ? null : state === 1 ? 'revoked' : 'unknown to its responder', until }
}

/** Signed by the issuer itself, or by a key whose certificate the issuer gave this very purpose (RFC 6960, 4.2.2.2). */
function isGenuine(pki: Pki, answer: BasicOCSPResponse, { issuer, now }: Asked): boolean {
  const signedWith = (key: X509Certificate['publicKey']): boolean =>
    isSignedBy(key, answer.signatureAlgorithm, answer.tbsResponseData.tbsView, answer.signature.valueBlock.valueHexView)
  if (signedWith(issuer.publicKey)) return true
  return (answer.certs ?? []).some((sent) => {
    const delegate = new X509Certificate(Buffer.from(sent.toSchema(false).toBER(false)))
    return (
      hasExtendedUse(parse(pki, delegate), ocspSigningId) &&
      delegate.checkIssued(issuer) &&
      delegate.verify(issuer.publicKey) &&
      delegate.validFromDate.getTime() <= now &&
      delegate.validToDate.getTime() > now &&
      signedWith(delegate.publicKey)
    )
  })
}
