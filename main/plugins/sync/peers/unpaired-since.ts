// After a restore: a machine that was unpaired since the backup was made stays unpaired (D-410).
import { internalContext } from '#main/kernel/context.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { DocWriter } from '../engine/docs.ts'
import type { Roster } from './roster.ts'
import { createRoster } from './roster.ts'
import type { StoredWorkspace } from './workspace-store.ts'
import { readWorkspace } from './workspace-store.ts'

/** Does nothing but at the first start after a restore. Before anybody is let in; only an administrator's machine can. */
export async function keepUnpaired(
  { options, ids, log, write }: Pick<PluginHost, 'options' | 'ids' | 'log' | 'write'>,
  roster: Roster,
  {
    docs,
    device,
    workspace,
  }: { readonly docs: DocWriter; readonly device: string; readonly workspace: StoredWorkspace },
): Promise<void> {
  if (options.restored === undefined || !roster.isAdmin(device)) return
  const before = options.restored.read((read) => {
    const stored = readWorkspace(read)
    // What was joined since is nothing of the backup's.
    if (stored === null || Buffer.compare(stored.workspace, workspace.workspace) !== 0) return []
    return createRoster({ read, log, known: stored.known }).devices()
  })
  const gone = (before ?? []).filter(
    (one) => one.revokedAt !== null && roster.device(one.device)?.revokedAt === null && one.device !== device,
  )
  if (gone.length === 0) return
  await write('sync.keep-unpaired', (tx) => roster.putUnpaired(tx, internalContext(ids.uuid()), docs, gone))
}
