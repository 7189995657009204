// A real browser with a signed-in console, and a hostile page in the same profile (W10).
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chromium } from 'playwright-core'
import type { BrowserContext } from 'playwright-core'
import type { Guards } from '#main/http/guard.ts'
import { createApiCall } from '../../support/api-call.ts'
import { chromiumLaunchOptions, findChromium } from '../../support/find-chromium.ts'
import { attackFromPage } from '../hostile-page.ts'
import type { HostileTask } from '../hostile-page.ts'
import { withHost } from '../host-under-test.ts'
import type { HostUnderTest } from '../host-under-test.ts'
import { defineCheck, skipCheck } from '../registry.ts'
import type { CheckContext, CheckSize, SkippedCheck } from '../registry.ts'

/** Names that lead to this machine: a stranger's site, and one that changes its address after it was loaded. */
const strangerName = 'stranger.example'
const rebindingName = 'rebinding.example'

const canary = 'canary-7f3a1c'

/** The browser's own guard for addresses of this machine is off: other browsers have none, and people click it away. */
const browserGuards = [
  'LocalNetworkAccessChecks',
  'LocalNetworkAccessChecksWebSockets',
  'BlockInsecurePrivateNetworkRequests',
  'PrivateNetworkAccessSendPreflights',
  'PrivateNetworkAccessRespectPreflightResults',
]

interface Bench {
  readonly subject: HostUnderTest
  readonly context: BrowserContext
  /** Port of the hostile server. */
  readonly hostilePort: number
  readonly size: CheckSize
}

/** Texts a hostile page read, connections it opened and tables it changed. */
async function countDamage(
  check: CheckContext,
  guards: Partial<Guards>,
  attack: (bench: Bench, task: Omit<HostileTask, 'targets'>) => Promise<{ got: string[]; attempts: number }>,
): Promise<number | SkippedCheck> {
  const executablePath = findChromium()
  if (executablePath === undefined) return skipCheck('no Chromium here')
  return withHost({ guards }, async (subject) => {
    const { host } = subject
    const call = createApiCall(host.url, host.token)
    await call('POST', '/api/v1/data/task', { title: canary })
    const hostile = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Hostile</title><body>')
    })
    await new Promise<void>((resolve) => {
      hostile.listen(0, '127.0.0.1', resolve)
    })
    const launch = chromiumLaunchOptions(executablePath)
    const browser = await chromium.launch({
      ...launch,
      args: [
        ...launch.args,
        `--host-resolver-rules=MAP ${strangerName} 127.0.0.1,MAP ${rebindingName} 127.0.0.1`,
        `--disable-features=${browserGuards.join(',')}`,
      ],
    })
    try {
      const context = await browser.newContext()
      await signIn(context, host.url, host.mintCode())
      const before = await subject.tableHashes()
      const { got, attempts } = await attack(
        { subject, context, size: check.size, hostilePort: (hostile.address() as AddressInfo).port },
        { routes: routesOf(subject), liveId: subject.liveId, deletedId: subject.deletedId },
      )
      const after = await subject.tableHashes()
      const changed = [...after.keys()].filter((name) => before.get(name) !== after.get(name))
      check.log(`${attempts} attempts; read ${got.length}, changed ${changed.length} tables ${changed.join()}`)
      return got.length + changed.length
    } finally {
      await browser.close()
      hostile.close()
      hostile.closeAllConnections()
    }
  })
}

/** Signs in as a person does, and proves that this session sees the canary and may write. */
async function signIn(context: BrowserContext, url: string, code: string): Promise<void> {
  const page = await context.newPage()
  await page.goto(`${url}/_console/`)
  const sees = await page.evaluate(
    async ([given, searched]) => {
      const headers = { 'content-type': 'application/json' }
      await fetch('/_console/session', { method: 'POST', headers, body: JSON.stringify({ code: given }) })
      const list = await (await fetch('/api/v1/data/task?top=100')).text()
      const write = await fetch('/api/v1/data/task', { method: 'POST', headers, body: '{"title":"own"}' })
      return list.includes(searched!) && write.status === 201
    },
    [code, canary],
  )
  await page.close()
  if (!sees) throw new Error('the signed-in page neither reads nor writes: the attack would prove nothing')
}

function routesOf(subject: HostUnderTest): HostileTask['routes'] {
  const methods = new Map<string, string[]>()
  for (const route of subject.host.server.routeTable()) {
    const path = subject.pathOf(route, subject.deletedId)
    methods.set(path, [...(methods.get(path) ?? []), route.method])
  }
  return [...methods].map(([path, list]) => ({ path, methods: list }))
}

async function attackFromElsewhere(
  { subject, context, hostilePort, size }: Bench,
  task: Omit<HostileTask, 'targets'>,
): Promise<{ got: string[]; attempts: number }> {
  const { port } = subject.host
  const whole = size !== 'commit'
  const targets = [`http://127.0.0.1:${port}`, ...(whole ? [`http://localhost:${port}`] : [])]
  const got: string[] = []
  let attempts = 0
  // Another port of the same name is the same site: the browser sends the cookie along.
  for (const name of ['127.0.0.1', strangerName, ...(whole ? ['localhost'] : [])]) {
    const page = await context.newPage()
    await page.goto(`http://${name}:${hostilePort}/`)
    const loot = await page.evaluate(attackFromPage, { ...task, targets })
    got.push(...loot.texts, ...loot.opened)
    attempts += loot.attempts
    await page.close()
  }
  return { got, attempts }
}

/** The page is loaded from the attacker, then its name leads to the host: from then on it is of the same origin. */
async function attackByRebinding(
  { subject, context }: Bench,
  task: Omit<HostileTask, 'targets'>,
): Promise<{ got: string[]; attempts: number }> {
  const origin = `http://${rebindingName}:${subject.host.port}`
  const page = await context.newPage()
  await page.route(`${origin}/before-the-change`, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Hostile</title><body>' }),
  )
  await page.goto(`${origin}/before-the-change`)
  const loot = await page.evaluate(attackFromPage, { ...task, targets: [origin] })
  await page.close()
  return {
    got: [...loot.texts, ...loot.opened].filter((text) => !text.includes('origin_forbidden')),
    attempts: loot.attempts,
  }
}

defineCheck({
  id: 'W10',
  file: 'browser',
  unit: 'answers read, connections opened and tables changed by a page of another origin',
  target: 0,
  tier: 'n',
  stage: 2,
  run: (context) => countDamage(context, {}, attackFromElsewhere),
  // A foreign write is refused for its origin and, should that fail, for having a cookie only.
  twin: (context) => countDamage(context, { origin: () => null, cookieWrite: () => null }, attackFromElsewhere),
})

defineCheck({
  id: 'W10r',
  file: 'browser',
  unit: 'answers read, connections opened and tables changed by a page whose name was led to the host',
  target: 0,
  tier: 'n',
  stage: 2,
  run: (context) => countDamage(context, {}, attackByRebinding),
  twin: (context) => countDamage(context, { host: () => null }, attackByRebinding),
})
