// How this machine begins to take part: its keys, the number it writes under, and the row that says so, in the order in
// which a crash does no harm. Knows no connection.
import { join } from 'node:path'
import type { PluginHost } from '#main/kernel/plugin.ts'
import { statement } from '#main/kernel/database.ts'
import type { DeviceKeys } from '#main/replication/channel/device-keys.ts'
import { loadDeviceKeys } from '#main/replication/channel/device-keys.ts'
import type { Incarnation } from '#main/replication/channel/incarnation-file.ts'
import { openIncarnation } from '#main/replication/channel/incarnation-file.ts'
import type { StoredWorkspace } from './workspace-store.ts'
import { putWorkspace } from './workspace-store.ts'

type Host = Pick<PluginHost, 'read' | 'write' | 'clock' | 'secrets' | 'options' | 'log'>

/** The file with the keys of this machine, in the data folder. */
export const keysFile = 'sync-device.json'

/** The sidecar of the incarnation, beside the database. */
export const sidecarFile = 'sync-incarnation.json'

/** The keys of this machine; made where there are none. @throws DeviceKeysUnreadable */
export function loadKeys({ options, secrets }: Host): Promise<DeviceKeys> {
  return loadDeviceKeys(join(options.dataDir, keysFile), secrets)
}

/**
 * Opens the incarnation this start writes under and stores it with the workspace, before anything is written or sent.
 * @param before the row as it is; null for a workspace this machine did not belong to
 */
export async function beginToWrite(
  host: Host,
  keys: DeviceKeys,
  workspace: Omit<StoredWorkspace, 'device' | 'inc' | 'bootCounter'>,
  before: StoredWorkspace | null,
): Promise<{ readonly incarnation: Incarnation; readonly workspace: StoredWorkspace }> {
  const { read, write, options, log } = host
  const storedSeq = (inc: number): number | undefined =>
    read.get(statement<{ seq: number }>('SELECT stored_seq AS seq FROM sync_inc WHERE inc = ?', [inc]))?.seq
  const incarnation = openIncarnation({
    file: join(options.dataDir, sidecarFile),
    databaseFile: join(options.dataDir, 'cairn.db'),
    now: host.clock.iso(),
    device: keys.device,
    database:
      before === null
        ? undefined
        : {
            device: before.device,
            inc: before.inc,
            bootCounter: before.bootCounter,
            lastSeq: storedSeq(before.inc) ?? 0,
          },
    isTaken: (inc) => storedSeq(inc) !== undefined,
  })
  const { inc, bootCounter, reason, lostTail } = incarnation
  if (reason === 'database_copied' || (reason === 'database_older' && before !== null))
    log.warn(
      { inc, reason, lostTail },
      'A copy of the data folder was put in its place. This machine writes a log anew, and gets back what the copy lacks.',
    )
  else if (reason !== undefined && before !== null)
    log.info({ inc, reason, lostTail }, 'This machine writes a log anew.')
  const stored: StoredWorkspace = { ...workspace, device: keys.device, inc, bootCounter }
  await write('sync.begin', (tx) => putWorkspace(tx, stored))
  return { incarnation, workspace: stored }
}
