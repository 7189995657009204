// The words between the desktop shell and its window: channel names and what crosses them. Nothing else crosses.

/** Channels by the name of the bridge's member; the page calls, the shell answers. */
export const ipcChannels = {
  getConnection: 'cairn:get-connection',
  sayUnsent: 'cairn:say-unsent',
  sayCommands: 'cairn:say-commands',
  sayLanguage: 'cairn:say-language',
  notify: 'cairn:notify',
  takeFile: 'cairn:take-file',
} as const

/** Channels by which the shell tells its page something. */
export const shellEvents = {
  command: 'cairn:command',
  file: 'cairn:file',
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

/** One action of the screens, as the menu shows it. */
export interface ShellCommand {
  readonly id: string
  readonly label: string
  readonly group: 'general' | 'navigation' | 'records'
  /** In the notation of the screens, for example `Mod+K` or `G O`; absent without keys. */
  readonly shortcut?: string
  readonly enabled: boolean
}

/** A notice of the operating system. */
export interface ShellNotice {
  readonly title: string
  readonly body: string
}

/** A file somebody opened with the program. */
export interface OpenedFile {
  /** Without its folder. */
  readonly name: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** What the preload puts on the page as `window.cairn`. */
export interface CairnBridge {
  /** Resolves when the host answers; asks anew each time, because a restarted host has another token. */
  getConnection(): Promise<ShellConnection>
  /** Tells how many changes are on this machine only; the shell asks before it closes the window while there are some. */
  sayUnsent(count: number): Promise<void>
  /** Tells the commands there are now; the menu shows them. */
  sayCommands(commands: readonly ShellCommand[]): Promise<void>
  /** Tells which language the screens speak, for example `de`; menu, tray and questions follow. */
  sayLanguage(tag: string): Promise<void>
  /** Raises a notice of the operating system, unless the window has the focus or notices are switched off. */
  notify(notice: ShellNotice): Promise<void>
  /** The file that waits to be shown, once; null when none waits. */
  takeFile(): Promise<OpenedFile | null>
  /** Calls back with the id of a command that was chosen in the menu; the answer ends it. */
  onCommand(listener: (id: string) => void): () => void
  /** Calls back when a file waits; the answer ends it. */
  onFile(listener: () => void): () => void
}

/** The members of the bridge that call the shell. */
export type ShellCalls = Pick<CairnBridge, keyof typeof ipcChannels>
