// Archives of packages as tests need them: honest ones, and such as no honest tool writes. Every byte is put down here, so
// that what reads them is not what wrote them.
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { crc32, deflateRawSync, gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { canonicalJson } from '#main/kernel/canonical-json.ts'
import type { TestHost } from './create-test-host.ts'

/** A file of an archive. */
export interface ArchiveFile {
  readonly path: string
  readonly content: string | Buffer
  /** Mode of Unix with the kind of the file, of a zip file. */
  readonly mode?: number
  /** Type flag, of a tar file. */
  readonly kind?: string
  readonly linkTo?: string
  /** What the archive says of the size in place of the truth. */
  readonly claims?: number
  readonly flags?: number
}

/** A zip file. */
export function zipOf(files: readonly ArchiveFile[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { path, content, mode = 0o100644, claims, flags = 0x0800 } of files) {
    const bytes = Buffer.from(content)
    const packed = deflateRawSync(bytes, { level: 9 })
    const name = Buffer.from(path)
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE(flags, 2)
    facts.writeUInt16LE(8, 4)
    facts.writeUInt32LE(crc32(bytes), 10)
    facts.writeUInt32LE(packed.length, 14)
    facts.writeUInt32LE(claims ?? bytes.length, 18)
    facts.writeUInt16LE(name.length, 22)
    parts.push(Buffer.from('PK\u0003\u0004', 'latin1'), facts, name, packed)
    const head = Buffer.alloc(16)
    head.writeUInt16LE((3 << 8) | 20, 0)
    const central = Buffer.alloc(14)
    central.writeUInt32LE((mode << 16) >>> 0, 6)
    central.writeUInt32LE(offset, 10)
    directory.push(Buffer.from('PK\u0001\u0002', 'latin1'), head.subarray(0, 2), facts, central, name)
    offset += 30 + name.length + packed.length
  }
  const index = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(files.length & 0xffff, 4)
  end.writeUInt16LE(files.length & 0xffff, 6)
  end.writeUInt32LE(index.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...parts, index, Buffer.from('PK\u0005\u0006', 'latin1'), end])
}

/** A gzipped tar file. */
export function tgzOf(files: readonly ArchiveFile[]): Buffer {
  const parts = files.flatMap(({ path, content, kind = '0', linkTo = '', claims }) => {
    const bytes = Buffer.from(content)
    const header = Buffer.alloc(512)
    header.write(path, 0, 100)
    header.write('0000644\0', 100)
    header.write(`${(claims ?? bytes.length).toString(8).padStart(11, '0')}\0`, 124)
    header.write(kind, 156)
    header.write(linkTo, 157, 100)
    header.write('ustar\x0000', 257)
    header.fill(' ', 148, 156)
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    return [header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]
  })
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(1024)]))
}

/** Files of a package from their JSON or text. */
export function filesOf(contents: Readonly<Record<string, unknown>>): ArchiveFile[] {
  return Object.entries(contents).map(([path, content]) => ({
    path,
    content: typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content),
  }))
}

/** The list of checksums of files. */
export function checksumsOf(files: readonly ArchiveFile[]): { algorithm: 'sha256'; files: Record<string, string> } {
  const sums = files.map(({ path, content }) => [path, createHash('sha256').update(content).digest('hex')])
  return { algorithm: 'sha256', files: Object.fromEntries(sums) as Record<string, string> }
}

/** A key to sign with. */
export interface SigningKey {
  readonly keyId: string
  readonly publicKey: string
  readonly privateKey: KeyObject
}

/** Makes a key. */
export function createSigningKey(keyId: string): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const { x } = publicKey.export({ format: 'jwk' })
  return { keyId, publicKey: Buffer.from(x!, 'base64url').toString('base64'), privateKey }
}

/** The files with their checksums, and signed where there is a key. */
export function sealed(files: readonly ArchiveFile[], key?: SigningKey): ArchiveFile[] {
  const checksums = checksumsOf(files)
  const listed = [...files, ...filesOf({ 'checksums.json': checksums })]
  if (key === undefined) return listed
  const signature = sign(null, Buffer.from(canonicalJson(checksums)), key.privateKey).toString('base64')
  const { keyId, publicKey } = key
  const signedAt = '2026-01-31T08:15:30.123Z'
  return [...listed, ...filesOf({ 'signature.json': { algorithm: 'ed25519', keyId, publicKey, signature, signedAt } })]
}

/** SHA-256 as 64 hex digits. */
export function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Definitions of fields by name. */
export type PackageFields = Record<string, Record<string, unknown>>

/** A field of the simplest type. */
export const text = { type: 'text' }

let namespaces = 0

/** A namespace nobody has used yet. */
export const newNamespace = (): string => `n${(namespaces += 1)}x`

/** A manifest with one object `<ns>_thing`. */
export const manifestOf = (given: {
  readonly id: string
  readonly ns: string
  readonly version?: string
  readonly fields?: PackageFields
  readonly more?: Record<string, unknown>
}) => {
  const { id, ns, version = '1.0.0', fields = { title: text }, more = {} } = given
  return {
    id,
    name: id,
    version,
    namespace: ns,
    metadata: [{ type: 'object', name: `${ns}_thing`, item: { label: 'Thing', fields } }],
    ...more,
  }
}

/** A manifest without items, in a namespace made of its id. */
export const bare = (id: string, version = '1.0.0', dependencies: Record<string, string> = {}) => ({
  id,
  name: id,
  version,
  namespace: id.replaceAll(/[^a-z0-9]/g, '_').slice(0, 20),
  dependencies,
})

/** Installing, upgrading and uploading packages made of manifests; what is to work fails the test when it does not. */
export function packageCalls(host: () => TestHost) {
  return {
    async install(manifest: object, more: object = {}) {
      const { status, body } = await host().post('/packages/install', { manifest, ...more })
      expect(status, JSON.stringify(body)).toBe(201)
      return body.data
    },
    upgrade: (manifest: { readonly id: string }, more: object = {}) =>
      host().post('/packages/upgrade', { packageId: manifest.id, manifest, ...more }),
    /** @returns the reference of the archive */
    async upload(manifest: object): Promise<string> {
      const content = zipOf(filesOf({ 'manifest.json': manifest })).toString('base64')
      const { status, body } = await host().post('/packages/upload', { artifact: { format: 'zip', content } })
      expect(status, JSON.stringify(body)).toBe(201)
      return body.data.artifactRef
    },
  }
}
