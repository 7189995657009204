// The headless way to start a killable child process. The desktop shell brings its own.
import { fork } from 'node:child_process'
import { getCompileCacheDir } from 'node:module'
import path from 'node:path'
import { wrapChild } from '#main/kernel/ports.ts'
import type { ProcessSpawner } from '#main/kernel/ports.ts'

/**
 * Forks the entry file with Node. The pipe that is the child's standard input carries nothing: its end tells a child that
 * is busy that the host is gone. The child inherits neither Node's options (a watcher or debugger of the host) nor
 * the environment beyond what a process needs to start.
 */
export const forkSpawner: ProcessSpawner = (entryFile, options) =>
  wrapChild(
    fork(entryFile, [...(options.args ?? [])], {
      execArgv: [],
      env: startEnvironment(),
      serialization: 'advanced',
      stdio: ['pipe', 'ignore', 'inherit', 'ipc'],
    }),
  )

function startEnvironment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'LANG', 'TZ']
  const environment: NodeJS.ProcessEnv = Object.fromEntries(
    kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )
  // The directory in use is one of a version within the folder.
  const cache = getCompileCacheDir()
  return cache === undefined ? environment : { ...environment, NODE_COMPILE_CACHE: path.dirname(cache) }
}
