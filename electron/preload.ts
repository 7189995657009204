// Runs in the sandbox before the page and exposes shared/ipc.ts to it, and nothing else.
import { contextBridge, ipcRenderer } from 'electron'
import { ipcChannels } from '#shared/ipc.ts'
import type { CairnBridge, ShellConnection } from '#shared/ipc.ts'

const bridge: CairnBridge = {
  getConnection: () => ipcRenderer.invoke(ipcChannels.getConnection) as Promise<ShellConnection>,
  sayUnsent: (count) => ipcRenderer.invoke(ipcChannels.sayUnsent, count) as Promise<void>,
}

contextBridge.exposeInMainWorld('cairn', bridge)
