// The headless way to start a killable child process. The desktop shell brings its own.
import { fork } from 'node:child_process'
import { wrapChild } from '#main/kernel/ports.ts'
import type { ProcessSpawner } from '#main/kernel/ports.ts'

/**
 * Forks the entry file with Node. The child inherits neither Node's options (a watcher or debugger of the host) nor
 * the environment beyond what a process needs to start.
 */
export const forkSpawner: ProcessSpawner = (entryFile, options) =>
  wrapChild(
    fork(entryFile, [...(options.args ?? [])], {
      execArgv: [],
      env: startEnvironment(),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    }),
  )

function startEnvironment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'LANG', 'TZ']
  return Object.fromEntries(
    kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )
}
