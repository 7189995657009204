// Runs in the sandbox before the page and exposes shared/ipc.ts to it, and nothing else.
import { contextBridge, ipcRenderer } from 'electron'
import { ipcChannels, shellEvents } from '#shared/ipc.ts'
import type { CairnBridge, OpenedFile, ShellConnection } from '#shared/ipc.ts'

/** The event's sender stays here: through it a page could reach every channel. */
function listen(channel: string, listener: (told: unknown) => void): () => void {
  const heard = (_event: unknown, told: unknown): void => listener(told)
  ipcRenderer.on(channel, heard)
  return () => {
    ipcRenderer.removeListener(channel, heard)
  }
}

const bridge: CairnBridge = {
  getConnection: () => ipcRenderer.invoke(ipcChannels.getConnection) as Promise<ShellConnection>,
  sayUnsent: (count) => ipcRenderer.invoke(ipcChannels.sayUnsent, count) as Promise<void>,
  sayCommands: (commands) => ipcRenderer.invoke(ipcChannels.sayCommands, commands) as Promise<void>,
  sayLanguage: (tag) => ipcRenderer.invoke(ipcChannels.sayLanguage, tag) as Promise<void>,
  notify: (notice) => ipcRenderer.invoke(ipcChannels.notify, notice) as Promise<void>,
  takeFile: () => ipcRenderer.invoke(ipcChannels.takeFile) as Promise<OpenedFile | null>,
  onCommand: (listener) => listen(shellEvents.command, (id) => listener(String(id))),
  onFile: (listener) => listen(shellEvents.file, () => listener()),
}

contextBridge.exposeInMainWorld('cairn', bridge)
