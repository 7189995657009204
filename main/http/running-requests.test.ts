import { Agent, createServer, get, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { createRunningRequests } from './running-requests.ts'

describe('the requests that have no whole answer', () => {
  let server: Server
  let held: ServerResponse[] = []
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  afterEach(() => {
    for (const response of held) response.destroy()
    held = []
    agent.destroy()
    server.close()
  })

  const listen = async (listener: Parameters<typeof createServer>[1] & object): Promise<number> => {
    server = createServer(listener).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    return address !== null && typeof address === 'object' ? address.port : 0
  }
  const ask = async (port: number, path = '/', by?: Agent): Promise<void> => {
    const [answer] = await once(
      get({ host: '127.0.0.1', port, path, ...(by === undefined ? {} : { agent: by }) }),
      'response',
    )
    answer.resume()
    await once(answer, 'end')
  }

  it('are counted until they are answered, but for those that last', async () => {
    const lasting = new Map<ServerResponse, unknown>()
    const running = createRunningRequests(lasting)
    const port = await listen((request, response) => {
      running.begin(request, response)
      if (request.url === '/') response.end()
      else held.push(response.writeHead(200))
      if (request.url === '/lasting') lasting.set(response, null)
      response.flushHeaders()
    })
    await ask(port, '/', agent)
    expect(running.count()).toBe(0)
    const waiting = get({ host: '127.0.0.1', port, path: '/waits', agent: false })
    const listening = get({ host: '127.0.0.1', port, path: '/lasting', agent: false })
    await Promise.all([once(waiting, 'response'), once(listening, 'response')])
    expect(running.count()).toBe(1)
    held.find((response) => !lasting.has(response))?.end()
    await expect.poll(() => running.count()).toBe(0)
  })

  it('hang nothing on a connection, however often the host behind it is made anew', async () => {
    const listeners: number[] = []
    let running = createRunningRequests(new Map())
    const port = await listen((request, response) => {
      running.begin(request, response)
      listeners.push(request.socket.listenerCount('close'))
      response.end()
    })
    for (let host = 0; host < 12; host += 1) {
      running = createRunningRequests(new Map())
      await ask(port, '/', agent)
    }
    expect(listeners).toHaveLength(12)
    expect(new Set(listeners).size).toBe(1)
  })

  it('keep no connection that has ended', async () => {
    const last = new Map<Socket, ServerResponse>()
    const running = createRunningRequests(new Map(), last)
    const port = await listen((request, response) => {
      running.begin(request, response)
      response.setHeader('connection', 'close').end()
    })
    for (let round = 0; round < 30; round += 1)
      await Promise.all(Array.from({ length: 20 }, async () => await ask(port)))
    expect(last.size).toBeLessThanOrEqual(256)
  })
})
