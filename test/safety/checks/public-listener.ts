// The guards again on the listener other machines reach, with a wildcard among the trusted origins (W2p, W4p, W5p,
// W7p): what holds on loopback holds there, with one name in place of three.
import { writeFileSync } from 'node:fs'
import { Agent } from 'node:https'
import { join } from 'node:path'
import type { Guards } from '#main/http/guard.ts'
import { createCertificateAuthority, hasOpenssl } from '../../support/certificate-authority.ts'
import { findFreePort } from '../../support/free-port.ts'
import { setOwnerPassword, signInOwnerByCookie } from '../../support/owner-password.ts'
import { callTls } from '../../support/tls-call.ts'
import type { TlsAnswer, TlsCall } from '../../support/tls-call.ts'
import { drawCases, inParallel, withHost } from '../host-under-test.ts'
import type { HostUnderTest } from '../host-under-test.ts'
import { defineCheck, skipCheck } from '../registry.ts'
import type { CheckContext, SkippedCheck } from '../registry.ts'

const name = 'cairn.example.com'
const own = `https://${name}`
const trusted = 'https://app.partner.example.com'

interface PublicHost extends HostUnderTest {
  readonly publicPort: number
  /** The owner's session as a browser sends it. */
  readonly cookie: string
  call(request: Omit<TlsCall, 'port'>): Promise<TlsAnswer>
}

async function withPublicHost(
  guards: Partial<Guards>,
  fn: (subject: PublicHost) => Promise<number>,
): Promise<number | SkippedCheck> {
  if (!hasOpenssl) return skipCheck('no openssl command here')
  const authority = createCertificateAuthority('Safety root')
  const { certFile: certificate, keyFile: key } = authority.issue(name, { use: 'server' })
  const config = {
    host: { listen: { address: '0.0.0.0', port: await findFreePort(), certificate, key } },
    auth: { baseUrl: own, trustedOrigins: ['https://*.partner.example.com'] },
  }
  const prepare = async (dataDir: string): Promise<void> => {
    await setOwnerPassword(dataDir)
    writeFileSync(join(dataDir, 'config.json'), JSON.stringify(config))
  }
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  try {
    return await withHost({ guards, prepare }, async (subject) => {
      const cookie = await signInOwnerByCookie(subject.host.url)
      const publicPort = subject.host.publicPort!
      const call = (request: Omit<TlsCall, 'port'>): Promise<TlsAnswer> =>
        callTls({ ...request, port: publicPort, agent })
      const sight = await call({ path: '/api/v1/data/task', headers: ['Host', name, 'Cookie', cookie] })
      if (sight.status !== 200)
        throw new Error('the account cannot read over the public listener: nothing would be shown')
      return fn({ ...subject, publicPort, cookie, call })
    })
  } finally {
    agent.destroy()
    authority.dispose()
  }
}

/** Origins that are nearly one of the server's own or trusted ones. */
function foreignOrigins(localPort: number): string[] {
  return [
    'null',
    'https://stranger.example',
    // Names of the other listener.
    `http://127.0.0.1:${localPort}`,
    `http://localhost:${localPort}`,
    // Scheme, port, case, dot, userinfo, prefix, suffix.
    `http://${name}`,
    `${own}:443`,
    `${own}:8443`,
    `${own}.`,
    `${own}/`,
    'https://CAIRN.example.com',
    `https://user@${name}`,
    `${own}.stranger.example`,
    `https://stranger${name}`,
    `https://a.${name}`,
    // The same against the wildcard.
    'http://app.partner.example.com',
    `${trusted}:443`,
    `${trusted}:8443`,
    `${trusted}.`,
    'https://APP.partner.example.com',
    'https://partner.example.com',
    'https://.partner.example.com',
    'https://*.partner.example.com',
    'https://strangerpartner.example.com',
    'https://a.b.partner.example.com',
    `${trusted}.stranger.example`,
    'https://user@app.partner.example.com',
    'https://stranger.example/.partner.example.com',
    'https://stranger.example#.partner.example.com',
    'https://stranger.example?.partner.example.com',
    'https://stranger.example\\.partner.example.com',
    'https://stranger.example%2f.partner.example.com',
    'https://stranger.example:443@a.partner.example.com',
    // Letters that only look alike, as punycode.
    'https://app.xn--prtner-7ve.example.com',
    'https://app.partner.xn--exmple-4nf.com',
    'https://app。partner.example.com'.normalize('NFKC') + '。',
    'app://cairn.stranger.example',
  ].map((text) => Buffer.from(text, 'utf8').toString('latin1'))
}

function forbiddenHosts({ host, publicPort }: PublicHost): string[] {
  return [
    '',
    `${name}:443`,
    `${name}:${publicPort}`,
    `${name}.`,
    name.toUpperCase(),
    `a.${name}`,
    `${name}.stranger.example`,
    `stranger${name}`,
    `user@${name}`,
    `${name}@stranger.example`,
    `${name},stranger.example`,
    `${name}/`,
    'stranger.example',
    'app.partner.example.com',
    'xn--carn-vpa.example.com',
    'localhost',
    '127.0.0.1',
    '[::1]',
    '0.0.0.0',
    `localhost:${publicPort}`,
    `127.0.0.1:${publicPort}`,
    `127.0.0.1:${host.port}`,
    `localhost:${host.port}`,
    `[::1]:${host.port}`,
    'null',
  ]
}

