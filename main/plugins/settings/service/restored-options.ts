// After a restore: options that let somebody in stay as narrow as they were before it (D-420).
import type { OptionName } from '#shared/contracts/settings.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import { deleteOption, putOption, readOptions } from '../store.ts'

const hosts: OptionName = 'webhooks.allowedHosts'

/** Does nothing but at the first start after a restore, and where the state before cannot be read. */
export async function keepShut({
  options,
  read,
  write,
  clock,
}: Pick<PluginHost, 'options' | 'read' | 'write' | 'clock'>): Promise<void> {
  const before = options.restored?.read(readOptions)
  if (before == null) return
  const back = readOptions(read)
  const listed = (of: ReadonlyMap<string, unknown>): unknown[] => (of.get(hosts) ?? []) as unknown[]
  const kept: readonly (readonly [OptionName, unknown])[] = [
    ['storage.publicDownloads', before.get('storage.publicDownloads') === true && back.get('storage.publicDownloads')],
    ['packages.requireSigned', before.get('packages.requireSigned') === true || back.get('packages.requireSigned')],
    // A credential: the one of the backup may be known by now.
    ['packages.publisherToken', before.get('packages.publisherToken')],
    [hosts, listed(back).filter((host) => listed(before).includes(host))],
  ]
  await write('settings.keep-shut', (tx) => {
    for (const [name, value] of kept)
      if (value === undefined) deleteOption(tx, name)
      else putOption(tx, { name, value, at: clock.iso(), by: 'system' })
  })
}
