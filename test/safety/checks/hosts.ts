// Who may reach the server at all: listeners, Host, CORS (W1, W2, W7).
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Guards } from '#main/http/guard.ts'
import { codeOf, drawCases, inParallel, withHost } from '../host-under-test.ts'
import type { HostUnderTest } from '../host-under-test.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'

/** Addresses of this machine, loopback aside. */
function foreignAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((list) =>
    (list ?? [])
      .filter(({ internal, address }) => !internal && !address.startsWith('fe80'))
      .map(({ address }) => address),
  )
}

function canConnect(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 2_000 })
    const answer = (open: boolean) => (): void => {
      socket.destroy()
      resolve(open)
    }
    socket.on('connect', answer(true))
    socket.on('timeout', answer(false))
    socket.on('error', answer(false))
  })
}

/** Listeners on a port that other machines could reach: those the system lists and those that answer. */
async function countForeignListeners(port: number, context: CheckContext): Promise<number> {
  const listed = spawnSync('ss', ['-Hltn', `sport = :${port}`], { encoding: 'utf8' })
  const rows = listed.status === 0 ? listed.stdout.split('\n').filter((line) => line.trim() !== '') : []
  const foreign = rows.filter((line) => !/\s(127\.0\.0\.1|\[::1\]):\d+\s/.test(line)).length
  if (listed.status !== 0) context.log('ss is not here; addresses are tried only')
  const addresses = foreignAddresses()
  const open = await Promise.all(addresses.map((address) => canConnect(address, port)))
  context.log(`${rows.length} listeners listed, ${addresses.length} addresses tried`)
  return foreign + open.filter(Boolean).length
}

defineCheck({
  id: 'W1',
  file: 'hosts',
  unit: 'listeners other machines could reach',
  target: 0,
  run: (context) => withHost({}, ({ host }) => countForeignListeners(host.port, context)),
  twin: async (context) => {
    const careless = createServer().listen(0, '0.0.0.0')
    await once(careless, 'listening')
    try {
      return await countForeignListeners((careless.address() as AddressInfo).port, context)
    } finally {
      careless.close()
    }
  },
})

/** Values of Host that must be refused; null sends none, a list sends several. */
function forbiddenHosts(port: number): (string | null | string[])[] {
  const own = `127.0.0.1:${port}`
  const names = [
    'evil.example',
    'localhost.',
    'localhost.evil.example',
    'evil.localhost',
    '127.0.0.1.nip.io',
    'LOCALHOST',
    '0.0.0.0',
  ]
  const numbers = [
    '127.1',
    '127.0.0.2',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.0.0.1.',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[0:0:0:0:0:0:0:1]',
    '::1',
  ]
  return [
    null,
    '',
    ' ',
    [own, 'evil.example'],
    [own, own],
    'localhost',
    '127.0.0.1',
    '[::1]',
    `localhost:${port + 1}`,
    `127.0.0.1:0${port}`,
    `localhost:${port}:80`,
    `user@localhost:${port}`,
    `localhost:${port}@evil.example`,
    `localhost:${port}/`,
    `localhost:${port},evil.example`,
    `http://localhost:${port}`,
    'null',
    `192.168.0.1:${port}`,
    `10.0.0.1:${port}`,
    `169.254.169.254:${port}`,
    `127.0.0.1:${port}#`,
    `127.0.0.1 :${port}`,
    `xn--localhost:${port}`,
    ...names.map((name) => `${name}:${port}`),
    ...numbers.map((name) => `${name}:${port}`),
  ]
}

/** Requests with a wrong Host that got past the guard. */
async function countAcceptedHosts(context: CheckContext, guards: Partial<Guards>): Promise<number> {
  return withHost({ guards }, async ({ host, authority, send, pathOf }) => {
    const hosts = forbiddenHosts(host.port)
    const all = host.server.routeTable().flatMap((route) => {
      const path = pathOf(route)
      const plain = hosts.map((value) => {
        const values = value === null ? [] : Array.isArray(value) ? value : [value]
        return { method: route.method, path, headers: values.flatMap((text) => ['Host', text]) }
      })
      const upgrade = {
        method: 'GET',
        path,
        headers: ['Host', 'evil.example', 'Connection', 'Upgrade', 'Upgrade', 'websocket'],
      }
      const absolute = { method: route.method, path: `http://evil.example${path}`, headers: ['Host', authority] }
      return [...plain, upgrade, absolute]
    })
    const cases = drawCases(context, all)
    const answers = await inParallel(cases, send)
    context.log(`${cases.length} requests with ${hosts.length} hosts`)
    // HEAD answers carry no body, so their status has to do.
    return answers.filter((answer, index) => {
      if (answer.status === 400 || answer.status === 0) return false
      return cases[index]!.method === 'HEAD' ? answer.status !== 403 : codeOf(answer) !== 'origin_forbidden'
    }).length
  })
}

defineCheck({
  id: 'W2',
  file: 'hosts',
  unit: 'requests with a wrong Host that were answered',
  target: 0,
  run: (context) => countAcceptedHosts(context, {}),
  twin: (context) => countAcceptedHosts(context, { host: () => null }),
})

/** Answers with an Access-Control-Allow-Origin they should not have, or without the one they should. */
async function countWrongCors(context: CheckContext, guards: Partial<Guards>): Promise<number> {
  return withHost({ guards }, async (subject) => {
    const { host, authority } = subject
    const origins = [
      'app://cairn',
      host.url,
      `http://localhost:${host.port}`,
      'null',
      'https://evil.example',
      `http://127.0.0.1:${host.port + 1}`,
      'app://cairn.evil.example',
      `https://127.0.0.1:${host.port}`,
    ]
    const all = host.server.routeTable().flatMap((route) =>
      origins.flatMap((origin) => {
        const path = subject.pathOf(route)
        const headers = ['Host', authority, 'Origin', origin]
        const preflight = [...headers, 'Access-Control-Request-Method', route.method]
        return [
          { origin, method: route.method, path, headers },
          { origin, method: 'OPTIONS', path, headers: preflight },
        ]
      }),
    )
    const cases = drawCases(context, all)
    const answers = await inParallel(cases, subject.send)
    context.log(`${cases.length} requests with ${origins.length} origins`)
    return answers.filter(({ headers }, index) => isWrongCors(cases[index]!.origin, headers)).length
  })
}

function isWrongCors(origin: string, headers: HostUnderTestHeaders): boolean {
  const allowed = headers['access-control-allow-origin']
  if (!String(headers['vary']).includes('Origin')) return true
  return origin === 'app://cairn' ? allowed !== origin : allowed !== undefined
}

type HostUnderTestHeaders = Awaited<ReturnType<HostUnderTest['send']>>['headers']

defineCheck({
  id: 'W7',
  file: 'hosts',
  unit: 'answers with a wrong Access-Control-Allow-Origin',
  target: 0,
  run: (context) => countWrongCors(context, {}),
  twin: (context) => countWrongCors(context, { cors: () => true }),
})
