// Who may use a relay: a workspace is registered once with the relay's admin token and the key of the device that brings
// it; from then on its devices admit each other. Knows keys and signatures, no socket and no envelope.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Connection } from '#main/database/open.ts'
import type { FrameOf } from '#main/replication/wire/frames.ts'
import { isAdmissionSaid } from '#main/replication/wire/proofs.ts'
import type { AdmissionWord } from '#main/replication/wire/proofs.ts'
import type { RelayWorkspace } from './append-run.ts'
import { admissions } from './row-store.ts'
import type { GrantRow, WorkspaceRow } from './row-store.ts'

/** Why a device is not admitted, or its word about another one does not count. */
export type AdmissionRefusal =
  /** Nobody has registered the workspace, and no token came with the request. */
  | 'workspace_unknown'
  | 'token_invalid'
  /** The workspace is there, the device is not among its devices or was closed out. */
  | 'not_admitted'
  /** The device takes part, and its person may not read everything. */
  | 'rights'
  /** The workspace was rebuilt on one side and not on the other. */
  | 'epoch_mismatch'
  /** The word is not signed by an admitted device of this workspace. */
  | 'signature_invalid'
  /** A later word about the same device was said before. */
  | 'outdated'
  /** Without its last device nobody could use the workspace again. */
  | 'last_device'

/** A device that has proven its key and asks to be let in. */
export interface AdmissionRequest {
  readonly ws: Uint8Array
  readonly epoch: number
  readonly key: Uint8Array
  readonly token?: string
}

/** What became of a request. */
export type AdmissionVerdict =
  | { readonly ok: true; readonly workspace: RelayWorkspace; readonly isNew: boolean }
  | { readonly ok: false; readonly code: AdmissionRefusal }

/** The admission of one relay. */
export interface Admission {
  /** Lets a device in, or registers its workspace when the right token comes with it. What it writes is on the disk. */
  admit(request: AdmissionRequest): AdmissionVerdict
  /** Whether a device may use a workspace at present. */
  isAdmitted(workspace: number, key: Uint8Array): boolean
  /** Takes the word of one device about another; undefined when it counts, and is on the disk. */
  say(workspace: RelayWorkspace, word: FrameOf<AdmissionWord>): AdmissionRefusal | undefined
  /** Keys of the devices that may use a workspace. */
  devices(workspace: number): Uint8Array[]
}

/** How far a word may be ahead of the relay's clock; one that is further was said by a wrong clock, or this one was set back. */
const aheadMs = 10 * 60_000

/** The `is_revoked` of a device that was closed out because its person may not read everything. */
const narrowed = 2

/** What admission works with. */
export interface AdmissionParts {
  readonly connection: Connection
  /** SHA-256 of the admin token: the token itself is not kept. */
  readonly adminTokenHash: Uint8Array
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** The hash under which a relay keeps its admin token. */
export function hashToken(token: string): Uint8Array {
  return createHash('sha256').update(token).digest()
}

/** Makes the admission over an open file. */
export function createAdmission({ connection, adminTokenHash, now }: AdmissionParts): Admission {
  const find = connection.prepare<[Uint8Array], WorkspaceRow>(admissions.find)
  const insert = connection.prepare(admissions.insert)
  const wordOn = connection.prepare<[number, Uint8Array], GrantRow>(admissions.wordOn)
  const save = connection.prepare(admissions.save)
  const admitted = connection.prepare<[number], Buffer>(admissions.admitted).pluck()

  const isAdmitted = (workspace: number, key: Uint8Array): boolean => wordOn.get(workspace, key)?.is_revoked === 0

  const register = connection.transaction(({ ws, epoch, key }: AdmissionRequest): RelayWorkspace => {
    const at = now()
    const id = Number(insert.run(ws, epoch, at).lastInsertRowid)
    save.run(id, key, key, at, 0)
    return { id, ws: new Uint8Array(ws), epoch }
  })

  const refuse = (code: AdmissionRefusal): AdmissionVerdict => ({ ok: false, code })

  return {
    admit(request) {
      const { ws, epoch, key, token } = request
      const row = find.get(ws)
      if (row === undefined) {
        if (token === undefined) return refuse('workspace_unknown')
        if (!timingSafeEqual(hashToken(token), adminTokenHash)) return refuse('token_invalid')
        return { ok: true, workspace: register.immediate(request), isNew: true }
      }
      const word = wordOn.get(row.id, key)?.is_revoked
      if (word !== 0) return refuse(word === narrowed ? 'rights' : 'not_admitted')
      if (row.epoch !== epoch) return refuse('epoch_mismatch')
      return { ok: true, workspace: { id: row.id, ws: new Uint8Array(ws), epoch }, isNew: false }
    },
    isAdmitted,
    say({ id, ws }, word) {
      if (!isAdmitted(id, word.by) || !isAdmissionSaid(ws, word)) return 'signature_invalid'
      const isRevoked = word.kind !== 'GRANT'
      const earlier = wordOn.get(id, word.key)
      const time = now()
      // What a wrong clock said must not hold for years: every word of these minutes is later, and it lets nobody in again.
      const since = earlier === undefined || earlier.at <= time + aheadMs ? earlier?.at : time - aheadMs
      if (!isRevoked && word.at > time + aheadMs) return 'outdated'
      // Of two words of the same moment the closing one counts: then no order of arrival lets a device in.
      const isOutdated =
        earlier !== undefined &&
        since !== undefined &&
        (word.at < since || (word.at === since && !isRevoked && earlier.is_revoked !== 0))
      if (isOutdated) return 'outdated'
      if (isRevoked && isAdmitted(id, word.key) && admitted.all(id).length === 1) return 'last_device'
      // What the REVOKE is for was said just before it.
      const isWhy = word.kind === 'NARROW' || (earlier?.at === word.at && earlier.is_revoked === narrowed)
      save.run(id, word.key, word.by, word.at, !isRevoked ? 0 : isWhy ? narrowed : 1)
      return undefined
    },
    devices: (workspace) => admitted.all(workspace).map((key) => new Uint8Array(key)),
  }
}
