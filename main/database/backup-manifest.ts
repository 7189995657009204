// The manifest of a backup: what belongs to it, with checksums, and a checksum of the manifest itself.
import { createHash } from 'node:crypto'

/** Why a backup was made (D-207). */
export const backupKinds = ['manual', 'daily', 'weekly', 'upgrade', 'pairing'] as const

/** A word of {@link backupKinds}. */
export type BackupKind = (typeof backupKinds)[number]

/** What a backup consists of. */
export interface BackupManifest {
  readonly id: string
  readonly kind: BackupKind
  readonly createdAt: string
  readonly appVersion: string
  /** Result of the last check. */
  readonly verified: boolean
  readonly files: readonly { readonly name: string; readonly sizeBytes: number; readonly sha256: string }[]
  readonly note?: string
  /** Bytes of the files people have stored, which the list of files names. */
  readonly fileBytes?: number
}

/** The text of a manifest; it carries the SHA-256 of its own content. */
export function encodeManifest(manifest: BackupManifest): string {
  return `${JSON.stringify({ manifest, sha256: checksum(manifest) }, null, 2)}\n`
}

/** Reads a manifest; undefined when a single byte of it differs from what {@link encodeManifest} wrote. */
export function decodeManifest(text: string): BackupManifest | undefined {
  let manifest: BackupManifest
  try {
    manifest = (JSON.parse(text) as { manifest: BackupManifest }).manifest
    if (encodeManifest(manifest) !== text) return undefined
  } catch {
    return undefined
  }
  const plain = manifest.files.every(({ name }) => ['cairn.db', 'config.json', 'files.txt'].includes(name))
  return plain ? manifest : undefined
}

function checksum(manifest: BackupManifest): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex')
}
