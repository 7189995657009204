// Before anything is known of the log: what of it nobody would take under its number goes on as changes of this machine.
import type { PluginHost } from '#main/kernel/plugin.ts'
import { createDigest } from '#main/replication/core/digest.ts'
import type { Signer } from '#main/replication/wire/device-key.ts'
import { readIncarnation, readIncarnations } from '../store/log-store.ts'
import { packGenesis, unpackGenesis } from '../write/genesis-body.ts'
import type { DraftBody } from '../write/own-log.ts'
import { createOwnLog } from '../write/own-log.ts'
import { reissueBehind, reissueUnsigned } from '../write/unsigned-tail.ts'
import { createLogState } from './log-state.ts'
import type { Devices, Disputed } from './replica.ts'

/** What it works with. */
export interface ReissueParts {
  readonly host: Pick<PluginHost, 'read' | 'write' | 'log'>
  readonly devices: Devices
  readonly workspace: Uint8Array
  readonly epoch: number
  readonly own: { readonly device: string; readonly inc: number; readonly signer: Signer }
  readonly disputed?: Disputed | undefined
}

/** Writes anew what lies behind the last end of each log that others take. */
export async function reissueLogs(parts: ReissueParts): Promise<void> {
  const { host, devices, workspace, epoch, own, disputed } = parts
  const me = devices.find(own.device)
  const append = createOwnLog({ workspace, epoch, ...own, state: createLogState([], createDigest().bytes()) })
  const rows = readIncarnations(host.read)
  if (rows.some((row) => row.device !== own.device && row.headSeq < row.storedSeq)) {
    const count = await host.write('sync.reissue', (tx) => reissueUnsigned(tx, own.device, append))
    host.log.warn(
      { count, inc: own.inc },
      'Changes in a copy of a database that its writer did not sign go on as changes of this machine.',
    )
  }
  if (disputed !== undefined && disputed.inc !== own.inc) {
    const { inc, common } = disputed
    const count = await host.write('sync.reissue', (tx) => {
      const row = readIncarnation(tx, inc)
      return row === undefined ? 0 : reissueBehind(tx, row, common, append)
    })
    host.log.warn({ count, inc, now: own.inc }, 'Others have another log under the number of this machine.')
  }
  // An administrator's machine says instead that it counts.
  if (me?.role !== 'member' || me.isRevoked) return
  for (const { device, inc } of rows) {
    const writer = devices.find(device)
    const counts = writer?.seen?.[inc] ?? 0
    if (writer?.isRevoked !== true || device === own.device) continue
    const count = await host.write('sync.reissue', (tx) => {
      const row = readIncarnation(tx, inc)
      return row === undefined || row.storedSeq <= counts
        ? 0
        : reissueBehind(tx, row, counts, append, inNameOf(me.user))
    })
    if (count > 0)
      host.log.info({ count, inc, now: own.inc }, 'What came of an unpaired machine goes on as changes here.')
  }
}

/** What a person took over: theirs to answer for. What machines say of each other is not. */
function inNameOf(author: string): (draft: DraftBody) => DraftBody | null {
  return (draft) => {
    if (draft.kind === 'control') return null
    if (draft.kind !== 'genesis') return { ...draft, author }
    const docs = unpackGenesis(draft.update).map((doc) => ({ ...doc, author }))
    return { ...draft, author, update: packGenesis(docs) }
  }
}
