// The words between the desktop shell and its window: channel names and what crosses them. Nothing else crosses.

/** Channels by the name of the bridge's member. */
export const ipcChannels = {
  getConnection: 'cairn:get-connection',
  sayUnsent: 'cairn:say-unsent',
} as const

/** Where the host listens and what authorises calls to it. */
export interface ShellConnection {
  /** Origin without trailing slash. */
  readonly url: string
  /** The connection token of D-29. */
  readonly token: string
  /** The API prefix; absent for the default one. */
  readonly prefix?: string
}

/** What the preload puts on the page as `window.cairn`. */
export interface CairnBridge {
  /** Resolves when the host answers; asks anew each time, because a restarted host has another token. */
  getConnection(): Promise<ShellConnection>
  /** Tells how many changes are on this machine only; the shell asks before it closes the window while there are some. */
  sayUnsent(count: number): Promise<void>
}