function countAcceptedHosts(context: CheckContext, guards: Partial<Guards>): Promise<number | SkippedCheck> {
  return withPublicHost(guards, async (subject) => {
    const hosts = forbiddenHosts(subject)
    const all = subject.host.server.routeTable().flatMap((route) =>
      hosts.map((value) => ({
        method: route.method,
        path: subject.pathOf(route),
        headers: ['Host', value, 'Cookie', subject.cookie],
      })),
    )
    const cases = drawCases(context, all)
    const answers = await inParallel(cases, subject.call)
    context.log(`${cases.length} requests with ${hosts.length} hosts`)
    return answers.filter(({ status, code }, index) => {
      if (status === 400 || status === 0) return false
      return cases[index]!.method === 'HEAD' ? status !== 403 : code !== 'origin_forbidden'
    }).length
  })
}

defineCheck({
  id: 'W2p',
  file: 'public-listener',
  unit: 'requests with a wrong Host that were answered beyond loopback',
  target: 0,
  stage: 2,
  run: (context) => countAcceptedHosts(context, {}),
  twin: (context) => countAcceptedHosts(context, { host: () => null }),
})

function countForeignWrites(context: CheckContext, guards: Partial<Guards>): Promise<number | SkippedCheck> {
  return withPublicHost(guards, async (subject) => {
    const sources = [
      ...foreignOrigins(subject.host.port).map((origin) => ['Origin', origin]),
      ['Sec-Fetch-Site', 'cross-site'],
      ['Sec-Fetch-Site', 'same-site'],
    ]
    const routes = subject.host.server.routeTable().filter(({ mutates }) => mutates)
    const cases = routes.flatMap((route) =>
      sources.map((source) => ({
        method: route.method,
        path: subject.pathOf(route),
        headers: ['Host', name, 'Cookie', subject.cookie, ...source],
      })),
    )
    const answers = await inParallel(cases, subject.call)
    context.log(`${cases.length} requests from ${sources.length} sources`)
    return answers.filter(({ status, code }) => status !== 400 && code !== 'origin_forbidden').length
  })
}

defineCheck({
  id: 'W4p',
  file: 'public-listener',
  unit: 'writes from foreign origins that were answered beyond loopback',
  target: 0,
  stage: 2,
  run: (context) => countForeignWrites(context, {}),
  twin: (context) => countForeignWrites(context, { origin: () => null, cookieWrite: () => null }),
})

function countCookieWrites(context: CheckContext, guards: Partial<Guards>): Promise<number | SkippedCheck> {
  return withPublicHost(guards, async (subject) => {
    const types = [null, 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']
    const paths = subject.host.server.routeTable().map((route) => subject.pathOf(route, subject.deletedId))
    const cases = [...new Set(paths)].flatMap((path) =>
      types.map((type) => ({
        method: 'POST',
        path,
        headers: ['Host', name, 'Cookie', subject.cookie, ...(type === null ? [] : ['Content-Type', type])],
        ...(type === null ? {} : { body: '{"title":"forged"}' }),
      })),
    )
    const before = await subject.tableHashes()
    await inParallel(cases, subject.call)
    const after = await subject.tableHashes()
    context.log(`${cases.length} simple requests, ${before.size} tables`)
    return [...after].filter(([table, digest]) => before.get(table) !== digest).length
  })
}

defineCheck({
  id: 'W5p',
  file: 'public-listener',
  unit: 'tables changed by simple requests with a cookie beyond loopback',
  target: 0,
  stage: 2,
  run: (context) => countCookieWrites(context, {}),
  twin: (context) => countCookieWrites(context, { cookieWrite: () => null }),
})

function countWrongCors(context: CheckContext, guards: Partial<Guards>): Promise<number | SkippedCheck> {
  return withPublicHost(guards, async (subject) => {
    const allowed = ['app://cairn', trusted]
    const origins = [...allowed, own, ...foreignOrigins(subject.host.port)]
    const all = subject.host.server.routeTable().flatMap((route) =>
      origins.flatMap((origin) => {
        const headers = ['Host', name, 'Cookie', subject.cookie, 'Origin', origin]
        const path = subject.pathOf(route)
        const preflight = [...headers, 'Access-Control-Request-Method', route.method]
        return [
          { origin, method: route.method, path, headers },
          { origin, method: 'OPTIONS', path, headers: preflight },
        ]
      }),
    )
    const cases = drawCases(context, all)
    const answers = await inParallel(cases, subject.call)
    context.log(`${cases.length} requests with ${origins.length} origins`)
    return answers.filter(({ status, headers }, index) => {
      const { origin } = cases[index]!
      const answered = headers['access-control-allow-origin']
      if (allowed.includes(origin)) return answered !== origin || !String(headers['vary']).includes('Origin')
      return status !== 0 && answered !== undefined
    }).length
  })
}

defineCheck({
  id: 'W7p',
  file: 'public-listener',
  unit: 'answers with a wrong Access-Control-Allow-Origin beyond loopback',
  target: 0,
  stage: 2,
  run: (context) => countWrongCors(context, {}),
  twin: (context) => countWrongCors(context, { origin: () => null, cors: () => true }),
})
