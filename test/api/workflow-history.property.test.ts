// Any mixture of ways to change states against a model: who may go where, and a history that leads from the first state to
// the present one without a gap (D-163, D-254).
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { PeopledHost } from '../support/test-identities.ts'
import { createPeopledHost } from '../support/test-identities.ts'
import { sized } from '../support/test-size.ts'

const [clerk, chief] = [1, 2]
const states = ['a', 'b', 'c', 'd'] as const
type State = (typeof states)[number]

interface Step {
  readonly name: string
  readonly from: readonly State[]
  readonly to: State
  readonly strict?: boolean
  readonly roles?: readonly string[]
}
const steps: readonly Step[] = [
  { name: 'one', from: ['a'], to: 'b' },
  { name: 'two', from: ['b', 'c'], to: 'c' },
  { name: 'three', from: ['c'], to: 'd', roles: ['chief'] },
  { name: 'four', from: ['b', 'd'], to: 'a', strict: true },
  { name: 'five', from: ['d'], to: 'a' },
]

let host: PeopledHost

beforeAll(async () => {
  host = await createPeopledHost({ users: [{}, {}, {}] })
  await host.patch('/settings', { settings: { rateLimits: { read: null, write: null } } })
  await host.defineObject(
    'piece',
    { state: { type: 'select', options: [...states] } },
    { validations: [{ name: 'walk', type: 'state_machine', field: 'state', initial: 'a', transitions: steps }] },
  )
  await host.saveItem('permission', 'none', { objects: {} })
  await host.saveItem('role', 'chief', { permissionSets: ['none'] })
  await host.assign(chief, { roles: ['chief'] })
}, 60_000)

afterAll(() => host?.stop())

type Way = 'patch' | 'many' | 'batch' | 'tried' | 'failing'
type Deed =
  | { readonly who: number; readonly way: Way; readonly to: State }
  | { readonly who: number; readonly way: 'endpoint'; readonly name: string }

const who = fc.constantFrom(clerk, chief)
const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({
    who,
    way: fc.constantFrom<Way>('patch', 'patch', 'many', 'batch', 'tried', 'failing'),
    to: fc.constantFrom(...states),
  }),
  fc.record({ who, way: fc.constant('endpoint' as const), name: fc.constantFrom(...steps.map(({ name }) => name)) }),
)

const mayTake = ({ roles }: Step, person: number): boolean => roles === undefined || person === chief

/** The state after a deed, and the name it is noted by; null for one that is refused or changes nothing. */
function expected(state: State, one: Deed): { to: State; action: string } | null {
  if (one.way === 'endpoint') {
    const step = steps.find(({ name }) => name === one.name)!
    return step.from.includes(state) && mayTake(step, one.who) ? { to: step.to, action: step.name } : null
  }
  if (one.way === 'tried' || one.way === 'failing' || one.to === state) return null
  const open = steps.filter((step) => step.from.includes(state) && step.to === one.to)
  if (!open.some((step) => step.strict !== true && mayTake(step, one.who))) return null
  return { to: one.to, action: open[0]!.name }
}

async function perform(id: string, one: Deed): Promise<void> {
  const person = host.as(one.who)
  if (one.way === 'endpoint') {
    await person.post(`/workflow/piece/${id}/transition`, { transition: one.name })
    return
  }
  const data = { state: one.to }
  if (one.way === 'patch') await person.patch(`/data/piece/${id}`, data)
  else if (one.way === 'batch')
    await person.post('/batch', { operations: [{ object: 'piece', action: 'update', id, data }] })
  else {
    const wrong = { id: '00000000-0000-7000-8000-0000000000ff', data }
    const records = one.way === 'failing' ? [{ id, data }, wrong] : [{ id, data }]
    await person.post('/data/piece/updateMany', { records, options: { validateOnly: one.way === 'tried' } })
  }
}

it(
  'goes where the model goes, and its history tells how',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { minLength: 20, maxLength: 40 }), async (deeds) => {
        const { id } = (await host.post('/data/piece', {})).body as { id: string }
        let state: State = 'a'
        const told: { fromState: State; toState: State; action: string }[] = []
        for (const one of deeds) {
          await perform(id, one)
          const next = expected(state, one)
          if (next === null) continue
          told.unshift({ fromState: state, toState: next.to, action: next.action })
          state = next.to
        }
        const shown = (await host.get(`/workflow/piece/${id}/state`)).body.state
        expect(shown.currentState).toBe(state)
        expect(
          shown.history.map(({ userId: _user, timestamp: _at, ...rest }: Record<string, unknown>) => rest),
        ).toEqual(told)
      }),
      { numRuns: sized(20, 100, 300) },
    )
  },
  sized(60_000, 600_000),
)
