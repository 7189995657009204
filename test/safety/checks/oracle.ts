// Whether answers tell what they do not show (C2): two hosts that differ in hidden values alone answer alike, and a field
// that may not be read behaves in every clause like one that does not exist (D-25).
import { cpSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { createManualClock } from '#main/kernel/clock.ts'
import type { PluginDefinition } from '#main/kernel/plugin.ts'
import { withAuthorizer } from '../../support/open-permissions.ts'
import { archiveEntries, createCanaryBook } from '../leak/canaries.ts'
import { channels, startsProcesses } from '../leak/channels.ts'
import { fieldClauses } from '../leak/field-clauses.ts'
import { hideValues } from '../leak/hide-values.ts'
import type { LeakCase } from '../leak/leak-case.ts'
import type { Role } from '../leak/people.ts'
import { roles } from '../leak/people.ts'
import type { Answered, World } from '../leak/world.ts'
import { buildWorld, isThorough, callHost, endWorldHost, headersOf, startWorldHost } from '../leak/world.ts'
import { drawCases } from '../host-under-test.ts'
import { minimumOf } from '../minimums.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'

type Change = (plugins: PluginDefinition[]) => PluginDefinition[]

const exceptions = JSON.parse(readFileSync(new URL('../oracle.exceptions.json', import.meta.url), 'utf8')) as readonly {
  readonly channels: readonly string[]
  readonly because: string
}[]

/** Most exceptions there may be, each with its reason. */
const maxExceptions = 3

/**
 * Channels whose answers tell of the host's own past rather than of records: the audit holds what administrators did, and
 * lists of jobs and backups follow the clock.
 */
const unlike: ReadonlySet<string> = new Set(['audit', 'backups', 'documents', 'registry', 'discovery'])

/** Who manages metadata sees overlays of others, and in plans of changes how many records there are. */
const openToDesigners: ReadonlySet<string> = new Set([
  'metadata effective and layers',
  'metadata writes',
  'mcp metadata plans',
])

async function send(world: World, role: Role, one: LeakCase): Promise<Answered> {
  if (one.perform !== undefined) return one.perform({ url: world.host.host.url, headers: headersOf(world.host, role) })
  const path = one.path.startsWith('//') ? one.path.slice(1) : `/api/v1${one.path}`
  return callHost(world.host, one.method, path, one.body, { ...one.headers, ...headersOf(world.host, role) })
}

/** Two hosts on copies of one folder, with other values in everything hidden, and more hidden rows in the second. */
async function withTwins<T>(
  seed: number,
  thorough: boolean,
  change: Change,
  fn: (worlds: [World, World]) => Promise<T>,
): Promise<T> {
  const startMs = Date.UTC(2026, 2, 1, 8)
  const first = await startWorldHost({ change, clock: createManualClock(startMs) })
  let base: World
  try {
    base = await buildWorld(first, createCanaryBook(seed), thorough)
  } catch (error) {
    await endWorldHost(first)
    throw error
  }
  await first.stop()
  const copy = mkdtempSync(join(tmpdir(), 'cairn-leak-'))
  cpSync(base.dataDir, copy, { recursive: true })
  const hosts = []
  try {
    const worlds: World[] = []
    for (const [at, dataDir] of [base.dataDir, copy].entries()) {
      const host = await startWorldHost({ change, clock: createManualClock(startMs + 60_000) }, dataDir)
      hosts.push(host)
      const call: World['call'] = (method, path, body, headers) =>
        callHost(host, method, `/api/v1${path}`, body, { ...headersOf(host, undefined), ...headers })
      const world = { ...base, host, dataDir, call }
      worlds.push(await hideValues(world, { book: createCanaryBook(seed + 1 + at), more: at === 1 }))
    }
    const [a, b] = worlds as [World, World]
    // Both are asked for what the first one holds.
    return await fn([a, { ...b, guesses: a.guesses }])
  } finally {
    for (const host of hosts) await endWorldHost(host)
  }
}

/** The text of an answer; of an archive that of its files, whose times are those of the clock. */
function textOf(bytes: Uint8Array): string {
  const entries = archiveEntries(Buffer.from(bytes))
  return entries.length === 0 ? Buffer.from(bytes).toString('latin1') : entries.join('\n')
}

/** Ids as every answer of one host names them, the others by the order in which they came up. */
function createMask(known: readonly string[]) {
  const numbers = new Map(known.map((id, at) => [id, `known-${at}`]))
  return (answer: Answered): string => {
    const kept = answer.headers.filter(([name]) => ['etag', 'content-type', 'last-modified', 'vary'].includes(name))
    let text = `${answer.status} ${JSON.stringify(kept)} ${textOf(answer.bytes)}`
    text = text.replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => {
      if (!numbers.has(id)) numbers.set(id, `new-${numbers.size}`)
      return numbers.get(id)!
    })
    return text
      .replaceAll(/"(requestId|startedAt|completedAt|timestamp)":"[^"]*"/g, '"$1":""')
      .replaceAll(/"(durationMs|eventId|lastEventId|seq)":"?\d+"?/g, '"$1":0')
      .replaceAll(/nextCursor(\\*)":\\*"([^"\\]*)/g, (_, _slash, cursor: string) => `nextCursor:${cursor.length}`)
      .replaceAll(/\$skiptoken=([\w-]+)/g, (_, cursor: string) => `$skiptoken=${cursor.length}`)
      .replaceAll(/(confirmToken\\*":\\*")[^"\\]*/g, '$1')
      .replaceAll(/127\.0\.0\.1:\d+/g, 'host')
  }
}

/** Pairs of answers of the two hosts that differ. */
async function countDifferences(context: CheckContext, change: Change, tried = channels): Promise<number> {
  if (exceptions.length > maxExceptions) return NaN
  const excepted = new Set(exceptions.flatMap((one) => one.channels))
  return withTwins(context.seed + 10, isThorough(context), change, async (worlds) => {
    const known = Object.values(worlds[0])
      .flat()
      .filter((value): value is string => typeof value === 'string')
    // What each world got an id of its own for.
    const own = worlds.map(({ job, notice, flowRun, delivery, file }) => [job, notice, flowRun, delivery, file])
    const masks = own.map((ids) => createMask([...known.filter((id) => !own.flat().includes(id)), ...ids]))
    let pairs = 0
    let listed = 0
    let differences = 0
    for (const [at, role] of roles.entries()) {
      for (const [channel, casesOf] of Object.entries(tried)) {
        if (unlike.has(channel) || (role === 'designer' && openToDesigners.has(channel))) continue
        const cases = worlds.map((world) => casesOf(world, role, at))
        const numbers = [...cases[0]!.keys()]
        listed += numbers.length
        // Not even asked: what such an answer tells is known, and a row it made in one host alone would be seen by others.
        if (excepted.has(channel)) continue
        const drawn =
          tried === channels
            ? drawCases({ ...context, seed: listed }, numbers, startsProcesses.has(channel) ? 0.05 : 0.12)
            : numbers
        for (const number of drawn) {
          const told = await Promise.all(
            worlds.map(async (world, side) => masks[side]!(await send(world, role, cases[side]![number]!))),
          )
          pairs += 1
          if (told[0] === told[1]) continue
          differences += 1
          const one = cases[0]![number]!
          const begin = [...told[0]!].findIndex((letter, index) => letter !== told[1]![index]) - 80
          context.log(
            `${role} ${channel}: ${one.method} ${one.path} ${JSON.stringify(one.body) ?? ''} answers ${told
              .map((text) => text.slice(Math.max(0, begin), begin + 260))
              .join('\n   and ')}`,
          )
        }
      }
    }
    context.log(`${pairs} of ${listed} pairs of answers`)
    return tried !== channels || listed >= minimumOf('oraclePairs') ? differences : NaN
  })
}

/** Clauses in which a hidden field is told from one that does not exist. */
async function countToldFields(context: CheckContext, change: Change, share = 0.25): Promise<number> {
  const host = await startWorldHost({ change })
  try {
    const book = createCanaryBook(context.seed)
    const world = await hideValues(await buildWorld(host, book, true), { book, more: false })
    let cases = 0
    let told = 0
    for (const role of roles.filter((one) => one !== 'designer')) {
      for (const [name, clause] of Object.entries(fieldClauses)) {
        const fields = Object.values(world.fields)
        cases += fields.length
        for (const field of drawCases({ ...context, seed: cases }, fields, share)) {
          const texts: string[] = []
          for (const asked of [
            field,
            `zz_no_field${'y'.repeat(Math.max(0, field.length - 11))}`.slice(0, field.length),
          ]) {
            const mask = createMask([])
            texts.push(mask(await send(world, role, clause(asked, world))).replaceAll(asked, 'FIELD'))
          }
          if (texts[0] === texts[1]) continue
          told += 1
          context.log(`${role} ${name} ${field}: ${texts.map((text) => text.slice(0, 400)).join('\n   and ')}`)
        }
      }
    }
    context.log(`${cases} clauses`)
    return cases >= minimumOf('oracleClauses') ? told : NaN
  } finally {
    await endWorldHost(host)
  }
}

/** Channels enough to notice a careless authorizer. */
const telling = Object.fromEntries(
  Object.entries(channels).filter(([name]) => ['list', 'sort', 'count', 'search', 'rank', 'groups'].includes(name)),
)

const asIs: Change = (plugins) => plugins

/** An authorizer that forgets one thing. */
const careless =
  (forget: (given: Authorizer) => Authorizer): Change =>
  (plugins) =>
    withAuthorizer(plugins, forget)

const forgetFields = careless((given) => ({ ...given, canField: () => true }))
const forgetRows = careless((given) => ({
  ...given,
  rowCondition: (ctx, object, action) => (given.canObject(ctx, object, action) ? null : false),
}))

defineCheck({
  id: 'C2',
  file: 'oracle',
  stage: 2,
  unit: 'pairs of answers that tell hidden values apart',
  target: 0,
  run: (context) => countDifferences(context, asIs),
  twin: async (context) =>
    Math.min(
      await countDifferences(context, forgetFields, telling),
      await countDifferences(context, forgetRows, telling),
    ),
})

defineCheck({
  id: 'C2f',
  file: 'oracle',
  stage: 2,
  unit: 'clauses that tell a hidden field from none',
  target: 0,
  run: (context) => countToldFields(context, asIs),
  twin: (context) => countToldFields(context, forgetFields),
})
