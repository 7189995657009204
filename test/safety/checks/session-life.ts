// Sessions end: idle after seven days, whatever happens after thirty, and at once when somebody ends them (D5).
import { createManualClock } from '#main/kernel/clock.ts'
import type { ManualClock } from '#main/kernel/clock.ts'
import type { AuthDoors } from '../../support/auth-doors.ts'
import { neverForgetting, withAuthDoors } from '../../support/auth-doors.ts'
import { createAuthHost, password } from '../../support/auth-host.ts'
import type { AuthHost } from '../../support/auth-host.ts'
import { cookiesOf, send, sendMany } from '../identity-client.ts'
import { minimumOf } from '../minimums.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'

const dayMs = 86_400_000
const nextPassword = 'another long password'

/** A session by each way it can be carried. */
interface Carried {
  readonly token: string
  readonly cookie: string
}

async function open(host: AuthHost, name: string, rememberMe = true): Promise<Carried> {
  const body = { username: name, password, rememberMe }
  const answer = await send(host, 'POST', '/auth/sign-in/username', { body })
  if (answer.status !== 200) throw new Error(`${name} could not sign in: ${JSON.stringify(answer.body)}`)
  return { token: answer.body.token as string, cookie: cookiesOf(answer) }
}

/** How many of the ways still let in. */
async function countOpen(host: AuthHost, { token, cookie }: Carried): Promise<number> {
  const signed = decodeURIComponent(cookie.slice(cookie.indexOf('=') + 1).split(';')[0]!)
  const ways: Record<string, string>[] = [
    { authorization: `Bearer ${token}` },
    { authorization: `Bearer ${signed}` },
    { cookie },
  ]
  const answers = await Promise.all(ways.map((headers) => send(host, 'GET', '/permissions/effective', { headers })))
  return answers.filter(({ status }) => status === 200).length
}

/** Ways to end somebody's sessions, from inside and by others. */
const endings: Readonly<Record<string, (host: AuthHost, id: string, own: Carried) => Promise<unknown>>> = {
  'signing out': (host, _id, { token }) => send(host, 'POST', '/auth/sign-out', { token, body: {} }),
  'ending it by its token': (host, _id, { token }) =>
    send(host, 'POST', '/auth/revoke-session', { token, body: { token } }),
  'ending it by its handle': async (host, _id, { token }) => {
    const { body } = await send(host, 'GET', '/auth/list-sessions', { token })
    return send(host, 'POST', '/auth/revoke-session', { token, body: { token: body.at(-1).token as string } })
  },
  'ending all': (host, _id, { token }) => send(host, 'POST', '/auth/revoke-sessions', { token, body: {} }),
  'ending all others from another one': async (host, id) => {
    const { token } = await open(host, (await host.get(`/auth/admin/get-user?id=${id}`)).body.username as string)
    return send(host, 'POST', '/auth/revoke-other-sessions', { token, body: {} })
  },
  'an administrator ending all': (host, userId) => host.post('/auth/admin/revoke-user-sessions', { userId }),
  'an administrator ending one': (host, _id, { token }) =>
    host.post('/auth/admin/revoke-user-session', { sessionToken: token }),
  'being shut out': (host, userId) => host.post('/auth/admin/ban-user', { userId }),
  'a change of role': (host, userId) => host.post('/auth/admin/set-role', { userId, role: 'admin' }),
  'a password an administrator set': (host, userId) =>
    host.post('/auth/admin/set-user-password', { userId, newPassword: nextPassword }),
  'a password changed with the end of others': async (host, id) => {
    const { token } = await open(host, (await host.get(`/auth/admin/get-user?id=${id}`)).body.username as string)
    const body = { currentPassword: password, newPassword: nextPassword, revokeOtherSessions: true }
    return send(host, 'POST', '/auth/change-password', { token, body })
  },
  'a password that was reset': async (host, id) => {
    const { email } = (await host.get(`/auth/admin/get-user?id=${id}`)).body as { email: string }
    await send(host, 'POST', '/auth/request-password-reset', { body: { email } })
    const token = new URL(await host.waitingMail(email, 'reset-password')).pathname.split('/').at(-1)
    return send(host, 'POST', '/auth/reset-password', { body: { token, newPassword: nextPassword } })
  },
  'being deleted': (host, userId) => host.post('/auth/admin/remove-user', { userId }),
}

