import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { createPlatformSocket } from './platform-socket.ts'

it('closes the socket whose listener throws, and says why to the host alone', async () => {
  const server = createServer()
  const upgrades = new WebSocketServer({ server })
  const failures: unknown[] = []
  upgrades.on('connection', (socket, { socket: raw }) => {
    const platform = createPlatformSocket(socket, raw, (error) => failures.push(error))
    platform.onMessage((data) => {
      if (data === 'break') throw new RangeError('secret')
      platform.send(data)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    upgrades.close()
    server.close()
  })
  const open = async (): Promise<WebSocket> => {
    const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
    await new Promise((resolve) => client.once('open', resolve))
    return client
  }
  const [broken, other] = await Promise.all([open(), open()])
  const ended = new Promise<[number, string]>((resolve) =>
    broken.once('close', (code, reason) => resolve([code, String(reason)])),
  )
  broken.send('break')
  expect(await ended).toEqual([1011, 'internal error'])
  expect(failures.map(String)).toEqual(['RangeError: secret'])
  const echo = new Promise((resolve) => other.once('message', (data) => resolve(String(data))))
  other.send('on')
  expect(await echo).toBe('on')
  other.terminate()
})
