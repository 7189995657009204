// Runs first in a utility process: gives the host's child processes the channel they know from Node, then starts the
// entry file named by the first argument. So the entries need not know which of the two they run under.
import { pathToFileURL } from 'node:url'

interface ParentPort {
  postMessage(message: unknown): void
  on(event: 'message', listener: (event: { data: unknown }) => void): void
}

const { parentPort } = process as unknown as { parentPort: ParentPort }
const [entryFile] = process.argv.splice(2, 1)
if (entryFile === undefined) throw new Error('child-bootstrap needs the entry file.')

process.send = (message: unknown) => {
  parentPort.postMessage(message)
  return true
}

await import(pathToFileURL(entryFile).href)

// Messages wait in the port until somebody listens; the entry listens from here on.
parentPort.on('message', ({ data }) => {
  process.emit('message', data, undefined)
})
