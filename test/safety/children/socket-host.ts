// A host with many people for the load on sockets. Notes the largest number of bytes that waited for one connection in
// the file `buffer` of its data folder. With CAIRN_TWIN=unbounded realtime does not see what the network has not taken.
import { writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import type { PluginHost } from '#main/kernel/plugin.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import type { SocketRoute } from '#main/kernel/sockets.ts'
import type {} from '#main/plugins/realtime/api.ts'
import { startHost } from '#main/index.ts'
import { testIdentityPlugins } from '../../support/test-identities.ts'

const dataDir = process.argv[process.argv.indexOf('--data') + 1]!
const unbounded = process.env['CAIRN_TWIN'] === 'unbounded'
const sampleMs = 50

const plugins = testIdentityPlugins({ users: Array.from({ length: 60 }, () => ({})) }).map((plugin) => {
  if (!unbounded || plugin.id !== 'realtime') return plugin
  const blind = (route: SocketRoute): SocketRoute => ({
    ...route,
    open: (socket, request) => route.open({ ...socket, bufferedBytes: () => 0 }, request),
  })
  return definePlugin({
    ...plugin,
    register(host) {
      const socket = (route: SocketRoute): void => host.socket(blind(route))
      return plugin.register(Object.create(host, { socket: { value: socket } }) as PluginHost)
    },
  })
})

const host = await startHost({ dataDir, port: 0, durable: false, plugins })
const sockets = new Set<Socket>()
host.server.server.on('connection', (socket: Socket) => {
  sockets.add(socket)
  socket.on('close', () => sockets.delete(socket))
})
let largest = 0
setInterval(() => {
  const inSockets = Math.max(0, ...[...sockets].map((socket) => socket.writableLength))
  const seen = Math.max(inSockets, host.plugins.service('realtime')!.largestBuffer())
  if (seen <= largest) return
  largest = seen
  writeFileSync(join(dataDir, 'buffer'), String(largest))
}, sampleMs)
process.on('SIGTERM', () => {
  void host.stop().then(() => process.exit(0))
})
process.stdout.write(`The host is running at ${host.url}\n`)
