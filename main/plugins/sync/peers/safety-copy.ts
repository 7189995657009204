// The backup before others take part (requirement R3): when one is made, and when the one before will do.
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { BackupService } from '#main/plugins/backup/api.ts'

/** What the backups are made with. */
export interface SafetyCopyParts {
  readonly host: Pick<PluginHost, 'database' | 'clock'>
  backup(): BackupService | undefined
}

/** How old a backup may be before an invite to a workspace that has others already. */
const youngMs = 60 * 60_000

/**
 * Makes what makes the backups. Where nothing was written since the one before, that one will do.
 * @returns a function; `mayBeOlder`: one of the last hour will do, too
 */
export function createSafetyCopies({ host, backup }: SafetyCopyParts): (mayBeOlder: boolean) => Promise<void> {
  let last: { readonly id: string; readonly version: number } | undefined
  return async (mayBeOlder) => {
    const service = backup()
    if (service === undefined) return
    const found = service.list().filter(({ kind }) => kind === 'pairing')
    const version = host.database.version()
    const isSame = last?.version === version && found.some(({ id }) => id === last?.id)
    const isYoung = mayBeOlder && found.some(({ createdAt }) => host.clock.now() - Date.parse(createdAt) < youngMs)
    if (isSame || isYoung) return
    const { id } = await service.create('pairing', 'Before other machines take part')
    last = { id, version }
  }
}
