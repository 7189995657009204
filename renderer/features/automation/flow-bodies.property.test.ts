// What the editor of flows does to a definition: nothing that nobody asked for, however deep a step is.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { completionAt } from '../../components/complete-expression.ts'
import { controlsOf, readAs, writtenAs } from './config-schema.ts'
import { expressionNames } from './expression-names.ts'
import { allSteps, bodiesOf, changeGraph, graphAt, newNode, placeKey, placeOfPath } from './flow-bodies.ts'
import { addNode, addNodeOn, changeNode, definitionOf, flowDraftOf, outlineOf, removeNode } from './flow-draft.ts'
import { drawFlow } from './flow-layout.ts'
import { configProblems } from './flow-problems.ts'

const graphSchema = { type: 'object', properties: { nodes: { type: 'array' }, edges: { type: 'array' } } }
const listSchema = { type: 'array', items: graphSchema }
const schemas = [
  {
    type: 'loop',
    configSchema: { properties: { collection: {}, body: graphSchema }, required: ['collection', 'body'] },
  },
  { type: 'parallel', configSchema: { properties: { branches: listSchema }, required: ['branches'] } },
  { type: 'try_catch', configSchema: { properties: { try: graphSchema, catch: graphSchema }, required: ['try'] } },
]

/** Flows are large. */
const few = { numRuns: 30 }

type Graph = { nodes: Record<string, unknown>[]; edges: Record<string, unknown>[] }

/** A configuration of each type of D-151 that has no body, every member of it set. */
const configs: Readonly<Record<string, Record<string, unknown>>> = {
  decision: { expression: { dialect: 'cel', source: 'record.a > 1' } },
  assignment: { assignments: [{ variable: 'a', operator: 'append', value: '{{ item }}' }] },
  create_record: { object: 'task', data: { title: '{{ record.title }}', done: false, rank: 7, tags: ['a, b', 'c'] } },
  get_record: { object: 'task', filter: { a: { gt: 1 } }, select: ['id'], sort: '-a', first: false, top: 5 },
  update_record: { object: 'task', id: '{{ record.id }}', data: { n: null } },
  delete_record: { object: 'task', filter: "status eq 'done'" },
  upsert_record: { object: 'task', matchFields: ['code'], data: {} },
  http_request: {
    method: 'POST',
    url: 'https://x.example/{{ run.id }}',
    headers: { a: 'b' },
    body: [1],
    parse: 'text',
  },
  http: { method: 'GET', url: 'https://x.example', auth: { type: 'bearer', token: '***' }, timeoutMs: 5 },
  webhook: { name: 'told', payload: { a: { b: [true] } } },
  notify: { to: ['u1', 'u2'], title: 't', body: 'two\nlines', channels: ['in_app'], actionUrl: '#/x' },
  send_email: { to: '{{ record.mail }}', subject: 's', template: 'welcome', data: { a: 1 } },
  script: { source: 'return input', input: { a: '{{ vars.a }}' } },
  screen: { title: 't', fields: [{ name: 'why', label: 'Why', type: 'select', required: true, options: ['a'] }] },
  wait: { condition: { object: 'task', recordId: 'x', expression: 'record.a' }, timeoutSeconds: 9, onTimeout: 'fail' },
  approval: { approvers: [{ type: 'user', id: 'u' }], behavior: 'unanimous', lockRecord: true },
  transition: { object: 'task', recordId: 'x', transition: 'close', comment: 'c', data: {} },
  subflow: { flow: 'other', inputs: { a: '1' }, wait: false },
  analytics_query: { object: 'task', measures: ['count'] },
  ai_prompt: { prompt: 'p', schema: { type: 'object' } },
  transform: { expression: 'record.a * 2' },
  log: { message: 'm', level: 'warn' },
  end: { status: 'failed', message: 'm', output: { a: '{{ vars.a }}' } },
  'made_up.by_plugin': { deep: { er: [{ nodes: 'no graph' }] } },
}

const extra = fc.record(
  {
    label: fc.string({ maxLength: 5 }),
    position: fc.record({ x: fc.integer(), y: fc.integer() }),
    timeoutMs: fc.nat(),
    retry: fc.record({ strategy: fc.constantFrom('fail', 'retry', 'continue'), maxRetries: fc.nat(10) }),
    outputVariable: fc.constantFrom('a', 'b'),
    idempotent: fc.boolean(),
    more: fc.jsonValue(),
  },
  { requiredKeys: [] },
)

