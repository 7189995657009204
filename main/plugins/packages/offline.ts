// Packages as files, for those who make them: packing a folder, signing it, judging an archive. Needs no host.
import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { manifestOf } from './service/archive-manifest.ts'
import type { ArchiveFiles } from './service/archive-reader.ts'
import { readArchive } from './service/archive-reader.ts'
import { archiveName, packFiles, readPackageFolder } from './service/package-folder.ts'
import { publicHalf, signatureIn, withChecksums } from './service/signatures.ts'

/** A package that was judged. */
export interface JudgedPackage {
  readonly id: string
  readonly version: string
  readonly items: number
  readonly records: number
  /** Null for one nobody signed. Whether anybody trusts the key is not known here. */
  readonly signature: { readonly keyId: string; readonly publicKey: string } | null
}

/** An archive with the name it usually has. */
export interface PackedPackage {
  readonly fileName: string
  readonly bytes: Buffer
}

/** Packs a folder. @throws Error without a manifest, and what reading throws */
export function packPackage(folder: string): PackedPackage {
  const files = readPackageFolder(folder)
  const manifest = files.get('manifest.json')
  if (manifest === undefined) throw new Error(`${folder} has no manifest.json.`)
  const { id, version } = JSON.parse(manifest.toString('utf8')) as { id: string; version: string }
  return { fileName: archiveName({ id, version }), bytes: packFiles(files) }
}

/** Writes checksums and signature of a folder's files beside them. @returns the public key, base64 of 32 bytes */
export function signPackage(folder: string, key: { keyId: string; privateKey: KeyObject; signedAt: string }): string {
  const signed = withChecksums(readPackageFolder(folder), key)
  for (const name of ['checksums.json', 'signature.json']) writeFileSync(path.join(folder, name), signed.get(name)!)
  return publicHalf(key.privateKey)
}

/** Reads an archive as a host would. @throws PlatformError artifact_invalid, checksum_mismatch, signature_invalid */
export async function judgePackage(file: string): Promise<JudgedPackage> {
  const format = readFileSync(file).subarray(0, 2).toString('latin1') === 'PK' ? 'zip' : 'tgz'
  const files: ArchiveFiles = await readArchive(file, format, statSync(file).size)
  const signature = signatureIn(files, () => undefined)
  const { id, version, metadata, data } = await manifestOf(files)
  return {
    id,
    version,
    items: metadata.length,
    records: data.reduce((sum, { records }) => sum + records.length, 0),
    signature,
  }
}

/** Reads a private key of Ed25519 from PEM. @throws Error for any other */
export function readSigningKey(pem: string): KeyObject {
  const key = createPrivateKey(pem)
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('The key is no Ed25519 key.')
  return key
}

/** Makes a private key of Ed25519 as PEM. */
export function makeSigningKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}
