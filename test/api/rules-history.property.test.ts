// Random rules and random histories of writes against a model in memory that judges with plain functions: what the host
// accepts, which rules it names, what it warns of and what it stores must all agree.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

let host: TestHost
let round = 0

beforeAll(async () => {
  host = await createTestHost()
})

afterAll(() => host.stop())

const states = ['new', 'open', 'done'] as const
type State = (typeof states)[number]

interface Values {
  a: number | null
  b: number | null
  text: string | null
  state: State
}

type Event = 'insert' | 'update' | 'delete'

/** One rule twice: as metadata, and as the fields it finds fault with. */
interface Rule {
  readonly item: Record<string, unknown>
  /** Faults as `field code`; nothing when the rule is obeyed. */
  judge(next: Values, previous: Values | null, others: readonly Values[]): string[]
}

interface Placed extends Rule {
  readonly name: string
  readonly severity: 'error' | 'warning' | 'info'
  readonly events: readonly Event[]
  readonly priority: number
}

const less = (left: number | null, right: number | null): boolean => left !== null && right !== null && left < right

const limit = fc.integer({ min: -3, max: 6 })

const simple: fc.Arbitrary<Rule> = fc.oneof(
  limit.map((bound): Rule => ({
    item: { type: 'script', condition: `record.a > ${bound}`, field: 'a' },
    judge: ({ a }) => (less(bound, a) ? ['a rule_violation'] : []),
  })),
  fc.constant<Rule>({
    item: { type: 'cross_field', condition: 'record.a + record.b > 6', fields: ['a', 'b'] },
    judge: ({ a, b }) => (a !== null && b !== null && a + b > 6 ? ['a rule_violation', 'b rule_violation'] : []),
  }),
  fc.constant<Rule>({
    item: { type: 'script', condition: 'changed("a") && record.a < previous.a', field: 'a' },
    judge: ({ a }, previous) => (previous !== null && less(a, previous.a) ? ['a rule_violation'] : []),
  }),
  fc.constantFrom('^x', 'y$', '^[xy]+$').map((regex): Rule => ({
    item: { type: 'format', field: 'text', regex },
    judge: ({ text }) =>
      text !== null && text.trim() !== '' && !new RegExp(regex).test(text) ? ['text rule_violation'] : [],
  })),
  fc.constant<Rule>({
    item: {
      type: 'script',
      condition: 'record.twice != null && record.twice % 3 == 0 && record.a != 0',
      field: 'twice',
    },
    judge: ({ a }) => (a !== null && a !== 0 && (a * 2) % 3 === 0 ? ['twice rule_violation'] : []),
  }),
)

const rule: fc.Arbitrary<Rule> = fc.oneof(
  { weight: 4, arbitrary: simple },
  {
    weight: 2,
    arbitrary: fc.tuple(simple, simple).map(([then, otherwise]): Rule => ({
      item: { type: 'conditional', when: 'record.state == "open"', then: then.item, otherwise: otherwise.item },
      judge: (next, previous, others) => (next.state === 'open' ? then : otherwise).judge(next, previous, others),
    })),
  },
  {
    weight: 1,
    arbitrary: fc.constant<Rule>({
      item: { type: 'unique', fields: ['b', 'text'], where: { state: { $ne: 'done' } } },
      judge({ b, text, state }, _previous, others) {
        if (b === null || text === null || state === 'done') return []
        const clash = others.some((other) => other.b === b && other.text === text && other.state !== 'done')
        return clash ? ['b not_unique', 'text not_unique'] : []
      },
    }),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom<readonly [State, State][]>(
        [
          ['new', 'open'],
          ['open', 'done'],
        ],
        [
          ['new', 'done'],
          ['done', 'new'],
          ['new', 'open'],
        ],
      )
      .map((moves): Rule => ({
        item: {
          type: 'state_machine',
          field: 'state',
          initial: 'new',
          transitions: Object.fromEntries(
            states.map((from) => [from, moves.filter(([start]) => start === from).map(([, to]) => to)]),
          ),
        },
        judge({ state }, previous) {
          // A record without a state enters the machine where new records do.
          if (previous !== null && state === previous.state) return []
          if (previous === null || (previous.state as State | null) === null)
            return state === 'new' ? [] : ['state invalid_transition']
          return moves.some(([from, to]) => from === previous.state && to === state) ? [] : ['state invalid_transition']
        },
      })),
  },
)

const placed = fc
  .tuple(
    rule,
    fc.constantFrom('error' as const, 'error' as const, 'warning' as const, 'info' as const),
    fc.subarray(['insert', 'update'] as Event[], { minLength: 1 }),
    fc.integer({ min: 1, max: 3 }),
  )
  .map(([of, severity, events, priority]) => ({ ...of, severity, events, priority }))

const write = fc.record({
  kind: fc.constantFrom('create' as const, 'update' as const, 'update' as const, 'update' as const, 'delete' as const),
  /** Which of the records is meant. */
  target: fc.nat({ max: 5 }),
  values: fc.record(
    {
      a: fc.option(fc.integer({ min: -4, max: 7 }), { nil: null }),
      b: fc.option(fc.integer({ min: 0, max: 3 }), { nil: null }),
      text: fc.option(fc.constantFrom('x', 'y', 'xy', 'zz'), { nil: null }),
      state: fc.constantFrom(...states),
    },
    { requiredKeys: [] },
  ),
})

