// Requests to addresses people chose never reach what is inside, however the address is written (N6).
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { OutboundOptions } from '#main/kernel/outbound.ts'
import { createOutbound } from '#main/kernel/outbound.ts'
import { innerAddresses, innerAnswers, innerHosts } from '../inner-targets.ts'
import { minimumOf } from '../minimums.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'

/** What is inside: a server on both loopback addresses that sends everybody on to a place further in. */
async function startInside(): Promise<{ port: number; hits(): string[]; stop(): Promise<void> }> {
  const seen: string[] = []
  const servers: Server[] = []
  let port = 0
  for (const address of ['127.0.0.1', '::1']) {
    const server = createServer((request, response) => {
      seen.push(request.url ?? '')
      response.writeHead(307, { location: '/further' }).end()
    })
    const isThere = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, address, () => resolve(true))
    })
    // A machine without IPv6 has one address less.
    if (!isThere) continue
    servers.push(server)
    port = (server.address() as AddressInfo).port
  }
  return {
    port,
    hits: () => seen,
    async stop() {
      for (const server of servers) await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** @param isAllowed replaces the judgement on addresses */
async function countInnerHits(context: CheckContext, isAllowed?: OutboundOptions['isAllowed']): Promise<number> {
  const inside = await startInside()
  try {
    const judged = isAllowed === undefined ? {} : { isAllowed }
    // Names of machines nearby lead inside, whatever the resolver of this one knows.
    const closed = createOutbound({ allowedHosts: () => [], resolve: async () => ['127.0.0.1'], ...judged })
    const attempts: (readonly [string, Promise<unknown>])[] = []
    const attempt = (name: string, work: Promise<unknown>): void => {
      const outcome = work.then(
        () => 'answered',
        (error: unknown) => (error as { reason?: string }).reason,
      )
      attempts.push([name, outcome])
    }
    for (const host of innerHosts)
      for (const place of [`http://${host}:${inside.port}/`, `https://${host}/`])
        if (isAllowed === undefined || place.startsWith('http:'))
          attempt(place, closed.send({ url: place, method: 'GET', timeoutMs: 1_000 }))
    for (const text of innerAddresses)
      attempt(
        text,
        closed.send({ url: text.replace('{port}', String(inside.port)), method: 'POST', body: '{}', timeoutMs: 1_000 }),
      )
    for (const addresses of innerAnswers) {
      const named = createOutbound({ allowedHosts: () => [], resolve: async () => addresses, ...judged })
      const url = `http://public.example:${inside.port}/`
      attempt(addresses.join(), named.send({ url, method: 'GET', timeoutMs: 1_000 }))
    }
    let violations = 0
    for (const [name, outcome] of attempts) {
      const reason = await outcome
      if (reason === 'target_forbidden' || reason === 'invalid_target') continue
      violations += 1
      context.log(`${name}: ${reason}`)
    }
    violations += inside.hits().length
    violations += await countDetours(inside.port, inside.hits)
    context.log(`${attempts.length} targets`)
    return isAllowed !== undefined || attempts.length >= minimumOf('outboundTargets') ? violations : NaN
  } finally {
    await inside.stop()
  }
}

/** Ways around a judgement: a redirect that is followed, and a name that leads elsewhere the second time. */
async function countDetours(port: number, hits: () => readonly string[]): Promise<number> {
  const allowed = createOutbound({ allowedHosts: () => ['127.0.0.1'] })
  await allowed.send({ url: `http://127.0.0.1:${port}/first`, method: 'GET' })
  let asked = 0
  const flipping = createOutbound({
    allowedHosts: () => [],
    resolve: async () => (asked++ === 0 ? ['127.0.0.2'] : ['127.0.0.1']),
    isAllowed: (address) => address === '127.0.0.2',
  })
  const flip = { url: `http://public.example:${port}/flipped`, method: 'GET', timeoutMs: 1_000 } as const
  const wentThere = await flipping.send(flip).then(
    () => 1,
    () => 0,
  )
  if (!hits().includes('/first')) throw new Error('The server inside saw nothing, so nothing was proved.')
  return wentThere + hits().filter((path) => path === '/further' || path === '/flipped').length
}

defineCheck({
  id: 'N6',
  file: 'ssrf',
  stage: 3,
  unit: 'requests that were not refused, and those that got inside',
  target: 0,
  run: (context) => countInnerHits(context),
  // A judgement that forgot the addresses of the machine itself.
  twin: (context) => countInnerHits(context, (address) => /^(127[.]|::1$|::ffff:(127|7f))/.test(address)),
})
