// After a restore: a machine that was unpaired since the backup was made stays unpaired (D-410).
import { internalContext } from '#main/kernel/context.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { DocWriter } from '../engine/docs.ts'
import type { Roster } from './roster.ts'
import { createRoster } from './roster.ts'
import { forgetNoted, hasNotes, putNoted, readNoted } from './unpaired-store.ts'
import { readWorkspace } from './workspace-store.ts'

/**
 * Notes who was unpaired, at the first start after a restore, whether or not sync is on: the state before can be read then
 * and never again.
 */
export async function noteUnpaired({
  options,
  log,
  read,
  write,
}: Pick<PluginHost, 'options' | 'log' | 'read' | 'write'>): Promise<void> {
  const workspace = readWorkspace(read)
  if (options.restored === undefined || workspace === null) return
  const gone = options.restored.read((before) => {
    const stored = readWorkspace(before)
    // What was joined since is nothing of the backup's.
    if (stored === null || Buffer.compare(stored.workspace, workspace.workspace) !== 0) return []
    const devices = createRoster({ read: before, log, known: stored.known }).devices()
    return [...(hasNotes(before) ? readNoted(before) : []), ...devices.filter(({ revokedAt }) => revokedAt !== null)]
  })
  if (gone === null || gone.length === 0) return
  await write('sync.note-unpaired', (tx) => {
    for (const one of gone) putNoted(tx, one)
  })
}

/** Writes into the roster what was noted. Before anybody is let in; only an administrator's machine can. */
export async function keepUnpaired(
  { ids, read, write }: Pick<PluginHost, 'ids' | 'read' | 'write'>,
  roster: Roster,
  { docs, device }: { readonly docs: DocWriter; readonly device: string },
): Promise<void> {
  const noted = readNoted(read)
  if (noted.length === 0) return
  const gone = noted.filter((one) => one.device !== device && roster.device(one.device)?.revokedAt === null)
  await write('sync.keep-unpaired', (tx) => {
    if (gone.length > 0 && roster.isAdmin(device)) roster.putUnpaired(tx, internalContext(ids.uuid()), docs, gone)
    forgetNoted(tx)
  })
}
