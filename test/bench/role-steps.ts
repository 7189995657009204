// The steps about rights: what the same requests cost a person with a limited role, against the local owner's in the same
// run. The person has the object, one row rule beside ownership and shares, and two fields it cannot see.
import { runLoad, wireRequest } from './load.ts'
import type { RequestSource, WireRequest } from './load.ts'
import { alternate, anyId, shapeAt } from './measures.ts'
import type { Run, Sample, Step } from './measures.ts'
import { searchTexts } from './rows.ts'
import { processorMs } from './servers.ts'
import { ask, createTarget } from './targets.ts'
import type { Target } from './targets.ts'

const password = 'a password for the benchmark'

/** Nearly every row, by a field that must be looked at: the answers are as large as the owner's. */
const condition = 'record.priority >= 0 && record.title != "none"'

const limitedTargets = new WeakMap<Target, Promise<Target>>()

/** Cairn as the limited person asks it; the person is made at the first step of a run. */
function limitedTarget(run: Run): Promise<Target> {
  let made = limitedTargets.get(run.cairn)
  if (made === undefined) limitedTargets.set(run.cairn, (made = makePerson(run.cairn)))
  return made
}

async function makePerson({ server }: Target): Promise<Target> {
  const call = async (method: string, path: string, body: unknown, token = server.token): Promise<unknown> => {
    const bytes = wireRequest({
      method,
      path: `/api/v1${path}`,
      port: server.port,
      headers: token === '' ? {} : { authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    })
    return JSON.parse((await ask(server, { bytes, status: 200 })).body.toString())
  }
  // A bucket would measure itself. The connection token has none.
  await call('PATCH', '/settings', { rateLimits: { read: null, heavy: null } })
  await call('PUT', '/meta/permission/limited', {
    name: 'limited',
    objects: { task: { allowRead: true }, project: { allowRead: true } },
    fields: { 'task.notes': { readable: false }, 'task.done': { readable: false } },
    rowLevelSecurity: [{ name: 'wanted', object: 'task', actions: ['read'], condition }],
  })
  const account = { email: 'limited@example.org', name: 'Limited', password, data: { username: 'limited' } }
  const { user } = (await call('POST', '/auth/admin/create-user', account)) as { user: { id: string } }
  await call('PUT', `/permissions/assignments/${user.id}`, { profile: 'guest', permissionSets: ['limited'] })
  const login = { username: 'limited', password }
  const { token } = (await call('POST', '/auth/login', login, '')) as { token: string }
  return createTarget({ ...server, token })
}

/** Milliseconds of one request, taken from the rate of many at once. */
async function timeOf(target: Target, connections: number, ms: number, source: RequestSource): Promise<Sample> {
  const before = processorMs(target.server.pid)
  const result = await runLoad(target.server.port, connections, { ms }, source)
  return { value: 1_000 / result.rate, cpuMs: (processorMs(target.server.pid) - before) / result.requests }
}

function roleStep(
  id: string,
  label: string,
  connections: number,
  request: (target: Target, index: number, run: Run) => WireRequest,
): Step {
  return {
    id: `roles-${id}`,
    label: `limited role: ${label}`,
    unit: 'ms',
    better: 'lower',
    goal: 1.25,
    reference: 'owner',
    async measure(run) {
      const limited = await limitedTarget(run)
      const measure = (target: Target): Promise<Sample> =>
        timeOf(target, connections, run.burstMs, (index) => request(target, index, run))
      for (const target of [run.cairn, limited]) await measure(target)
      return alternate(
        run,
        () => measure(limited),
        () => measure(run.cairn),
      )
    },
  }
}

/** The steps, in the order they run. */
export const roleSteps: readonly Step[] = [
  roleStep('get', 'get by id', 16, (target, _index, run) => target.get(anyId(run.rows))),
  roleStep('list', 'list 20', 16, (target) => target.listPlain()),
  roleStep('filter', 'list 20, two filters and sort', 16, (target, index) => target.list(shapeAt(index))),
  roleStep('search', 'full-text search', 1, (target, index) => target.search(searchTexts[index % searchTexts.length]!)),
  roleStep('group', 'group-by over all rows', 1, (target) => target.group()),
]
