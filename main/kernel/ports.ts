// Interfaces to the machine around the host; the desktop shell brings its own implementations.
import type { ChildProcess } from 'node:child_process'

/** A child process that can be killed at once. */
export interface KillableChild {
  readonly pid: number | undefined
  send(message: unknown): void
  onMessage(listener: (message: unknown) => void): void
  onExit(listener: (code: number | null) => void): void
  /** SIGKILL; returns when the signal is sent. */
  kill(): void
}

/** Starts an entry file of `main/workers` as a killable child process. */
export type ProcessSpawner = (entryFile: string, options: { name: string; args?: readonly string[] }) => KillableChild

/** Seals small secrets at rest. */
export interface SecretStore {
  /** How the key is kept: `os` in the system's key store, `file` beside the settings with mode 0600. */
  readonly backend: 'os' | 'file'
  seal(plain: string): Promise<string>
  open(sealed: string): Promise<string>
}

/** Raises a notice of the operating system. */
export type Notifier = (notice: { title: string; body: string; actionUrl?: string }) => void

/** Opens an address or a folder in the program the person has chosen for it. */
export type Opener = (target: string) => void

/** Everything the host asks of its surroundings. */
export interface Ports {
  readonly spawn: ProcessSpawner
  readonly secrets: SecretStore
  readonly notify: Notifier
  readonly open: Opener
}

/**
 * Wraps a Node child process, as the headless spawner and tests use it. A message to a child that has just ended is
 * dropped, and a child the system could not start ends with null: neither is an error of the host, which would end by it.
 */
export function wrapChild(child: ChildProcess): KillableChild {
  // Without a listener Node throws what could neither be sent nor started.
  child.on('error', () => undefined)
  return {
    get pid() {
      return child.pid
    },
    send: (message) => {
      if (child.connected) child.send(message as Parameters<ChildProcess['send']>[0])
    },
    onMessage: (listener) => {
      child.on('message', listener)
    },
    onExit: (listener) => {
      child.on('exit', listener)
      // One that never started has no exit.
      if (child.pid === undefined) child.once('error', () => listener(null))
    },
    kill: () => {
      child.kill('SIGKILL')
    },
  }
}
