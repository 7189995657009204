// The only user of ipcMain: answers the calls of shared/ipc.ts, and none that does not come from our own page.
import { ipcMain } from 'electron'
import type { IpcMainInvokeEvent } from 'electron'
import { ipcChannels } from '#shared/ipc.ts'
import type { ShellCalls } from '#shared/ipc.ts'
import { readCommands, readCount, readLanguage, readNotice } from './ipc-words.ts'
import { isTrustedFrame } from './security.ts'

/** Registers the handlers; a call from any other frame is refused before the handler runs. */
export function registerIpc(handlers: ShellCalls): void {
  const answers: Record<keyof ShellCalls, (given: unknown) => unknown> = {
    getConnection: () => handlers.getConnection(),
    sayUnsent: (given) => handlers.sayUnsent(readCount(given)),
    sayCommands: (given) => handlers.sayCommands(readCommands(given)),
    sayLanguage: (given) => handlers.sayLanguage(readLanguage(given)),
    notify: (given) => handlers.notify(readNotice(given)),
    takeFile: () => handlers.takeFile(),
  }
  for (const name of Object.keys(answers) as (keyof ShellCalls)[]) {
    ipcMain.handle(ipcChannels[name], (event: IpcMainInvokeEvent, given?: unknown) => {
      if (!isTrustedFrame(event.senderFrame)) throw new Error('This page may not call the shell.')
      return answers[name](given)
    })
  }
}
