// A file as entries of a register: `file` says what it is and never changes, `gone` that it was deleted, or null where a
// machine has brought it back. Pure.
import { z } from 'zod'
import { storageLimits, storageScopes } from '#shared/contracts/storage.ts'
import type { TravellingFile } from '#main/plugins/storage/api.ts'
import type { Register } from '#main/replication/core/register.ts'
import type { Json } from '#main/replication/core/types.ts'

/** The key of what a file is. */
export const FILE_KEY = 'file'

/** The key of its deletion. */
export const GONE_KEY = 'gone'

const text = (max: number): z.ZodString => z.string().max(max)
const File = z.object({
  organizationId: text(200).nullable(),
  scope: z.enum(storageScopes),
  bucket: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,62}$/),
  name: z.string().min(1).max(1_024),
  extension: z.string().regex(/^[A-Za-z0-9]{0,20}$/),
  mimeType: text(300),
  size: z.int().min(0).max(storageLimits.chunkedBytes),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  metadata: z.record(z.string(), z.unknown()),
  createdBy: text(200),
  createdAt: z.int().min(0).max(8.64e15),
  home: text(64),
})
const Gone = z.object({ at: text(40), force: z.boolean(), seen: z.record(z.string(), z.string()).optional() })

/** A file as its document says it. */
export interface SaidFile {
  /** Null for one no version writes so. */
  readonly file: TravellingFile | null
  /** Null while it is there. */
  readonly gone: {
    readonly force: boolean
    /** Of a forced one: the last stamp of each incarnation that was seen, as `ms.ctr`. */
    readonly seen?: Readonly<Record<string, string>> | undefined
  } | null
}

/** The entry of a file that was uploaded on a machine. */
export function fileEntry({ id: _id, home, ...file }: TravellingFile, device: string): Json {
  return JSON.parse(JSON.stringify({ ...file, home: home ?? device })) as Json
}

/** What a document says of a file. */
export function saidFile(id: string, register: Register): SaidFile {
  const file = File.safeParse(register.get(FILE_KEY)?.winner[1]).data
  const gone = Gone.safeParse(register.get(GONE_KEY)?.winner[1]).data
  return { file: file === undefined ? null : { id, ...file }, gone: gone ?? null }
}
