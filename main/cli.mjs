// The entry of the command line. Only sets up the cache of compiled modules, which halves the time to start, and hands
// over: nothing else may be imported before that. Plain JavaScript, because one file whose types
// have to be stripped before the cache is there loads a compiler of 18 MiB, which stays.
import { mkdirSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import path from 'node:path'
import { setFlagsFromString } from 'node:v8'
import envPaths from 'env-paths'

/**
 * Runs one command and answers the exit code; `serve` and `relay` resolve when the host or the relay has stopped.
 * @param {readonly string[]} argv
 * @returns {Promise<number>}
 */
export async function runCli(argv) {
  cacheCompiledModules()
  if (argv[0] === 'relay') {
    // A program of its own: it runs without a host, so nothing of one is loaded.
    const { runRelay } = await import('./relay/program/relay-command.ts')
    // It stays small at all times: what passes through it is soon garbage, and it never pauses.
    setFlagsFromString('--semi-space-growth-factor=1')
    return runRelay(argv.slice(1))
  }
  if (argv[0] === 'hub') {
    const { runHub } = await import('./hub-command.ts')
    return runHub(argv.slice(1))
  }
  // Those that talk to a host are none: nothing of one is loaded.
  const { runClientCommand } = await import('./client/client-commands.ts')
  const asked = runClientCommand(argv)
  if (asked !== undefined) return asked
  const { runCommand } = await import('./commands.ts')
  return runCommand(argv)
}

/** The cache lies in a private folder of the user: whoever can write it can run code here. */
function cacheCompiledModules() {
  const folder = path.join(envPaths('cairn', { suffix: '' }).cache, 'compiled')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    enableCompileCache(folder)
  } catch {
    // A home without a place for caches only costs time.
  }
}

if (process.argv[1] !== undefined && path.resolve(process.argv[1]) === import.meta.filename) {
  process.exitCode = await runCli(process.argv.slice(2))
}
