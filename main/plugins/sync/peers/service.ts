// The door to everything about peers: small enough for a host that does not take part, which loads nothing behind it
// until somebody asks. Knows no HTTP.
import { statement } from '#main/kernel/database.ts'
import type { Control, ControlParts } from './control.ts'
import { offStatus } from './off-status.ts'
import type { StatusView } from './status.ts'

/** This machine among its peers. */
export interface Peers {
  /** Goes on where sync was on when the host stopped; to be awaited before the first write of anybody. */
  start(): Promise<void>
  /** Whether this machine takes part now. */
  isOn(): boolean
  status(): StatusView
  /** Everything else, loaded at the first call. */
  control(): Promise<Control>
  /** The same as far as it is loaded. */
  loaded(): Control | undefined
  stop(): Promise<void>
}

/** Makes the door. */
export function createPeers(parts: ControlParts): Peers {
  let loading: Promise<Control> | undefined
  let loaded: Control | undefined

  const control = (): Promise<Control> => {
    loading ??= import('./control.ts').then(({ createControl }) => (loaded = createControl(parts)))
    return loading
  }

  return {
    async start() {
      const row = parts.host.read.get(statement("SELECT 1 FROM sync_workspace WHERE state = 'on' AND length(ws) > 0"))
      if (row !== undefined) await (await control()).resume()
    },
    isOn: () => loaded?.running() !== undefined && loaded?.running() !== null,
    status: () => loaded?.status() ?? offStatus(),
    control,
    loaded: () => loaded,
    async stop() {
      await (await loading)?.stop()
    },
  }
}
