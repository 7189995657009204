// How a command names a hub: the address of its PostgreSQL, the workspace, and the file with the operator's key.
import { randomBytes } from 'node:crypto'
import { readPrivateFile, writeFileAtomic } from '#main/kernel/atomic-file.ts'

/** Which hub a command is about. */
export interface HubChoice {
  /** `postgres://…` */
  readonly url: string
  readonly workspace: string
  /** Default: `hub.key` in the data folder. */
  readonly keyFile: string | undefined
  /** How long a leader that is silent is waited for; undefined for the usual time. */
  readonly leaseMs: number | undefined
  /** Goes on although PostgreSQL may lose what it has acknowledged. */
  readonly acceptsLoss: boolean
}

/** The options by which commands name a hub. */
export const hubOptions = {
  workspace: { type: 'string' },
  'key-file': { type: 'string' },
  lease: { type: 'string' },
  'accept-loss': { type: 'boolean' },
} as const

/** What these options say, for people. */
export const hubOptionsUsage = `  --workspace NAME  which of the workspaces in this PostgreSQL (else main)
  --key-file FILE   the key of the hub (else hub.key in the data folder)
  --lease SECONDS   how long a leader that is silent is waited for, the same on all nodes (else 3)
  --accept-loss     go on although this PostgreSQL can lose what it has acknowledged
`

/** Reads the options. @throws Error when an option makes no sense */
export function readHubChoice(
  url: string,
  given: Partial<Record<'workspace' | 'key-file' | 'lease', string | undefined>> & {
    'accept-loss'?: boolean | undefined
  },
): HubChoice {
  if (!/^postgres(ql)?:\/\//.test(url))
    throw new Error(`"${url}" is not the address of a PostgreSQL: postgres://user@host/database.`)
  const lease = given.lease === undefined ? undefined : Number(given.lease)
  if (lease !== undefined && !(lease >= 0.5 && lease <= 60)) throw new Error('A lease has 0.5 to 60 seconds.')
  return {
    url,
    workspace: given.workspace ?? 'main',
    keyFile: given['key-file'],
    leaseMs: lease === undefined ? undefined : lease * 1000,
    acceptsLoss: given['accept-loss'] ?? false,
  }
}

/** The key of a hub. @throws Error with words when the file is missing or no key */
export function readHubKey(file: string): Buffer {
  const text = readPrivateFile(file)
  if (text === undefined)
    throw new Error(
      `There is no key of the hub at ${file}. Copy hub.key from a node that has it, or name it with --key-file. Without it nobody can read what the hub keeps.`,
    )
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length !== 32) throw new Error(`The key file ${file} is damaged. Put it back from a copy.`)
  return key
}

/** Writes the key of a hub where there is none. @param key default: a new one @returns whether it was written */
export function makeHubKey(file: string, key: Buffer = randomBytes(32)): boolean {
  if (readPrivateFile(file) !== undefined) return false
  writeFileAtomic(file, `${key.toString('base64')}\n`)
  return true
}
