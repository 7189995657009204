// What limited callers get out of the host: nothing of what is hidden from them, on any channel (C1).
import type { Authorizer } from '#main/kernel/authorize.ts'
import { withAuthorizer } from '../../support/open-permissions.ts'
import type { CanaryGroup } from '../leak/canaries.ts'
import { createCanaryBook } from '../leak/canaries.ts'
import { absentChannels, channels, coveredContractChannels, startsProcesses } from '../leak/channels.ts'
import { hideValues } from '../leak/hide-values.ts'
import { post } from '../leak/leak-case.ts'
import type { LeakCase } from '../leak/leak-case.ts'
import type { Role } from '../leak/people.ts'
import { roles } from '../leak/people.ts'
import type { Answered, World } from '../leak/world.ts'
import { buildWorld, isThorough, callHost, endWorldHost, headersOf, startWorldHost } from '../leak/world.ts'
import { drawCases, inParallel } from '../host-under-test.ts'
import { minimumOf } from '../minimums.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'

type Replace = ((given: Authorizer) => Authorizer) | null

/** Whether a caller may see canaries of a group. Names and code are what those who manage metadata work with. */
function isHidden(group: CanaryGroup, role: Role, vaultIsOpen: boolean): boolean {
  if (role === 'designer') return group === 'row' || group === 'field' || group === 'organization'
  return group !== 'object' || !vaultIsOpen
}

/** Reader and clerk have rights on every object, so the closed one is known to them by name. */
const knowsVault: ReadonlySet<Role> = new Set(['reader', 'clerk', 'designer'])

async function send(world: World, role: Role | undefined, one: LeakCase): Promise<Answered> {
  if (one.perform !== undefined) return one.perform({ url: world.host.host.url, headers: headersOf(world.host, role) })
  const path = one.path.startsWith('//') ? one.path.slice(1) : `/api/v1${one.path}`
  return callHost(world.host, one.method, path, one.body, { ...one.headers, ...headersOf(world.host, role) })
}

/** Channels whose cases wait for what comes, and change nothing for each other. */
const listening: ReadonlySet<string> = new Set(['realtime stream', 'realtime socket', 'live texts', 'export'])

/** Answers with canaries in them, answers the host failed at, and routes that no request reached. */
async function countLeaks(context: CheckContext, replace: Replace, tried = channels): Promise<number> {
  const host = await startWorldHost(replace === null ? {} : { change: (plugins) => withAuthorizer(plugins, replace) })
  try {
    const book = createCanaryBook(context.seed)
    const world = await hideValues(await buildWorld(host, book, isThorough(context)), { book, more: false })
    const reached = createRouteLog(world)
    let violations = 0
    let requests = 0
    let listed = 0
    const unseen = new Set(book.all().keys())
    for (const [at, role] of roles.entries()) {
      for (const [channel, casesOf] of Object.entries(tried)) {
        // At a commit roles ask for a part that another seed draws for each; one of them for something of every route.
        const cases = casesOf(world, role, at)
        listed += cases.length
        const share = startsProcesses.has(channel) ? 0.05 : at === 0 ? 0.25 : 0.06
        const some = new Set(tried !== channels ? cases : drawCases({ ...context, seed: listed }, cases, share))
        const drawn = cases.filter((one) => some.has(one) || (at === 0 && reached.note(one)))
        const judge = async (one: LeakCase): Promise<void> => {
          const answer = await send(world, role, one)
          requests += 1
          reached.note(one)
          const sent = `${one.path} ${JSON.stringify(one.body ?? '')}`
          const found = findIn(book, answer, sent).filter(({ group }) => isHidden(group, role, knowsVault.has(role)))
          if (found.length === 0 && answer.status < 500) return
          violations += 1
          const what = found.map(({ canary, group }) => `${canary} (${group})`).join(', ')
          context.log(
            `${role} ${channel}: ${one.method} ${one.path} ${JSON.stringify(one.body) ?? ''} answered ${answer.status} with ${what}`,
          )
        }
        // What only listens for a moment may do so at the same time; the order of writes stays.
        if (listening.has(channel)) await inParallel(drawn, judge)
        else for (const one of drawn) await judge(one)
      }
    }
    if (replace !== null) return violations
    // A draw may hold a deletion without the restoring that follows it.
    for (const id of world.victims) await send(world, undefined, post(`/data/matter/${id}/restore`))
    // An administrator sees all of it, or the search for canaries is blind.
    const rows = [...world.seen, ...world.victims, ...world.hidden]
    const reveals = rows.map((id) => post(`/data/matter/${id}/reveal`, { field: world.fields.pin }))
    for (const casesOf of [...Object.values(channels), () => reveals]) {
      const looks = casesOf(world, 'reader', 0).filter(
        ({ method, path }) => method === 'GET' || /query|run|reveal|sql/.test(path),
      )
      await inParallel(looks, async (one) => {
        if (unseen.size === 0) return
        for (const { canary } of findIn(book, await send(world, undefined, one), '')) unseen.delete(canary)
      })
    }
    for (const canary of unseen) context.log(`no administrator saw ${canary} (${book.all().get(canary)})`)
    if (unseen.size > 0) throw new Error(`${unseen.size} canaries are seen by nobody.`)
    const gaps = reached.gaps()
    for (const gap of gaps) context.log(gap)
    context.log(
      `${Object.keys(channels).length} channels, ${requests} of ${listed} requests, ${book.all().size} canaries`,
    )
    const enough = Object.keys(channels).length >= minimumOf('leakChannels') && listed >= minimumOf('leakRequests')
    return enough ? violations + gaps.length : NaN
  } finally {
    await endWorldHost(host)
  }
}

