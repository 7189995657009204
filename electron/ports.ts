// Electron's versions of the host's ports: child processes, secrets, notices and opening things outside. The host does
// not know that it runs here.
import { existsSync, statSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { Notification, safeStorage, shell, utilityProcess } from 'electron'
import type { KillableChild, Notifier, Opener, Ports, ProcessSpawner, SecretStore } from '#main/index.ts'
import { isOpenable } from './security.ts'

/**
 * Starts children as utility processes, because the packaged program cannot run as plain Node. The bootstrap gives the
 * entry file the same channel it has under Node.
 * @param bootstrap path of the bundled child-bootstrap.ts
 */
export function createUtilitySpawner(bootstrap: string): ProcessSpawner {
  return (entryFile, { name, args = [] }): KillableChild => {
    const child = utilityProcess.fork(bootstrap, [entryFile, ...args], {
      serviceName: name,
      env: startEnvironment(),
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    return {
      get pid() {
        return child.pid
      },
      send: (message) => {
        child.postMessage(message)
      },
      onMessage: (listener) => {
        child.on('message', listener)
      },
      onExit: (listener) => {
        child.on('exit', listener)
      },
      kill: () => {
        // `kill()` of a utility process asks politely, and a query that holds the thread would not hear it.
        if (child.pid !== undefined) killNow(child.pid)
      },
    }
  }
}

/** What a process needs to start; secrets in the environment stay with the shell. */
function startEnvironment(): Record<string, string> {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'LANG', 'TZ']
  return Object.fromEntries(
    kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // it ended by itself a moment ago
  }
}

/**
 * The system's key store; undefined where there is none, and on Linux without a keyring, where "encrypted" would mean
 * a key everybody knows: the host then keeps its own key file, and says so.
 */
export async function openSecretStore(): Promise<SecretStore | undefined> {
  if (process.platform === 'linux' && ['basic_text', 'unknown'].includes(safeStorage.getSelectedStorageBackend())) {
    return undefined
  }
  if (!(await safeStorage.isAsyncEncryptionAvailable())) return undefined
  return {
    backend: 'os',
    seal: async (plain) => (await safeStorage.encryptStringAsync(plain)).toString('base64'),
    open: async (sealed) => (await safeStorage.decryptStringAsync(Buffer.from(sealed, 'base64'))).result,
  }
}

/** Raises notices of the operating system; a click calls `onClick` with the notice's address. */
export function createNotifier(onClick: (actionUrl: string | undefined) => void): Notifier {
  return ({ title, body, actionUrl }) => {
    if (!Notification.isSupported()) return
    const notice = new Notification({ title, body })
    notice.on('click', () => {
      onClick(actionUrl)
    })
    notice.show()
  }
}

/** Opens https pages in the browser and existing folders in the file manager; everything else is left alone. */
export const openOutside: Opener = (target) => {
  if (isOpenable(target)) void shell.openExternal(target)
  else if (isAbsolute(target) && existsSync(target) && statSync(target).isDirectory()) void shell.openPath(target)
}

/** All ports of the shell; call it when the program is ready, the key store is not there before. */
export async function createPorts(options: {
  bootstrap: string
  onNotice: (actionUrl: string | undefined) => void
}): Promise<Partial<Ports>> {
  const secrets = await openSecretStore()
  return {
    spawn: createUtilitySpawner(options.bootstrap),
    notify: createNotifier(options.onNotice),
    open: openOutside,
    ...(secrets ? { secrets } : {}),
  }
}
