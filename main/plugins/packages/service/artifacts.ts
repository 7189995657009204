// Uploaded archives: received into a temporary file, judged there, and kept under their hash, whole or not at all (D-129).
import { createHash, timingSafeEqual } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { MetadataType } from '#shared/contracts/metadata.ts'
import type { ArtifactInput, PackageTrust } from '#shared/contracts/package-parts.ts'
import { PlatformError, platformError } from '#shared/errors.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Write } from '#main/kernel/database.ts'
import type { SharedFiles } from '#main/kernel/hub-facts.ts'
import type { Ids } from '#main/kernel/ids.ts'
import { packageError } from '../errors.ts'
import type { ArtifactRow } from '../store.ts'
import { addArtifact, allArtifacts, artifactsOf, getArtifact } from '../store.ts'
import { manifestOf } from './archive-manifest.ts'
import { maxPackedBytes, readArchive } from './archive-reader.ts'
import { artifactInvalid } from './archive-refusal.ts'
import type { BundledPackage, BundledPackages } from './bundled.ts'
import type { Manifest, Release, ReleaseOrigin } from './release.ts'
import { releaseOf } from './release.ts'
import type { TrustedKeys } from './trusted-keys.ts'

/** What is said of an archive beside its bytes. */
export interface UploadFacts {
  readonly sha256?: string | undefined
  readonly token?: string | undefined
  readonly releaseNotes?: string | undefined
  readonly format?: 'zip' | 'tgz' | undefined
  readonly packageId?: string | undefined
  readonly version?: string | undefined
}

/** An archive that is kept. */
export interface StoredArtifact {
  readonly artifactRef: string
  readonly packageId: string
  readonly version: string
  readonly sha256: string
  readonly size: number
  readonly trust: PackageTrust
}

/** An archive in a temporary file. */
export interface ReceivedFile {
  readonly path: string
  readonly sha256: string
  readonly size: number
}

/** A version that is uploaded. */
export interface UploadedVersion {
  readonly ref: string
  readonly packageId: string
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
}

/** An archive that can be installed. */
export interface AvailableArtifact extends UploadedVersion {
  readonly name: string
  readonly description: string | null
  readonly icon: string | null
  readonly releaseNotes: string | null
  readonly origin: 'bundled' | 'uploaded'
}

/** The archives of one host. */
export interface Artifacts {
  /** Writes bytes to a temporary file. @throws payload_too_large, upload_failed */
  receive(bytes: AsyncIterable<Uint8Array>): Promise<ReceivedFile>
  /** Judges a received file and keeps it; the temporary file is gone afterwards either way. */
  keep(ctx: RequestContext, file: ReceivedFile, facts: UploadFacts): Promise<StoredArtifact>
  /** Forgets a received file nobody keeps. */
  discard(file: ReceivedFile): Promise<void>
  /** Receives and keeps what a JSON body holds. */
  keepInput(ctx: RequestContext, input: ArtifactInput, facts: UploadFacts): Promise<StoredArtifact>
  /** Reads a kept archive again, as if it came from outside. @throws version_not_found, artifact_invalid, checksum_mismatch */
  release(ref: string): Promise<Release>
  /** Reads an archive that is not kept. @throws artifact_invalid, checksum_mismatch, signature_invalid */
  look(input: ArtifactInput): Promise<Release>
  versions(packageId: string): UploadedVersion[]
  /** All archives that can be installed: the bundled ones first, then the uploaded ones by id. */
  available(locale?: string): AvailableArtifact[]
  readonly bundled: BundledPackages
  /** Removes what an upload that was cut short left behind. */
  tidy(): Promise<void>
  /** Brings what lies here, and was kept before there was a hub, to its other nodes. @throws Error when the store does not answer */
  share(): Promise<void>
}

/** What the archives work with. */
export interface ArtifactParts {
  readonly dataDir: string
  /** Of the hub that this host leads; null where it is alone. */
  readonly shared: SharedFiles | null
  readonly bundled: BundledPackages
  readonly read: Reads
  readonly write: Write
  readonly clock: Clock
  readonly ids: Ids
  readonly keys: TrustedKeys
  readonly typeOf: (word: string) => MetadataType | undefined
  /** The token uploads must present; null for none. */
  readonly publisherToken: () => Promise<string | null>
}

