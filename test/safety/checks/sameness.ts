// Nobody learns from an answer, from how long it takes or from the work it makes whether an account exists (N2, N2t, N2c).
import { createManualClock } from '#main/kernel/clock.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { PlatformError } from '#shared/errors.ts'
import { platformError } from '#shared/errors.ts'
import type { AnyHandler } from '../../support/auth-doors.ts'
import { withAuthDoors } from '../../support/auth-doors.ts'
import { createAuthHost, password } from '../../support/auth-host.ts'
import type { AuthHost } from '../../support/auth-host.ts'
import { send } from '../identity-client.ts'
import type { IdentityAnswer } from '../identity-client.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'

/** A step before there is a session, and the body that names somebody. */
interface OpenStep {
  readonly name: string
  readonly path: string
  body(name: string): Record<string, unknown>
  /** Whether the time taken is measured as well; sign-in with a name is sign-in with an address. */
  readonly timed: boolean
}

const email = (name: string): string => `${name}@example.org`

const signInSteps: readonly OpenStep[] = [
  { name: 'login', path: '/auth/login', body: (name) => ({ username: name, password: 'wrong' }), timed: true },
  {
    name: 'sign-in by address',
    path: '/auth/sign-in/email',
    body: (name) => ({ email: email(name), password: 'wrong' }),
    timed: false,
  },
  {
    name: 'sign-in by name',
    path: '/auth/sign-in/username',
    body: (name) => ({ username: name, password: 'wrong' }),
    timed: false,
  },
  {
    name: 'link to reset',
    path: '/auth/request-password-reset',
    body: (name) => ({ email: email(name) }),
    timed: true,
  },
  {
    name: 'link to prove',
    path: '/auth/send-verification-email',
    body: (name) => ({ email: email(name) }),
    timed: false,
  },
  {
    name: 'link that signs in',
    path: '/auth/magic-link/send',
    body: (name) => ({ email: email(name) }),
    timed: true,
  },
]

const signUp: OpenStep = {
  name: 'sign-up',
  path: '/auth/sign-up/email',
  body: (name) => ({ name: 'Somebody', email: email(name), password }),
  timed: true,
}

/** Headers that differ from answer to answer whoever asks. */
const ownHeaders: ReadonlySet<string> = new Set(['x-request-id', 'date', 'x-ratelimit-reset', 'retry-after'])

/** Everything an answer tells, without what was sent and what every answer has of its own. */
function told(answer: IdentityAnswer, name: string): string {
  const headers = Object.entries(answer.headers).filter(([header]) => !ownHeaders.has(header))
  return JSON.stringify([answer.status, answer.body, headers.toSorted()])
    .replaceAll(name, 'NAME')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'INSTANT')
}

type Doors = Parameters<typeof withAuthDoors>[0]

/**
 * Starts the host of these checks. With sign-up open, taken addresses are told apart by D-37 unless addresses must be
 * proved, and then nothing may tell.
 */
async function start(doors: Doors, isOpen: boolean, durable: boolean) {
  const clock = createManualClock(Date.now())
  const host = await createAuthHost(
    {
      plugins: { magicLink: true },
      ...(isOpen ? { emailAndPassword: { disableSignUp: false, requireEmailVerification: true } } : {}),
    },
    { clock, durable, plugins: withAuthDoors(doors) },
  )
  return { host, clock }
}

async function countTelling(context: CheckContext, doors: Doors): Promise<number> {
  let telling = 0
  let pairs = 0
  for (const isOpen of [false, true]) {
    const { host, clock } = await start(doors, isOpen, false)
    try {
      await makeKnown(host)
      for (const step of [...signInSteps, signUp]) {
        const ask = async (name: string): Promise<string> => {
          clock.advance(16 * 60_000)
          return told(await send(host, 'POST', step.path, { body: step.body(name) }), name)
        }
        const stranger = await ask('nobody')
        // Names of one length, so that nothing of the length shows.
        for (const name of ['asking', 'proven', 'banish', 'keyles', 'factor']) {
          pairs += 1
          const known = await ask(name)
          if (known === stranger) continue
          telling += 1
          context.log(`${step.name}, ${name}: ${known.slice(0, 400)} instead of ${stranger.slice(0, 400)}`)
        }
      }
    } finally {
      await host.stop()
    }
  }
  context.log(`${pairs} pairs`)
  return telling
}

