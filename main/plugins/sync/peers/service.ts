// The door to everything about peers: small enough for a host that does not take part, which loads nothing behind it
// until somebody asks. Knows no HTTP.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { AuthService } from '#main/plugins/auth/api.ts'
import type { BackupService } from '#main/plugins/backup/api.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { FeedService } from '#main/plugins/feed/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { StorageService } from '#main/plugins/storage/api.ts'
import type { WorkflowService } from '#main/plugins/workflow/api.ts'
import type { Conflicts } from '../conflicts/register-conflicts.ts'
import type { LiveTexts } from '../service.ts'
import { isTakingPart } from '../store/log-store.ts'
import { readWorkspace, sidecarName } from './workspace-store.ts'
import type { Control } from './control.ts'
import { statusOf } from './status.ts'

/** What everything behind the door works with. */
export interface WingParts {
  readonly host: PluginHost
  readonly data: DataService
  readonly metadata: MetadataService
  auth(): AuthService | undefined
  backup(): BackupService | undefined
  feed(): FeedService | undefined
  workflow(): WorkflowService | undefined
  storage(): StorageService | undefined
  readonly conflicts: Conflicts
  readonly texts: Pick<LiveTexts, 'share'>
  /** Hears that machines, or what they do, may have changed. */
  machinesChanged(): void
}

/** This machine among its peers. */
export type Peers = ReturnType<typeof createPeers>

/** Makes the door. */
export function createPeers(parts: WingParts) {
  let loading: Promise<Control> | undefined
  let loaded: Control | undefined

  const control = (): Promise<Control> =>
    (loading ??= import('./control.ts').then(({ createControl }) => (loaded = createControl(parts))))

  return {
    /** Goes on where sync was on when the host stopped; to be awaited before the first write of anybody. */
    async start() {
      const { dataDir, databaseOrigin } = parts.host.options
      const sidecar = join(dataDir, sidecarName)
      // Also while sync is off: the next start finds the database as this one leaves it.
      if (databaseOrigin !== 'left' && existsSync(sidecar)) {
        const { doubtSidecar } = await import('#main/replication/channel/incarnation-file.ts')
        doubtSidecar(sidecar, databaseOrigin)
      }
      if (parts.host.options.restored !== undefined) {
        const { noteUnpaired } = await import('./unpaired-since.ts')
        await noteUnpaired(parts.host)
      }
      if (isTakingPart(parts.host.read)) await (await control()).resume()
    },
    status: () => loaded?.status() ?? statusOf('off', undefined, undefined),
    /** Everything else, loaded at the first call. */
    control,
    /** The same as far as it is loaded. */
    loaded: () => loaded,
    /** The machine while it takes part. */
    running: () => loaded?.running() ?? null,
    /** {@link SyncService.sharedUntil} */
    async sharedUntil(): Promise<string | null> {
      const { read, log } = parts.host
      const running = loaded?.running()
      if (running) return running.sharedUntil()
      const stored = readWorkspace(read)
      if (stored === null) return null
      const { createRoster } = await import('./roster.ts')
      const { device, devices } = createRoster({ read, log, known: stored.known })
      const others = devices().filter((one) => one.device !== stored.device && one.revokedAt === null)
      return others.length === 0 || device(stored.device)?.revokedAt !== null ? null : ''
    },
    async stop() {
      await (await loading)?.stop()
    },
  }
}