const temporaryPrefix = 'incoming-'
/** What archives are called where all nodes of a hub find them. */
const sharedEnding = '.package'
/** An upload that is this old has ended, one way or the other. */
const leftAfterMs = 3_600_000

/** Makes the archives. */
export function createArtifacts(parts: ArtifactParts): Artifacts {
  const { read, write, clock, ids, keys, bundled, shared } = parts
  const folder = join(parts.dataDir, 'packages')
  const fileOf = (sha256: string): string => join(folder, sha256)

  /** Reads a file as if it came from outside, and says where it comes from by its hash and its signature. */
  const judged = async (
    path: string,
    format: 'zip' | 'tgz',
    size: number,
    ref: string,
  ): Promise<{ manifest: Manifest; origin: ReleaseOrigin }> => {
    const files = await readArchive(path, format, size)
    const { trust, publicKey } = keys.judge(files)
    const isBundled = bundled.find(ref) !== undefined
    return {
      manifest: await manifestOf(files),
      origin: { trust: isBundled ? 'bundled' : trust, publicKey, artifactRef: ref },
    }
  }

  const receive: Artifacts['receive'] = async (bytes) => {
    const path = join(folder, `${temporaryPrefix}${ids.uuid()}`)
    const digest = createHash('sha256')
    let size = 0
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const handle = await open(path, 'wx', 0o600)
      try {
        for await (const part of bytes) {
          size += part.length
          if (size > maxPackedBytes) throw platformError('payload_too_large', { limitBytes: maxPackedBytes })
          digest.update(part)
          await handle.write(part)
        }
        await handle.sync()
      } finally {
        await handle.close()
      }
    } catch (error) {
      await forget(path)
      throw error instanceof PlatformError ? error : packageError('upload_failed', {}, error)
    }
    return { path, sha256: digest.digest('hex'), size }
  }

  const requireToken = async (token: string | undefined): Promise<void> => {
    const wanted = await parts.publisherToken()
    if (wanted === null || wanted === '') return
    const digest = (text: string) => createHash('sha256').update(text).digest()
    if (token === undefined || !timingSafeEqual(digest(token), digest(wanted))) {
      throw platformError('permission_denied', { reason: 'publisher_token' })
    }
  }

  /** @param ctx whose upload it is; null for what the program brings along */
  const store = async (ctx: RequestContext | null, file: ReceivedFile, row: ArtifactRow): Promise<void> => {
    const target = fileOf(file.sha256)
    const known = getArtifact(read, row.ref)
    if (known === undefined || !(await exists(target))) {
      try {
        await rename(file.path, target)
        await syncFolder(folder)
      } catch (error) {
        throw packageError('upload_failed', {}, error)
      }
    }
    try {
      await shared?.keep(`${file.sha256}${sharedEnding}`, target).catch(refuseStore)
      await write('packages.upload', (tx) => {
        if (getArtifact(tx, row.ref) !== undefined) return
        const other = artifactsOf(tx, row.package_id).find(({ version }) => version === row.version)
        if (other !== undefined) {
          throw platformError('conflict', {
            reason: 'version_exists',
            packageId: row.package_id,
            version: row.version,
            artifactRef: other.ref,
          })
        }
        addArtifact(tx, row)
        if (ctx === null) return
        const { ref, package_id: packageId, version, size } = row
        tx.emit(ctx, { type: 'packages.uploaded', payload: { packageId, version, artifactRef: ref, size } })
      })
    } catch (error) {
      if (getArtifact(read, row.ref) === undefined) await forget(target)
      throw error
    }
  }

  const keep: Artifacts['keep'] = async (ctx, file, facts) => {
    try {
      await requireToken(facts.token)
      const { sha256, size } = file
      if (facts.sha256 !== undefined && facts.sha256 !== sha256) {
        throw packageError('checksum_mismatch', { expected: facts.sha256, actual: sha256 })
      }
      const format = await formatOf(file.path)
      if (format === null || (facts.format ?? format) !== format) throw artifactInvalid('format_unknown')
      const ref = `sha256:${sha256}`
      const { manifest, origin } = await judged(file.path, format, size, ref)
      requireIdentity(manifest, facts)
      asArtifact(() => releaseOf(manifest, origin, parts.typeOf))
      if (getArtifact(read, ref) === undefined) bundled.requireOwnId(manifest.id, ref)
      const { metadata: _m, data: _d, functions: _f, translations: _t, ...own } = manifest
      await store(ctx, file, {
        ref,
        package_id: manifest.id,
        version: manifest.version,
        format,
        size,
        manifest: JSON.stringify(own),
        release_notes: facts.releaseNotes ?? null,
        uploaded_at: clock.iso(),
        uploaded_by: ctx.actor.id,
      })
      const { id: packageId, version } = manifest
      return { artifactRef: ref, packageId, version, sha256, size, trust: origin.trust }
    } finally {
      await forget(file.path)
    }
  }

  /** Whether an archive lies here; what another node of the hub has taken is fetched. @throws service_unavailable */
  const isHere = async (sha256: string): Promise<boolean> => {
    const path = fileOf(sha256)
    if (await exists(path)) return true
    if (shared === null) return false
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return shared.fetch(`${sha256}${sharedEnding}`, path).catch(refuseStore)
  }

  const isKept = async (ref: string): Promise<boolean> =>
    getArtifact(read, ref) !== undefined && (await isHere(ref.slice('sha256:'.length)))

  const storeBundled = async ({ ref, bytes, manifest }: BundledPackage): Promise<void> => {
    const file = await receive(sliced(bytes))
    try {
      await store(null, file, {
        ref,
        package_id: manifest.id,
        version: manifest.version,
        format: 'zip',
        size: bytes.length,
        manifest: JSON.stringify(manifest),
        release_notes: null,
        uploaded_at: clock.iso(),
        uploaded_by: 'system',
      })
    } finally {
      await forget(file.path)
    }
  }

  const available = (locale?: string): AvailableArtifact[] => {
    const own = bundled
      .list()
      .map(({ ref, manifest }) => availableOf(ref, inLanguage(manifest, locale), 'bundled', null))
    const others = allArtifacts(read)
      .filter(({ ref }) => bundled.find(ref) === undefined)
      .map((row) => {
        const manifest = inLanguage(JSON.parse(row.manifest) as Manifest, locale)
        return availableOf(row.ref, manifest, 'uploaded', row.release_notes)
      })
    return [...own, ...others]
  }

  return {
    receive,
    keep,
    discard: (file) => forget(file.path),
    async keepInput(ctx, { content, ...stated }, facts) {
      const bytes = bytesOf(content)
      return keep(ctx, await receive(sliced(bytes)), { ...facts, ...stated })
    },
    async look(input) {
      const file = await receive(sliced(bytesOf(input.content)))
      try {
        const { manifest, origin } = await judged(file.path, input.format, file.size, `sha256:${file.sha256}`)
        return releaseOf(manifest, { ...origin, artifactRef: null }, parts.typeOf)
      } finally {
        await forget(file.path)
      }
    },
    async release(ref) {
      // Kept like an upload: another version of the program has other bytes, and this one may still be installed.
      const own = bundled.find(ref)
      if (own !== undefined && !(await isKept(ref))) await storeBundled(own)
      const row = getArtifact(read, ref)
      if (row === undefined) throw packageError('version_not_found', { artifactRef: ref })
      const sha256 = ref.slice('sha256:'.length)
      const path = fileOf(sha256)
      if (!(await isHere(sha256))) throw packageError('version_not_found', { artifactRef: ref, reason: 'file_missing' })
      if (`sha256:${await hashOf(path)}` !== ref) throw packageError('checksum_mismatch', { artifactRef: ref })
      const { manifest, origin } = await judged(path, row.format, row.size, ref)
      return releaseOf(manifest, origin, parts.typeOf)
    },
    versions: (packageId) => available().filter((one) => one.packageId === packageId),
    available,
    bundled,
    async tidy() {
      const names = await readdir(folder).catch(() => [])
      for (const name of names) {
        const path = join(folder, name)
        // What is being received, or was renamed a moment ago, is somebody's.
        const age = clock.now() - ((await stat(path).catch(() => null))?.mtimeMs ?? Infinity)
        const isLeft = name.startsWith(temporaryPrefix) || getArtifact(read, `sha256:${name}`) === undefined
        if (isLeft && age > leftAfterMs) await forget(path)
      }
    },
    async share() {
      if (shared === null) return
      const hashes = allArtifacts(read).map(({ ref }) => ref.slice('sha256:'.length))
      const nameOf = (sha256: string): string => `${sha256}${sharedEnding}`
      const kept = await shared.sweep(sharedEnding, new Set(hashes.map(nameOf)))
      for (const sha256 of hashes)
        if (!kept.has(nameOf(sha256)) && (await exists(fileOf(sha256))))
          await shared.keep(nameOf(sha256), fileOf(sha256))
    },
  }
}