/** Accounts in every state: plain, with a proved address, shut out, without a password, with a second factor. */
async function makeKnown(host: AuthHost): Promise<void> {
  const [, proven, banish] = await Promise.all(
    ['asking', 'proven', 'banish', 'factor'].map((name) => host.account(name)),
  )
  await host.post('/auth/admin/update-user', { userId: proven!.id, data: { emailVerified: true } })
  await host.post('/auth/admin/ban-user', { userId: banish!.id })
  await host.post('/auth/admin/create-user', {
    email: email('keyles'),
    name: 'keyles',
    data: { username: 'keyles' },
  })
  await host.host.database.write('factor', (tx) => {
    tx.run({ sql: "UPDATE auth_user SET twoFactorEnabled = 1 WHERE username = 'factor'", parameters: [] })
  })
}

/** Answers at once where the account is unknown, as a careless handler would. */
const hasty =
  (member: 'email' | 'username', refusal: () => PlatformError) =>
  (given: AnyHandler, host: PluginHost): AnyHandler =>
    ((ctx: never, input: { body: Record<string, string> }) => {
      const name = input.body[member] ?? ''
      const sql = 'SELECT 1 FROM auth_user WHERE username = ? OR email = ?'
      if (host.read.get({ sql, parameters: [name, name] }) === undefined) throw refusal()
      return given(ctx, input as never)
    }) as AnyHandler

defineCheck({
  id: 'N2',
  file: 'sameness',
  tier: 'n',
  stage: 2,
  unit: 'answers that tell known accounts from unknown ones',
  target: 0,
  run: (context) => countTelling(context, {}),
  twin: (context) =>
    countTelling(context, {
      handlers: { requestPasswordReset: hasty('email', () => platformError('resource_not_found')) },
    }),
})

/** How much longer known accounts take than unknown ones, or less, in percent of the time it takes: the worst step. */
async function measureDifference(context: CheckContext, doors: Doors): Promise<number> {
  const most = { commit: 30, nightly: 40, release: 200 }[context.size]
  let worst = 0
  for (const isOpen of [false, true]) {
    // As delivered, with its waits for the disk: they are what a row more or less would show in.
    const { host, clock } = await start(doors, isOpen, true)
    try {
      const known = Array.from({ length: 6 }, (_none, index) => `asking${index}`)
      for (const name of known) await host.account(name)
      for (const step of isOpen ? [signUp] : signInSteps.filter(({ timed }) => timed)) {
        const time = async (name: string): Promise<number> => {
          const began = performance.now()
          await send(host, 'POST', step.path, { body: step.body(name) })
          return performance.now() - began
        }
        const differences: number[] = []
        const all: number[] = []
        // Making accounts is slow on purpose.
        const samples = step === signUp ? most / 2 : most
        for (let sample = -3; sample < samples; sample += 1) {
          clock.advance(16 * 60_000)
          const pair = [known[Math.abs(sample) % known.length]!, `nobody${String(Math.abs(sample) % 6)}`]
          // A new address each time where an account comes to be.
          if (step === signUp) pair[1] = `nobody${sample + 10}`
          const isKnownFirst = sample % 2 === 0
          const first = await time(pair[isKnownFirst ? 0 : 1]!)
          const second = await time(pair[isKnownFirst ? 1 : 0]!)
          // The first of all load code.
          if (sample < 0) continue
          differences.push(isKnownFirst ? first - second : second - first)
          all.push(first, second)
        }
        const shift = (provenShift(differences) / median(all)) * 100
        context.log(
          `${step.name}: ${median(all).toFixed(2)} ms, known and unknown differ by ${shift.toFixed(2)} % or more`,
        )
        worst = Math.max(worst, shift)
      }
    } finally {
      await host.stop()
    }
  }
  return worst
}

