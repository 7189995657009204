// The only user of ipcMain: answers the calls of shared/ipc.ts, and none that does not come from our own page.
import { ipcMain } from 'electron'
import type { IpcMainInvokeEvent } from 'electron'
import { ipcChannels } from '#shared/ipc.ts'
import type { CairnBridge } from '#shared/ipc.ts'
import { isTrustedFrame } from './security.ts'

/** Registers the handlers; a call from any other frame is refused before the handler runs. */
export function registerIpc(handlers: CairnBridge): void {
  for (const name of Object.keys(ipcChannels) as (keyof CairnBridge)[]) {
    ipcMain.handle(ipcChannels[name], (event: IpcMainInvokeEvent, given?: unknown) => {
      if (!isTrustedFrame(event.senderFrame)) throw new Error('This page may not call the shell.')
      if (name === 'getConnection') return handlers.getConnection()
      if (!Number.isSafeInteger(given) || (given as number) < 0) throw new Error('This is not a count.')
      return handlers.sayUnsent(given as number)
    })
  }
}
