// Ends a worker process whose host is gone, even while a query holds its only JavaScript thread.
import { Worker } from 'node:worker_threads'

/**
 * Watches the parent from a second thread and kills this process when the parent is gone. A closed channel is noticed
 * by the event loop only, which a runaway query never reaches. Windows keeps the parent's number after its end, so
 * there only the channel is watched.
 */
export function endWithParent(): void {
  if (process.platform === 'win32') return
  const watch = `
    const parent = ${process.ppid}
    setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL') }, 1000)
  `
  new Worker(watch, { eval: true, stdout: false, stderr: false, resourceLimits: { maxOldGenerationSizeMb: 8 } }).unref()
}