function findIn(book: ReturnType<typeof createCanaryBook>, answer: Answered, sent: string) {
  const head = Buffer.from(answer.headers.map(([name, value]) => `${name}: ${value}`).join('\n'))
  return [...book.find(answer.bytes, sent), ...book.find(head, sent)]
}

/** Which routes of the live table the requests reach. */
function createRouteLog(world: World) {
  const routes = world.host.host.server
    .routeTable()
    .filter(({ contract }) => Boolean(contract))
    .map((route) => ({
      ...route,
      fits: new RegExp(
        `^${route.url
          .replaceAll(/[.$]/g, '\\$&')
          .replaceAll(/:[A-Za-z]+/g, '[^/]+')
          .replace(/[*]$/, '.+')}$`,
      ),
      literals: route.url.split('/').filter((part) => !part.startsWith(':')).length,
    }))
    .toSorted((a, b) => b.literals - a.literals)
  const reached = new Set<string>()
  return {
    /** @returns whether the request is the first one of its route */
    note({ method, path }: LeakCase): boolean {
      const [bare] = (path.startsWith('//') ? path.slice(1) : `/api/v1${path}`).split('?')
      const route = routes.find((one) => one.method === method && one.fits.test(bare!))
      const name = route && `${route.method} ${route.contract!.operationId}`
      if (name === undefined || reached.has(name)) return false
      reached.add(name)
      return true
    },
    /** Routes without a request, and channels without an entry. */
    gaps(): string[] {
      const unreached = routes
        .filter(({ method, contract }) => method !== 'HEAD' && !reached.has(`${method} ${contract!.operationId}`))
        .map(({ method, url }) => `no request reaches ${method} ${url}`)
      const unknown = routes
        .filter(({ contract }) => !coveredContractChannels.has(contract!.channel))
        .map(({ url, contract }) => `the channel ${contract!.channel} of ${url} has no requests`)
      const built = Object.entries(absentChannels).flatMap(([name, where]) =>
        routes.filter(({ url }) => where.test(url)).map(({ url }) => `${name} is built (${url}) but has no requests`),
      )
      return [...unreached, ...unknown, ...built]
    },
  }
}

/** Channels enough to notice a careless authorizer. */
const telling = Object.fromEntries(
  Object.entries(channels).filter(([name]) =>
    ['list', 'get', 'filter', 'export', 'sql', 'reveal', 'realtime poll'].includes(name),
  ),
)

/** Authorizers that forget one thing each. */
const careless: readonly ((given: Authorizer) => Authorizer)[] = [
  (given) => ({ ...given, canField: () => true }),
  (given) => ({
    ...given,
    rowCondition: (ctx, object, action) => (given.canObject(ctx, object, action) ? null : false),
  }),
]

defineCheck({
  id: 'C1',
  file: 'leak',
  stage: 2,
  unit: 'answers to limited callers that hold something hidden, and routes nobody tried',
  target: 0,
  run: (context) => countLeaks(context, null),
  // Every one of them must be noticed.
  twin: async (context) =>
    Math.min(...(await Promise.all(careless.map((replace) => countLeaks(context, replace, telling))))),
})