/** @throws service_unavailable: nothing was kept, and the request may be made again */
function refuseStore(cause: unknown): never {
  throw platformError('service_unavailable', { reason: 'hub_store', retryAfterSeconds: 1 }, cause)
}

/** A manifest with the name and the description it brings for a language or for its wider form. @source D-343 */
function inLanguage(manifest: BundledPackage['manifest'], locale: string | undefined): BundledPackage['manifest'] {
  const labels = manifest.contributes?.['labels']
  if (locale === undefined || !isMap(labels)) return manifest
  const own = labels[locale] ?? labels[locale.split('-')[0]!]
  if (!isMap(own)) return manifest
  const { name, description } = own
  return {
    ...manifest,
    ...(typeof name === 'string' && name !== '' ? { name } : {}),
    ...(typeof description === 'string' && description !== '' ? { description } : {}),
  }
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function availableOf(
  ref: string,
  { id: packageId, name, version, description, icon, dependencies }: BundledPackage['manifest'],
  origin: AvailableArtifact['origin'],
  releaseNotes: string | null,
): AvailableArtifact {
  return {
    ref,
    packageId,
    name,
    version,
    dependencies,
    description: description ?? null,
    icon: icon ?? null,
    releaseNotes,
    origin,
  }
}

function requireIdentity({ id, version }: Manifest, facts: UploadFacts): void {
  const isOther =
    (facts.packageId !== undefined && facts.packageId !== id) ||
    (facts.version !== undefined && facts.version !== version)
  if (isOther) throw artifactInvalid('identity_differs', { packageId: id, version })
}

/** Problems of what an archive holds are problems of the archive. */
function asArtifact(check: () => void): void {
  try {
    check()
  } catch (error) {
    if (error instanceof PlatformError) throw artifactInvalid('manifest_invalid', error.details, error)
    throw error
  }
}

/** @throws artifact_invalid for a text that is no base64 */
function bytesOf(content: string): Buffer {
  const bytes = Buffer.from(content, 'base64')
  // The decoder passes over what is no digit, so that something is missing then. A pattern would take seconds.
  const isWhole = (text: string): boolean => {
    const digits = text.length - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0)
    return digits % 4 !== 1 && Math.floor((digits * 3) / 4) === bytes.length
  }
  if (isWhole(content) || isWhole(content.replaceAll(/\s/g, ''))) return bytes
  throw artifactInvalid('base64_damaged')
}

