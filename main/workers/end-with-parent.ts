// What every child process does first: it ends with the host, and keeps what the engine compiled for its next start.
import { spawn } from 'node:child_process'
import { fstatSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { Worker } from 'node:worker_threads'

/**
 * Ends this process when the host is gone, even while a query holds its only JavaScript thread: a closed channel is
 * noticed by the event loop only, which a runaway query never reaches. Windows keeps the parent's number after its end,
 * so there only the channel is watched. Call it after all imports.
 */
export function endWithParent(): void {
  // Children are killed, never ended: what they compiled would otherwise be lost with each of them.
  flushCompileCache()
  if (process.platform === 'win32') return
  if (hasPipeFromHost()) watchPipe()
  else watchParentId()
}

/** A shell that waits for the end of the pipe costs a fiftieth of a second thread's memory. */
function watchPipe(): void {
  const watch = spawn('/bin/sh', ['-c', 'read -r _; kill -9 "$0"', String(process.pid)], {
    stdio: [0, 'ignore', 'ignore'],
  })
  watch.on('error', watchParentId)
  watch.unref()
}

function watchParentId(): void {
  const watch = `
    const parent = ${process.ppid}
    setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL') }, 1000)
  `
  new Worker(watch, { eval: true, stdout: false, stderr: false, resourceLimits: { maxOldGenerationSizeMb: 8 } }).unref()
}

/** Whether the standard input is a pipe that the host holds; the desktop shell gives its children none. */
function hasPipeFromHost(): boolean {
  try {
    const input = fstatSync(0)
    return input.isFIFO() || input.isSocket()
  } catch {
    return false
  }
}
