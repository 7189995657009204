// Starts an unpacked application folder under plain Node, as Electron would, and tells the test its connection:
//
//   node packed-start.ts APP_FOLDER --data DIR --port 0      prints one line of JSON; ends when its input ends
import './electron-hook.ts'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ipcChannels } from '#shared/ipc.ts'
import { app, callNames, fake, resetFake } from './fake-electron.ts'

const root = process.argv[2]
if (root === undefined) throw new Error('packed-start.ts needs the application folder')
resetFake({ appPath: root, packaged: true })
await import(pathToFileURL(join(root, 'dist/host/electron.js')).href)
fake().ready.resolve()
while (!fake().ipc.has(ipcChannels.getConnection)) await new Promise((resolve) => setTimeout(resolve, 10))
const connection = await fake().ipc.get(ipcChannels.getConnection)!({
  senderFrame: { url: 'app://cairn/index.html', parent: null },
})
const page = await fake().schemes.get('app')!({ url: 'app://cairn/', method: 'GET' })
process.stdout.write(`${JSON.stringify({ connection, page: page.status, calls: callNames() })}\n`)
process.stdin.on('end', () => {
  app.quit()
})
process.stdin.resume()
process.exitCode = await fake().ended.promise
