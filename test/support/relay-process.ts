// A relay as a process of its own, as a person starts it. Knows the command line and what it prints, nothing inside.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseFingerprint } from '#main/replication/channel/fingerprint.ts'
import { cairnEntry } from './host-bundle.ts'

const launcher = fileURLToPath(new URL('../../build/launch.mjs', import.meta.url))

/** A relay that has said its fingerprint. */
export interface RelayProcess {
  readonly pid: number
  readonly fingerprint: string
  /** Everything it printed. */
  readonly output: () => string
  /** The admin token it printed, or ''. */
  readonly token: string
  /** Bytes of memory it has at present. */
  residentBytes(): number
  /** Sends a signal and answers how it ended. */
  end(signal: NodeJS.Signals): Promise<RelayExit>
}

/** How a relay ended. */
export interface RelayExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A relay that ended before it listened. */
export interface FailedRelay extends RelayExit {
  readonly error: string
}

/**
 * Starts a relay and waits until it listens, or has ended.
 * @param options through: the launcher instead of the program itself
 */
export async function startRelayProcess(
  args: readonly string[],
  options: { readonly through?: 'launcher' } = {},
): Promise<RelayProcess | FailedRelay> {
  const script = options.through === 'launcher' ? launcher : cairnEntry
  const child = spawn(process.execPath, [script, 'relay', ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let error = ''
  const exit = new Promise<RelayExit>((resolve) => child.on('close', (code, signal) => resolve({ code, signal })))
  const fingerprintOf = (): string | undefined => parseFingerprint(/^Fingerprint +(.*)\n/m.exec(output)?.[1] ?? '')
  const started = new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (fingerprintOf() !== undefined) resolve()
    })
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (error += text))
  const ended = await Promise.race([started, exit])
  if (ended) return { ...ended, error }
  return {
    pid: child.pid!,
    fingerprint: fingerprintOf()!,
    output: () => output,
    token: /^Admin token +(\S+)/m.exec(output)?.[1] ?? '',
    residentBytes() {
      const status = readFileSync(`/proc/${String(child.pid)}/status`, 'utf8')
      return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024
    },
    end(signal) {
      child.kill(signal)
      return exit
    },
  }
}
