// After a restore: who may get in, and how, is as it was before it; a backup brings data back, no key that was revoked since
// (D-410).
import { localOwnerId } from '#main/kernel/context.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import { endFleeting, putAccountRows, readAccountRows } from './restored-accounts-store.ts'

const reason = 'Removed before a backup was restored.'

/**
 * Does nothing but at the first start after a restore. Where the state before cannot be read, or not be carried over, what
 * opens without a password or a key ends: sessions, links, codes and tokens.
 */
export async function keepAccounts({
  options,
  write,
  log,
}: Pick<PluginHost, 'options' | 'write' | 'log'>): Promise<void> {
  const rows = options.restored?.read(readAccountRows)
  if (rows === undefined) return
  try {
    if (rows !== null) {
      await write('auth.keep-accounts', (tx) => putAccountRows(tx, rows, localOwnerId, reason))
      return
    }
  } catch (error) {
    log.error({ err: error }, 'The accounts from before the restore could not be carried over.')
  }
  log.warn('What was revoked since the backup holds again; sessions, links and codes of it do not.')
  await write('auth.end-sessions', (tx) => endFleeting(tx))
}
