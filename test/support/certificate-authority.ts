// A certificate authority for tests, made with the openssl command at test time: an implementation that is not ours.
// It issues and revokes certificates, writes revocation lists and answers status requests. Its keys live in a
// temporary folder and end with it.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A certificate with its key, as PEM text and as files. */
export interface IssuedCertificate {
  readonly cert: string
  readonly key: string
  readonly certFile: string
  readonly keyFile: string
}

/** What a certificate is for: the sections of the configuration below. */
export type CertificateUse = 'client' | 'server' | 'responder' | 'authority'

/** How a certificate is issued. */
export interface IssueOptions {
  /** Default: `/CN=<name>`. */
  readonly subject?: string
  readonly use?: CertificateUse
  /** As openssl writes moments: YYYYMMDDHHMMSSZ. */
  readonly from?: string
  readonly to?: string
}

/** An authority. */
export interface CertificateAuthority {
  readonly cert: string
  readonly certFile: string
  issue(name: string, options?: IssueOptions): IssuedCertificate
  /** Takes a certificate back; lists and status answers made afterwards say so. */
  revoke(certificate: IssuedCertificate): void
  /** A revocation list in DER form; it ends after the hours, negative ones lie in the past. */
  revocationList(hours?: number): Buffer
  /** The answer to a status request, signed by the authority or by a responder it issued. */
  status(request: Buffer, signer?: IssuedCertificate): Buffer
  /** An authority whose certificate this one issued. */
  intermediate(name: string): CertificateAuthority
  dispose(): void
}

/** Whether the openssl command is here. */
export const hasOpenssl = spawnSync('openssl', ['version']).status === 0

/** Makes a root authority. */
export function createCertificateAuthority(name: string): CertificateAuthority {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-ca-'))
  const keyFile = join(folder, 'ca.key')
  const certFile = join(folder, 'ca.pem')
  writeConfig(folder)
  openssl(folder, [
    'req',
    '-x509',
    ...newKey(keyFile),
    '-out',
    certFile,
    '-days',
    '30',
    '-subj',
    `/CN=${name}`,
    '-extensions',
    'authority',
  ])
  return authorityIn(folder, { certFile, keyFile })
}

function authorityIn(folder: string, own: { certFile: string; keyFile: string }): CertificateAuthority {
  const { certFile, keyFile } = own
  const ca = ['ca', '-batch', '-notext', '-cert', certFile, '-keyfile', keyFile]
  let count = 0
  const issue = (name: string, options: IssueOptions = {}): IssuedCertificate => {
    const base = join(folder, `${String((count += 1))}-${name.replaceAll(/\W/g, '_')}`)
    const issued = { certFile: `${base}.pem`, keyFile: `${base}.key` }
    const subject = options.subject ?? `/CN=${name}`
    openssl(folder, ['req', ...newKey(issued.keyFile), '-out', `${base}.csr`, '-subj', subject])
    const dates = [
      ...(options.from === undefined ? [] : ['-startdate', options.from]),
      ...(options.to === undefined ? ['-days', '20'] : ['-enddate', options.to]),
    ]
    const use = ['-extensions', options.use ?? 'client']
    openssl(folder, [...ca, '-in', `${base}.csr`, '-out', issued.certFile, ...dates, ...use])
    return { ...issued, cert: readFileSync(issued.certFile, 'utf8'), key: readFileSync(issued.keyFile, 'utf8') }
  }
  return {
    cert: readFileSync(certFile, 'utf8'),
    certFile,
    issue,
    revoke: (certificate) => openssl(folder, [...ca, '-revoke', certificate.certFile]),
    revocationList(hours = 24) {
      const end = new Date(Date.now() + hours * 3_600_000)
      const start = new Date(Math.min(Date.now(), end.getTime()) - 3_600_000)
      const dates = ['-crl_lastupdate', moment(start), '-crl_nextupdate', moment(end)]
      openssl(folder, [...ca, '-gencrl', ...dates, '-out', join(folder, 'list.pem')])
      openssl(folder, ['crl', '-in', join(folder, 'list.pem'), '-outform', 'DER', '-out', join(folder, 'list.der')])
      return readFileSync(join(folder, 'list.der'))
    },
    status(request, signer = { cert: '', key: '', ...own }) {
      writeFileSync(join(folder, 'request.der'), request)
      const { certFile: signerFile, keyFile: signerKey } = signer
      const files = ['-index', join(folder, 'index.txt'), '-CA', certFile, '-rsigner', signerFile, '-rkey', signerKey]
      const io = ['-reqin', join(folder, 'request.der'), '-respout', join(folder, 'answer.der')]
      openssl(folder, ['ocsp', ...files, ...io, '-ndays', '1'])
      return readFileSync(join(folder, 'answer.der'))
    },
    intermediate(name) {
      const issued = issue(name, { use: 'authority' })
      const below = mkdtempSync(join(tmpdir(), 'cairn-ca-'))
      writeConfig(below)
      return authorityIn(below, issued)
    },
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** A moment as openssl writes it. */
export function moment(date: Date): string {
  return `${date.toISOString().replaceAll(/[-:T]/g, '').slice(0, 14)}Z`
}

/** A local server that gives out what `answer` says; undefined is a 500. */
export async function servePki(
  answer: (path: string, body: Buffer) => Buffer | undefined,
): Promise<{ url: string; requests: string[]; close(): Promise<void> }> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      requests.push(request.url ?? '')
      const body = answer(request.url ?? '', Buffer.concat(chunks))
      response.writeHead(body === undefined ? 500 : 200).end(body)
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function newKey(file: string): string[] {
  return ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', file, '-config', 'ca.cnf']
}

function openssl(folder: string, args: readonly string[]): void {
  const withConfig = args[0] === 'ca' ? [args[0], '-config', 'ca.cnf', ...args.slice(1)] : args
  const run = spawnSync('openssl', withConfig, { cwd: folder, encoding: 'utf8' })
  if (run.status !== 0) throw new Error(`openssl ${args[0]} failed: ${run.stderr}`)
}

function writeConfig(folder: string): void {
  writeFileSync(join(folder, 'index.txt'), '')
  writeFileSync(join(folder, 'serial'), 'A001\n')
  writeFileSync(join(folder, 'crlnumber'), '01\n')
  writeFileSync(
    join(folder, 'ca.cnf'),
    `[ca]
default_ca = main
[main]
database = ${folder}/index.txt
serial = ${folder}/serial
crlnumber = ${folder}/crlnumber
new_certs_dir = ${folder}
default_md = sha256
default_crl_days = 1
policy = any
unique_subject = no
[any]
commonName = optional
organizationalUnitName = optional
[req]
distinguished_name = dn
[dn]
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[client]
basicConstraints = CA:FALSE
extendedKeyUsage = clientAuth
[server]
basicConstraints = CA:FALSE
extendedKeyUsage = serverAuth
subjectAltName = DNS:cairn.example, DNS:localhost, IP:127.0.0.1
[responder]
basicConstraints = CA:FALSE
extendedKeyUsage = OCSPSigning
`,
  )
}
