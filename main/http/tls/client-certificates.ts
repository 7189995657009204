// Judges the certificates of clients, once per connection and again when what the verdict rests on has ended (D-203).
// Knows no request.
import { createHash } from 'node:crypto'
import type { X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { platformError } from '#shared/errors.ts'
import type { PlatformError } from '#shared/errors.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { MutualTls } from '../access-config.ts'
import { createCertificateStatus } from './certificate-status.ts'
import { findIssuer } from './pki.ts'
import { checkRevocation } from './revocation.ts'
import { createRevocationList } from './revocation-list.ts'

/** The verdicts over the connections of one listener. */
export interface ClientCertificates {
  /** Whether the connection has a verdict that still counts. */
  isJudged(socket: Socket): boolean
  /** Judges the connection; never throws. */
  judge(socket: Socket): Promise<void>
  /** What the connection lacks; null when its requests may go on. */
  refusalOf(socket: Socket): PlatformError | null
}

interface Verdict {
  readonly refusal: PlatformError | null
  readonly until: number
}

const missing = (): PlatformError => platformError('unauthenticated', { reason: 'certificate_missing' })
// The reason goes to the log alone: it would tell a stranger what to change.
const refused = (): PlatformError => platformError('unauthenticated', { reason: 'certificate_refused' })

/**
 * Makes the judge.
 * @param trusted the certificates behind `trustedCAs`, asked at every judgement since the files may change
 * @source D-203
 */
export function createClientCertificates(options: {
  mutualTls: MutualTls
  trusted: () => readonly X509Certificate[]
  clock: Clock
  log: Logger
}): ClientCertificates {
  const { mutualTls, trusted, clock, log } = options
  const { crlUrl, ocspUrl } = mutualTls
  const sources = [
    ...(crlUrl === undefined ? [] : [createRevocationList({ url: crlUrl, clock })]),
    ...(ocspUrl === undefined ? [] : [createCertificateStatus({ url: ocspUrl, clock })]),
  ]
  const verdicts = new WeakMap<Socket, Verdict>()
  const running = new WeakMap<Socket, Promise<void>>()

  /** Why the certificate does not pass, and how long that holds. */
  const examine = async (
    socket: TLSSocket,
    certificate: X509Certificate,
  ): Promise<{ problem: string | null; until: number }> => {
    if (mutualTls.certificateValidation === 'none') return { problem: null, until: Infinity }
    // OpenSSL has judged chain, validity, purpose and constraints at the handshake.
    if (!socket.authorized) return { problem: String(socket.authorizationError), until: Infinity }
    const chain = chainOf(socket)
    const ends = Math.min(...chain.map((one) => one.validToDate.getTime()))
    if (ends <= clock.now()) return { problem: 'it has expired', until: Infinity }
    if (mutualTls.certificateValidation === 'relaxed') return { problem: null, until: ends }
    const problem = findNameProblem(mutualTls, certificate) ?? findPinProblem(mutualTls, certificate)
    if (problem !== null) return { problem, until: Infinity }
    if (sources.length === 0) return { problem: null, until: ends }
    const issuer = findIssuer(certificate, [...trusted(), ...chain.slice(1)])
    if (issuer === undefined) return { problem: 'its issuer is not known', until: Infinity }
    const answer = await checkRevocation(sources, certificate, issuer)
    return { problem: answer.problem, until: Math.min(ends, answer.until) }
  }

  const decide = async (socket: TLSSocket): Promise<Verdict> => {
    const certificate = socket.getPeerX509Certificate()
    if (certificate === undefined) {
      return { refusal: mutualTls.clientCertRequired ? missing() : null, until: Infinity }
    }
    try {
      const { problem, until } = await examine(socket, certificate)
      if (problem === null) return { refusal: null, until }
      const { fingerprint256, subject } = certificate
      log.warn({ problem, fingerprint256, subject, address: socket.remoteAddress }, 'A client certificate was refused.')
      return { refusal: refused(), until }
    } catch (error) {
      log.error({ err: error }, 'A client certificate could not be judged.')
      return { refusal: refused(), until: clock.now() }
    }
  }

  return {
    isJudged: (socket) => (verdicts.get(socket)?.until ?? 0) > clock.now(),
    judge(socket) {
      let judging = running.get(socket)
      if (judging === undefined) {
        judging = decide(socket as TLSSocket).then((verdict) => {
          verdicts.set(socket, verdict)
          running.delete(socket)
        })
        running.set(socket, judging)
      }
      return judging
    },
    // Without a verdict nobody passes.
    refusalOf(socket) {
      const verdict = verdicts.get(socket)
      return verdict === undefined ? refused() : verdict.refusal
    },
  }
}

/** The certificate and those the client or OpenSSL put above it. */
function chainOf(socket: TLSSocket): X509Certificate[] {
  const chain: X509Certificate[] = []
  let next = socket.getPeerX509Certificate()
  while (next !== undefined && !chain.some(({ fingerprint256 }) => fingerprint256 === next!.fingerprint256)) {
    chain.push(next)
    next = next.issuerCertificate
  }
  return chain
}

function findNameProblem({ allowedCNs, allowedOUs }: MutualTls, certificate: X509Certificate): string | null {
  const subject = certificate.toLegacyObject().subject as unknown as Record<string, string | string[] | undefined>
  const commonNames = [subject['CN'] ?? []].flat()
  const units = [subject['OU'] ?? []].flat()
  // A second common name could be anything, so all of them must be allowed.
  if (allowedCNs !== undefined && (commonNames.length === 0 || !commonNames.every((one) => allowedCNs.includes(one)))) {
    return 'its common name is not allowed'
  }
  if (allowedOUs !== undefined && !units.some((one) => allowedOUs.includes(one))) return 'its unit is not allowed'
  return null
}

function findPinProblem({ pinning }: MutualTls, certificate: X509Certificate): string | null {
  if (pinning?.enabled !== true) return null
  const key = certificate.publicKey.export({ type: 'spki', format: 'der' })
  const digest = createHash('sha256').update(key).digest('base64')
  return pinning.pins.some((pin) => pin.replace('sha256/', '') === digest) ? null : 'its key is not pinned'
}
