import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ApiError } from '../../lib/api-error.ts'
import { controlsOf, labelOf, textOfValue, valueOfText } from './config-schema.ts'
import {
  addEdge,
  addNode,
  canMove,
  changeEdge,
  changeNode,
  flowDraftOf,
  moveNode,
  outlineOf,
  removeEdge,
  removeNode,
} from './flow-draft.ts'
import type { FlowDraft } from './flow-draft.ts'
import { newNode } from './flow-bodies.ts'
import { configProblems, generalProblems, problemsOfStep, refusedProblems } from './flow-problems.ts'

const draftOf = (...types: string[]): FlowDraft =>
  flowDraftOf({
    nodes: types.map((type) => ({ id: type, type, position: { x: 1 } })),
    edges: types.slice(1).map((target, at) => ({ id: `e${at}`, source: types[at], target })),
  })
const log = (draft: FlowDraft) => newNode({ type: 'log', name: 'Log' }, draft, [])
const order = (draft: FlowDraft): string =>
  outlineOf(draft)
    .map(({ id }) => id)
    .join(' ')

describe('a flow as it is edited', () => {
  it('gets a step on the way that leaves another, and closes the gap one leaves', () => {
    const short = draftOf('start', 'end')
    const [draft, id] = addNode(short, log(short), 'start')
    expect([order(draft), id]).toEqual(['start log_1 end', 'log_1'])
    const [longer] = addNode(draft, log(draft), 'log_1')
    expect(order(longer)).toBe('start log_1 log_2 end')
    const shorter = removeNode(longer, 'log_1')
    expect([order(shorter), shorter.edges.length]).toEqual(['start log_2 end', 2])
  })

  it('moves a step past its neighbour, never past start, end or where ways part', () => {
    const draft = draftOf('start', 'a', 'b', 'end')
    expect([order(moveNode(draft, 'b', -1)), order(moveNode(draft, 'a', 1))]).toEqual([
      'start b a end',
      'start b a end',
    ])
    expect(moveNode(moveNode(draft, 'a', 1), 'a', -1).edges.map(({ source, target }) => [source, target])).toEqual(
      draft.edges.map(({ source, target }) => [source, target]),
    )
    expect([canMove(draft, 'a', -1), canMove(draft, 'b', 1), canMove(draft, 'start', 1)]).toEqual([false, false, false])
    expect(canMove(addEdge(draft, 'a', 'end'), 'b', -1)).toBe(false)
  })

  it('shows what no way leads to at the end, and survives circles', () => {
    const lost = removeEdge(draftOf('start', 'a', 'end'), 'e0')
    expect(order(lost)).toBe('start a end')
    expect(order(addEdge(draftOf('start', 'a', 'end'), 'a', 'start'))).toBe('start a end')
  })

  it('keeps what it does not know, and takes away what becomes undefined', () => {
    const draft = changeNode(draftOf('start', 'end'), 'end', { label: 'Done', config: { status: 'failed' } })
    expect(draft.nodes[1]).toEqual({
      id: 'end',
      type: 'end',
      label: 'Done',
      config: { status: 'failed' },
      position: { x: 1 },
    })
    const edge = changeEdge(changeEdge(draft, 'e0', { type: 'conditional', condition: 'a' }), 'e0', {
      condition: undefined,
    })
    expect(edge.edges[0]).toEqual({ id: 'e0', source: 'start', target: 'end', type: 'conditional' })
  })

  it('stays whole whatever is done to it', () => {
    const steps = fc.array(fc.tuple(fc.constantFrom('add', 'remove', 'up', 'down'), fc.nat(9)), { maxLength: 30 })
    fc.assert(
      fc.property(steps, (acts) => {
        let draft = draftOf('start', 'a', 'end')
        for (const [act, number] of acts) {
          const { id } = draft.nodes[number % draft.nodes.length]!
          if (act === 'add' && id !== 'end') [draft] = addNode(draft, log(draft), id)
          if (act === 'remove' && id !== 'start' && id !== 'end') draft = removeNode(draft, id)
          if (act === 'up' || act === 'down') draft = moveNode(draft, id, act === 'up' ? -1 : 1)
        }
        const ids = new Set(draft.nodes.map(({ id }) => id))
        // A row stays a row: every step is on the one way from the start to the end.
        expect(draft.edges.every(({ source, target }) => ids.has(source) && ids.has(target))).toBe(true)
        expect([draft.edges.length, new Set(draft.edges.map(({ id }) => id)).size]).toEqual([
          ids.size - 1,
          ids.size - 1,
        ])
        const row = outlineOf(draft)
        for (const [at, node] of row.slice(1).entries())
          expect(draft.edges.some(({ source, target }) => source === row[at]!.id && target === node.id)).toBe(true)
      }),
    )
  })
})