async function* sliced(bytes: Buffer): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 1_048_576) yield bytes.subarray(at, at + 1_048_576)
}

/** What the first bytes say the file is. */
async function formatOf(path: string): Promise<'zip' | 'tgz' | null> {
  const handle = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0)
    if (bytesRead < 4) return null
    if (buffer.readUInt32BE() === 0x504b0304) return 'zip'
    return buffer.readUInt16BE() === 0x1f8b ? 'tgz' : null
  } finally {
    await handle.close()
  }
}

async function hashOf(path: string): Promise<string> {
  const digest = createHash('sha256')
  const handle = await open(path, 'r')
  try {
    for await (const part of handle.createReadStream({ autoClose: false })) digest.update(part as Buffer)
  } finally {
    await handle.close()
  }
  return digest.digest('hex')
}

/** Removes a file; one that cannot be removed goes with the nightly job. */
async function forget(path: string): Promise<void> {
  await rm(path, { force: true }).catch(() => undefined)
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null
}

/** Makes a rename in the folder last. */
async function syncFolder(folder: string): Promise<void> {
  // Windows has no handles of folders.
  const handle = await open(folder, 'r').catch(() => null)
  if (handle === null) return
  try {
    await handle.sync()
  } catch {
    // Some file systems refuse it; the rename itself has happened.
  } finally {
    await handle.close()
  }
}