/** A graph of a depth; ids are unlike each other in all of it. */
function graphs(prefix: string, depth: number): fc.Arbitrary<Graph> {
  const leaf = fc.constantFrom(...Object.entries(configs)).map(([type, config]) => ({ type, config }))
  const inner = (place: string): fc.Arbitrary<Graph> => graphs(`${prefix}${place}_`, depth - 1)
  const holder =
    depth === 0
      ? leaf
      : fc.oneof(
          leaf,
          inner('l').map((body) => ({
            type: 'loop',
            config: { collection: '{{ vars.a }}', itemVariable: 'one', body },
          })),
          fc.tuple(inner('p'), inner('q')).map(([a, b]) => ({
            type: 'parallel',
            config: {
              branches: [
                { name: 'a', ...a },
                { name: 'b', note: 'kept', ...b },
              ],
            },
          })),
          fc.tuple(inner('t'), fc.option(inner('c'))).map(([body, other]) => ({
            type: 'try_catch',
            config: { try: body, ...(other ? { catch: other } : {}), errorVariable: 'oops' },
          })),
        )
  return fc.array(fc.tuple(holder, extra), { minLength: 1, maxLength: 4 }).chain((all) =>
    fc
      .array(
        fc.record(
          {
            type: fc.constantFrom('default', 'conditional', 'fault'),
            condition: fc.constantFrom<unknown>('vars.a > 1', { dialect: 'cel', source: 'x' }),
            label: fc.constantFrom('yes', 'no'),
            isDefault: fc.boolean(),
          },
          { requiredKeys: [] },
        ),
        { minLength: all.length, maxLength: all.length },
      )
      .map((ways) => ({
        nodes: all.map(([node, members], at) => ({ id: `${prefix}${at}`, ...node, ...members })),
        edges: ways.slice(1).map((way, at) => ({
          ...way,
          id: `${prefix}e${at}`,
          source: `${prefix}${at}`,
          target: `${prefix}${at + 1}`,
        })),
      })),
  )
}

const flows = fc
  .record({
    graph: graphs('n', 2),
    label: fc.constantFrom('A flow', ''),
    description: fc.option(fc.constant('What it does'), { nil: undefined }),
    errorHandling: fc.option(fc.constant({ strategy: 'retry', maxRetries: 2, more: 1 }), { nil: undefined }),
    variables: fc.option(fc.constant([{ name: 'a', type: 'array', defaultValue: [], note: 'kept' }]), {
      nil: undefined,
    }),
    runsOn: fc.option(fc.constant('some-device'), { nil: undefined }),
  })
  .map(
    ({ graph, ...members }) =>
      // JSON, as it is stored: what is undefined is not there.
      JSON.parse(JSON.stringify({ type: 'autolaunched', runAs: 'system', ...members, ...graph })) as Record<
        string,
        unknown
      >,
  )

describe('a flow of any steps, with steps inside of them', () => {
  it('is saved as it was read, and so after a step was changed and changed back', () => {
    fc.assert(
      fc.property(flows, fc.nat(), (item, number) => {
        const draft = flowDraftOf(item)
        expect(definitionOf(draft, item)).toEqual(item)
        const steps = allSteps(draft, schemas)
        const { path, id, node } = steps[number % steps.length]!
        const other = changeGraph(draft, path, (at) => changeNode(at, id, { label: 'Other' }))
        expect(graphAt(other, path)!.nodes.find((one) => one.id === id)!.label).toBe('Other')
        expect(allSteps(other, schemas).filter((one) => one.node.label === 'Other').length).toBeGreaterThan(0)
        const back = changeGraph(other, path, (at) => changeNode(at, id, { label: node.label }))
        expect(definitionOf(back, item)).toEqual(item)
      }),
      few,
    )
  })

  it('takes a step in any of its graphs and gives it back', () => {
    fc.assert(
      fc.property(flows, fc.nat(), (item, number) => {
        const draft = flowDraftOf(item)
        const steps = allSteps(draft, schemas)
        const { path, id } = steps[number % steps.length]!
        let added = ''
        const fresh = newNode({ type: 'parallel', name: 'Two at a time' }, draft, schemas)
        const longer = changeGraph(draft, path, (at) => {
          const way = at.edges.find((edge) => edge.source === id)
          const [next, made] = way ? addNodeOn(at, fresh, way.id) : addNode(at, fresh, id)
          added = made
          return next
        })
        expect(steps.map((one) => one.id)).not.toContain(added)
        const found = allSteps(longer, schemas).find((one) => one.id === added)!
        expect([placeKey({ path: found.path, id: '' }), bodiesOf(found.node, schemas).length]).toEqual([
          placeKey({ path, id: '' }),
          2,
        ])
        const again = changeGraph(longer, path, (at) => removeNode(at, added))
        expect(allSteps(again, schemas).map(placeKey)).toEqual(steps.map(placeKey))
      }),
      few,
    )
  })

  it('is drawn with every step once, none on another, those inside of a step within it', () => {
    fc.assert(
      fc.property(flows, (item) => {
        const draft = flowDraftOf(item)
        const steps = allSteps(draft, schemas)
        const drawing = drawFlow(draft, schemas)
        expect(drawing.steps.map(({ key }) => key).toSorted()).toEqual(steps.map(placeKey).toSorted())
        const edges = [draft, ...drawing.frames.map(({ path }) => graphAt(draft, path)!)].flatMap(
          (graph) => graph.edges,
        )
        expect(drawing.ways).toHaveLength(edges.length)
        for (const [at, one] of drawing.steps.entries()) {
          expect([one.x >= 0, one.y >= 0, one.x + one.width <= drawing.width + 0.01]).toEqual([true, true, true])
          for (const other of drawing.steps.slice(at + 1)) {
            const apart =
              one.x + one.width <= other.x ||
              other.x + other.width <= one.x ||
              one.y + one.height <= other.y ||
              other.y + other.height <= one.y
            const within = placeKey({ path: other.path, id: '' }).startsWith(`${one.key}/`)
            expect(apart !== within, `${one.key} and ${other.key}`).toBe(true)
          }
        }
      }),
      few,
    )
  })

  it('finds the step a path of the host is in', () => {
    fc.assert(
      fc.property(flows, (item) => {
        const draft = flowDraftOf(item)
        for (const { path, id, node } of allSteps(draft, schemas)) {
          let at: unknown = item
          let text = ''
          for (const step of [...path, undefined]) {
            const nodes = (at as Graph).nodes
            const index = nodes.findIndex((one) => one['id'] === (step?.node ?? id))
            text += `nodes.${index}`
            if (!step) break
            text += `.config.${step.place}.`
            at = step.place
              .split('.')
              .reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], nodes[index]!['config'])
          }
          const found = placeOfPath(draft, `${text}.config.message`)
          expect([found && placeKey(found), found?.member]).toEqual([placeKey({ path, id }), 'config.message'])
          const problem = { nodeId: node.id, edgeId: '', path: `${text}.config.message`, message: 'wrong' }
          expect(configProblems([problem], draft, { path, id })).toMatchObject([{ field: 'message' }])
        }
      }),
      few,
    )
  })

  it('shows every value of a configuration so that it is read back', () => {
    for (const config of Object.values(configs))
      for (const value of Object.values(config)) {
        const kind = typeof value === 'string' ? 'text' : Array.isArray(value) ? 'words' : 'json'
        const isListOfWords = Array.isArray(value) && value.every((one) => typeof one === 'string')
        expect(
          readAs(
            isListOfWords || kind !== 'words' ? kind : 'json',
            writtenAs(isListOfWords || kind !== 'words' ? kind : 'json', value),
          ),
        ).toEqual(value)
      }
    fc.assert(
      fc.property(fc.array(fc.string()), (words) => {
        expect(readAs('words', writtenAs('words', words))).toEqual(words)
      }),
    )
    const kinds = controlsOf({
      properties: {
        body: graphSchema,
        branches: listSchema,
        condition: { type: 'object', properties: { object: { type: 'string' } } },
        fields: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
      },
    })
    expect(kinds.map(({ kind }) => kind).join(' ')).toBe('body bodies group rows')
  })
})

