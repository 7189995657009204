// The host as the shell sees it: starts it, starts it again when it asks for that, stops it. The one file that would
// change if the host moved into a process of its own.
import { setTimeout as sleep } from 'node:timers/promises'
import { DataDirInUse, readConnectionFile, startHost, verifyHost } from '#main/index.ts'
import type { HostOptions, RunningHost } from '#main/index.ts'
import type { ShellConnection } from '#shared/ipc.ts'

/** The host of this program, or the one that already serves the data folder. */
export interface HostKeeper {
  /** Resolves when a host answers; after a restart of the host it resolves to the new one. */
  connection(): Promise<ShellConnection>
  /** Ends our host after its last write is on disk; a host of another process is left alone. */
  stop(): Promise<void>
}

/** How often and how long a host that holds the folder is asked who it is: it may just be starting. */
const attachAttempts = 30
const attachPauseMs = 100

/**
 * Connects to a host of another process. The token is given to nobody before that host proved that it knows it, so a
 * stranger on the port gets nothing.
 * @throws Error when whoever holds the folder does not prove to be Cairn
 */
async function attach(dataDir: string): Promise<ShellConnection> {
  for (let attempt = 0; attempt < attachAttempts; attempt++) {
    const connection = readConnectionFile(dataDir)
    if (connection !== undefined && (await verifyHost(connection))) {
      return shellConnection(connection)
    }
    await sleep(attachPauseMs)
  }
  throw new Error(`Another program holds the data folder ${dataDir} and does not answer as Cairn.`)
}

function shellConnection({ url, token, prefix }: ShellConnection): ShellConnection {
  return { url, token, ...(prefix === undefined ? {} : { prefix }) }
}

/**
 * Starts the host at once.
 * @param onFailure called when no host could be started or reached, also at a later restart
 */
export function keepHost(options: HostOptions, onFailure: (error: Error) => void): HostKeeper {
  let own: RunningHost | undefined
  let stopping = false

  const start = async (): Promise<ShellConnection> => {
    try {
      own = await startHost(options)
    } catch (error) {
      if (error instanceof DataDirInUse) return attach(options.dataDir)
      throw error
    }
    void own.stopped.then((reason) => {
      own = undefined
      if (reason === 'restart' && !stopping) begin()
    })
    return shellConnection(own)
  }

  let current: Promise<ShellConnection>
  const begin = (): void => {
    current = start()
    current.catch((error: unknown) => {
      onFailure(error instanceof Error ? error : new Error(String(error)))
    })
  }
  begin()

  return {
    connection: () => current,
    stop: async () => {
      stopping = true
      await current.catch(() => undefined)
      await own?.stop()
    },
  }
}