const history = fc.record({
  rules: fc.array(placed, { minLength: 1, maxLength: 5 }),
  /** Whether each rule stands inside of the object or by itself. */
  inline: fc.boolean(),
  writes: fc.array(write, { minLength: 4, maxLength: 16 }),
})

/** The faults a model finds, in the order the host is asked. */
function faultsOf(
  rules: readonly Placed[],
  event: Event,
  next: Values,
  previous: Values | null,
  others: readonly Values[],
): { errors: string[]; warnings: string[] } {
  const found = { errors: [] as string[], warnings: [] as string[] }
  const asked = (late: boolean): void => {
    for (const { name, severity, events, judge, item } of rules) {
      if (!events.includes(event) || (item['type'] === 'unique') !== late) continue
      for (const fault of judge(next, previous, others)) {
        if (severity === 'error') found.errors.push(`${name} ${fault}`)
        else found.warnings.push(`${name} ${severity} ${fault.split(' ')[0]}`)
      }
    }
  }
  asked(false)
  // Rules over other records are asked last, whatever the others say.
  asked(true)
  return found
}

describe('validation rules', () => {
  it('agree with the model over random histories', async () => {
    let refusedWrites = 0
    let storedWrites = 0
    await fc.assert(
      fc.asyncProperty(history, async ({ rules: given, inline, writes }) => {
        const object = `r${(round += 1)}`
        const rules = given
          .map((of, index): Placed => ({ ...of, name: inline ? `rule_${index}` : `${object}.rule_${index}` }))
          .toSorted((one, other) => one.priority - other.priority || (one.name < other.name ? -1 : 1))
        const items = rules.map(({ name, item, severity, events, priority }) => ({
          name,
          severity,
          events,
          priority,
          ...(item['type'] === 'state_machine' ? {} : { message: 'Broken.' }),
          ...item,
        }))
        const fields = {
          a: { type: 'number' },
          b: { type: 'number' },
          text: { type: 'text' },
          state: { type: 'select', options: [...states] },
          twice: { type: 'formula', expression: 'record.a * 2' },
        }
        await host.defineObject(object, fields, inline ? { validations: items } : {})
        if (!inline) {
          for (const item of items) {
            const saved = await host.put(`/meta/validation/${item.name}`, { item: { ...item, object } })
            expect(saved.status).toBe(200)
          }
        }
        const machine = rules.find(({ item, events }) => item['type'] === 'state_machine' && events.includes('insert'))
        const model = new Map<string, Values>()
        for (const { kind, target, values } of writes) {
          const id = [...model.keys()][target % model.size]
          if (kind === 'delete') {
            if (id === undefined) continue
            expect((await host.delete(`/data/${object}/${id}`)).status).toBe(200)
            model.delete(id)
            continue
          }
          const isCreate = kind === 'create' || id === undefined
          const previous = isCreate ? null : model.get(id)!
          const start = { a: null, b: null, text: null, state: machine === undefined ? null : 'new' }
          const next = { ...(previous ?? start), ...values } as Values
          if (previous !== null && JSON.stringify(next) === JSON.stringify(previous)) continue
          const others = [...model].filter(([other]) => isCreate || other !== id).map(([, of]) => of)
          const faults = faultsOf(rules, isCreate ? 'insert' : 'update', next, previous, others)
          const answer = isCreate
            ? await host.post(`/data/${object}`, values)
            : await host.patch(`/data/${object}/${id}`, values)
          const told = (answer.body.error?.details.fieldErrors ?? []).map(
            (error: { rule: string; field: string; code: string }) => `${error.rule} ${error.field} ${error.code}`,
          )
          expect(told).toEqual(faults.errors)
          if (faults.errors.length > 0) {
            const conflict = faults.errors.every((fault) => fault.endsWith('not_unique'))
            expect(answer.status).toBe(conflict ? 409 : 400)
            refusedWrites += 1
            continue
          }
          storedWrites += 1
          expect(answer.status).toBe(isCreate ? 201 : 200)
          const warned = (answer.body.warnings ?? []).map(
            (warning: { rule: string; severity: string; field: string }) =>
              `${warning.rule} ${warning.severity} ${warning.field}`,
          )
          expect(warned).toEqual(faults.warnings)
          model.set(isCreate ? answer.body.id : id, next)
        }
        const stored = (await host.get(`/data/${object}?top=100&sort=id`)).body.records
        expect(
          stored.map(({ id, a, b, text, state, twice }: Values & { id: string; twice: unknown }) => [
            id,
            { a, b, text, state },
            twice,
          ]),
        ).toEqual(
          [...model]
            .sort(([one], [other]) => (one < other ? -1 : 1))
            .map(([id, of]) => [id, of, of.a === null ? null : of.a * 2]),
        )
      }),
      { numRuns: 60 },
    )
    // Both ways must really have been taken.
    expect(refusedWrites).toBeGreaterThan(20)
    expect(storedWrites).toBeGreaterThan(50)
  }, 120_000)
})