describe('names in an expression', () => {
  const names = [
    { text: 'record.amount', label: 'Amount' },
    { text: 'vars.amounts', label: '' },
    { text: 'steps["log_1"].output', label: 'Log' },
  ]
  const offered = (text: string, options = {}): string[] | undefined =>
    completionAt(text, text.length, names, options)?.names.map(({ text: name }) => name)

  it('complete what is typed by their beginning, then by their last part', () => {
    expect(offered('record.am')).toEqual(['record.amount'])
    expect(offered('1 + amo')).toEqual(['record.amount', 'vars.amounts'])
    expect(offered('steps["lo')).toEqual(['steps["log_1"].output'])
    expect(offered('record.amount')).toBeUndefined()
    expect(offered('flo')).toEqual(['floor('])
    expect([offered(''), offered('', { isAsked: true })?.length]).toEqual([undefined, 8])
  })

  it('stand in braces where the rest is text', () => {
    expect(offered('Dear am', { isText: true })).toBeUndefined()
    expect(offered('Dear {{ record.a', { isText: true })).toEqual(['record.amount'])
    expect(offered('{{ x }} record.a', { isText: true })).toBeUndefined()
    expect(completionAt('{{ record.a }}', 11, names, { isText: true })).toMatchObject({ from: 3 })
  })

  it('are those of the record, the variables, other steps and what bodies bring', () => {
    const body = { nodes: [{ id: 'inner', type: 'log' }], edges: [] }
    const draft = flowDraftOf({
      variables: [{ name: 'total', type: 'number' }],
      nodes: [
        { id: 'start', type: 'start' },
        { id: 'find', type: 'get_record', outputVariable: 'found' },
        { id: 'each', type: 'loop', config: { itemVariable: 'line', body } },
      ],
    })
    const step = { path: [{ node: 'each', place: 'body' }], id: 'inner' }
    const all = expressionNames(draft, step, schemas, [{ name: 'amount', label: 'Amount' }]).map(({ text }) => text)
    expect(all).toEqual(
      expect.arrayContaining([
        'record.amount',
        'vars.total',
        'found',
        'line',
        'index',
        'steps["find"].output',
        'run.id',
      ]),
    )
    expect(all).not.toContain('steps["inner"].output')
    expect(outlineOf(draft).map(({ id }) => id)).toContain('each')
  })
})