/**
 * The least shift that the differences prove with 95 % certainty; 0 when they are as likely to mean nothing. From the means
 * of all pairs of them (Hodges and Lehmann, with the interval of Wilcoxon's test): single slow samples hardly count, and a
 * busy machine makes the interval wider, not the shift larger.
 */
function provenShift(values: readonly number[]): number {
  const means: number[] = []
  const { length } = values
  for (let a = 0; a < length; a += 1) for (let b = a; b < length; b += 1) means.push((values[a]! + values[b]!) / 2)
  means.sort((a, b) => a - b)
  const spread = 1.96 * Math.sqrt((length * (length + 1) * (2 * length + 1)) / 24)
  const edge = Math.max(0, Math.floor((length * (length + 1)) / 4 - spread))
  const [least, most] = [means[edge]!, means[means.length - 1 - edge]!]
  return least <= 0 && most >= 0 ? 0 : Math.min(Math.abs(least), Math.abs(most))
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[sorted.length >> 1]!
}

defineCheck({
  id: 'N2t',
  file: 'sameness',
  tier: 'n',
  stage: 2,
  unit: '% of its time by which an answer about a known account is proved to differ from one about an unknown account',
  target: { atMost: 5 },
  run: (context) => measureDifference(context, {}),
  twin: (context) =>
    measureDifference(context, {
      handlers: { login: hasty('username', () => platformError('invalid_credentials')) },
    }),
})

/**
 * By how much the processor works longer for known names than for unknown ones, or less: the median of pairs that are asked
 * for one after the other, in turns. What other programs do takes time, not this process's work, so that a busy machine
 * does not show; a hash that is left out does.
 */
async function measureWork(context: CheckContext, doors: Doors): Promise<number> {
  const pairs = { commit: 9, nightly: 31, release: 61 }[context.size]
  const { host, clock } = await start(doors, false, false)
  try {
    await makeKnown(host)
    let worst = 0
    for (const step of signInSteps.filter(({ path }) => /login|sign-in/.test(path))) {
      const work = async (name: string): Promise<number> => {
        clock.advance(16 * 60_000)
        const before = process.cpuUsage()
        await send(host, 'POST', step.path, { body: step.body(name) })
        const { user, system } = process.cpuUsage(before)
        return (user + system) / 1000
      }
      // What an account is in is judged after its password, whatever the step is called.
      for (const name of step.timed ? ['asking', 'banish', 'keyles'] : ['asking']) {
        const differences: number[] = []
        for (let pair = -2; pair < pairs; pair += 1) {
          const isKnownFirst = pair % 2 === 0
          const first = await work(isKnownFirst ? name : 'nobody')
          const second = await work(isKnownFirst ? 'nobody' : name)
          // The first of all load code.
          if (pair >= 0) differences.push(isKnownFirst ? first - second : second - first)
        }
        const difference = Math.abs(median(differences))
        context.log(`${step.name}, ${name}: ${difference.toFixed(2)} ms of work`)
        worst = Math.max(worst, difference)
      }
    }
    return worst
  } finally {
    await host.stop()
  }
}

defineCheck({
  id: 'N2c',
  file: 'sameness',
  tier: 'n',
  stage: 2,
  unit: 'ms of processor time by which signing in with a known name differs from an unknown one',
  // A hash takes some 50 ms.
  target: { atMost: 10 },
  run: (context) => measureWork(context, {}),
  twin: (context) =>
    measureWork(context, {
      handlers: { login: hasty('username', () => platformError('invalid_credentials')) },
    }),
})
