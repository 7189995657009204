// After a restore: where things are sent, and who may call, is as it was before it (D-420).
import type { PluginHost } from '#main/kernel/plugin.ts'
import { putReceiver, putWebhook, readReceivers, readWebhooks } from '../store.ts'

/** What only the backup has is switched off. Does nothing where no restore went before, or its state cannot be read. */
export async function keepDoors({ options, write }: Pick<PluginHost, 'options' | 'write'>): Promise<void> {
  const before = options.restored?.read((at) => ({ webhooks: readWebhooks(at), receivers: readReceivers(at) }))
  if (before == null) return
  const paths = new Set(before.receivers.map(({ path }) => path))
  await write('webhooks.keep-doors', (tx) => {
    for (const row of kept(readWebhooks(tx), before.webhooks)) putWebhook(tx, row)
    const receivers = kept(readReceivers(tx), before.receivers)
    // Paths may have gone from one to another: they are free before they are given.
    for (const row of receivers) putReceiver(tx, { ...row, path: row.id })
    for (const row of receivers) if (before.receivers.includes(row) || !paths.has(row.path)) putReceiver(tx, row)
  })
}

function kept<T extends { readonly id: string; readonly definition: string }>(
  back: readonly T[],
  before: readonly T[],
): T[] {
  const off = (definition: string): string => JSON.stringify({ ...(JSON.parse(definition) as object), isActive: false })
  return back.map((row) => before.find(({ id }) => id === row.id) ?? { ...row, definition: off(row.definition) })
}