/** Credentials that let in after their end; `log` names them. */
async function countUsable(context: CheckContext, doors: AuthDoors): Promise<number> {
  const clock = createManualClock(Date.now())
  const host = await createAuthHost({}, { clock, plugins: withAuthDoors(doors) })
  try {
    let usable = 0
    let cases = 0
    const expectOpen = async (what: string, session: Carried, ways: 0 | 3): Promise<void> => {
      const found = await countOpen(host, session)
      cases += 1
      if (found === ways) return
      // A session that ends too early is no leak, but then the check sees nothing.
      if (ways === 3) throw new Error(`${what}: a session that should hold does not.`)
      usable += found
      context.log(`${what}: ${found} ways still let in`)
    }
    for (const [number, [what, end]] of Object.entries(endings).entries()) {
      const { id } = await host.account(`person${number}`)
      const own = await open(host, `person${number}`)
      const second = await open(host, `person${number}`)
      await expectOpen(what, own, 3)
      await end(host, id, own)
      await expectOpen(what, own, 0)
      // What ends one session leaves the others, so only the rest must have ended the second too.
      if (!/^(signing out|ending it|an administrator ending one)/.test(what)) await expectOpen(what, second, 0)
    }
    await host.account('racer')
    const raced = await open(host, 'racer')
    const requests = sendMany(40, () => send(host, 'GET', '/permissions/effective', { token: raced.token }))
    await send(host, 'POST', '/auth/revoke-sessions', { token: raced.token, body: {} })
    await requests
    await expectOpen('ended among 40 requests', raced, 0)
    await host.restart()
    await expectOpen('ended before a restart', raced, 0)
    await countByClock(host, clock, expectOpen)
    usable += await countConsole(context, host, clock)
    context.log(`${cases} cases`)
    return cases >= minimumOf('sessionCases') ? usable : NaN
  } finally {
    await host.stop()
  }
}

async function countByClock(
  host: AuthHost,
  clock: ManualClock,
  expectOpen: (what: string, session: Carried, ways: 0 | 3) => Promise<void>,
): Promise<void> {
  const start = clock.now()
  for (const name of ['idle', 'used', 'short']) await host.account(`${name}_one`)
  const [idle, used, short] = [
    await open(host, 'idle_one'),
    await open(host, 'used_one'),
    await open(host, 'short_one', false),
  ]
  await expectOpen('not remembered', short, 3)
  for (let day = 1; day <= 29; day += 1) {
    clock.set(start + day * dayMs - 60_000)
    if (day === 7) await expectOpen('idle for almost seven days', idle, 3)
    await expectOpen(`in use, day ${day}`, used, 3)
    // The write that prolongs is on its way.
    await host.host.database.write('wait', () => undefined)
    if (day === 1) continue
    if (day === 2) await expectOpen('not remembered, after a day', short, 0)
    if (day === 15) {
      await expectOpen('idle for seven days', idle, 0)
      await host.restart()
    }
  }
  clock.set(start + 30 * dayMs + 60_000)
  await expectOpen('in use for thirty days', used, 0)
  clock.set(start)
}

/** Browser sessions of the owner that were opened with a one-time code. */
async function countConsole(context: CheckContext, host: AuthHost, clock: ManualClock): Promise<number> {
  const start = clock.now()
  const openConsole = async (): Promise<string> => {
    const headers = { origin: host.host.url }
    const body = { code: host.host.mintCode() }
    return cookiesOf(await send(host, 'POST', '/_console/session', { body, headers }))
  }
  const holds = async (cookie: string): Promise<boolean> =>
    (await send(host, 'GET', '/_console/session', { headers: { cookie } })).status === 200
  const [closed, old, restarted] = [await openConsole(), await openConsole(), await openConsole()]
  for (const cookie of [closed, old]) if (!(await holds(cookie))) throw new Error('A console session does not hold.')
  const headers = { cookie: closed, origin: host.host.url, 'x-requested-with': 'check' }
  await send(host, 'DELETE', '/_console/session', { headers })
  const left = [await holds(closed)]
  clock.set(start + 7 * dayMs + 1_000)
  left.push(await holds(old))
  clock.set(start)
  await host.restart()
  left.push(await holds(restarted))
  const count = left.filter(Boolean).length
  context.log(`console sessions that outlive their end: ${count}`)
  return count
}

defineCheck({
  id: 'D5',
  file: 'identity',
  stage: 2,
  unit: 'ways a session lets in after its end',
  target: 0,
  run: (context) => countUsable(context, {}),
  twin: (context) => countUsable(context, { identities: neverForgetting }),
})