describe('the form of a step', () => {
  it('has a control per property of its schema', () => {
    const schema = {
      properties: {
        object: { type: 'string' },
        matchFields: { type: 'array', items: { type: 'string' } },
        data: { type: 'object', propertyNames: { type: 'string' }, additionalProperties: {} },
        method: { default: 'GET', type: 'string', enum: ['GET', 'POST'] },
        events: { type: 'array', items: { type: 'string', enum: ['create'] } },
        first: { default: true, type: 'boolean' },
        top: { type: 'integer' },
        filter: {},
        expression: { anyOf: [{ type: 'string' }, { type: 'object', properties: {} }] },
      },
      required: ['object', 'data', 'method'],
    }
    expect(
      controlsOf(schema)
        .map(({ kind }) => kind)
        .join(' '),
    ).toBe('object words map choice choices flag number json expression')
    expect(
      controlsOf(schema)
        .filter(({ required }) => required)
        .map(({ name }) => name),
    ).toEqual(['object', 'data'])
    expect(labelOf('matchFields')).toBe('Match fields')
  })

  it('reads back every value it writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        // JSON writes minus zero as zero.
        expect(valueOfText(textOfValue(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
    const texts = ['{{ record.title }}', '2026-01-01', 'true', '7', 'plain']
    expect(texts.map(valueOfText)).toEqual(['{{ record.title }}', '2026-01-01', true, 7, 'plain'])
    expect(textOfValue('7')).toBe('"7"')
  })
})

describe('findings about a flow', () => {
  const details = {
    errors: [
      { nodeId: 'a', path: 'nodes.1.config.data.x', code: 'unknown_field', message: 'no field' },
      {
        nodeId: 'b',
        path: 'nodes.2.config.object',
        code: 'invalid_type',
        message: 'expected string, received undefined',
      },
      { edgeId: 'e1', path: 'edges.1.condition', code: 'required', message: 'no condition' },
      { path: 'nodes', code: 'start', message: 'no start' },
    ],
  }
  const init = { message: '', httpStatus: 400, category: 'validation', retryable: false, details } as const
  const problems = refusedProblems(new ApiError({ ...init, code: 'flow_validation_failed' }))

  const draft = draftOf('start', 'a', 'b', 'end')
  const at = (id: string) => ({ path: [], id })

  it('stand at their node, their field and the node their edge leaves', () => {
    expect(problemsOfStep(problems, draft, at('a'), ['e1']).map(({ message }) => message)).toEqual([
      'no field',
      'no condition',
    ])
    expect(configProblems(problems, draft, at('a'))).toEqual([
      { field: 'data.x', code: 'rule_violation', message: 'no field' },
    ])
    expect(configProblems(problems, draft, at('b'))).toMatchObject([{ field: 'object', code: 'required' }])
    expect(generalProblems(problems).map(({ message }) => message)).toEqual(['no start'])
    expect(refusedProblems(new ApiError({ ...init, code: 'timeout' }))).toEqual([])
  })
})
