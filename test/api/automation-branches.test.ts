// Ways of a run beside each other and beside the edges (D-151, D-153).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { bodyOf, rowOf, runFlow, saveFlow } from '../support/flow-calls.ts'

let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('task', { title: { type: 'text', required: true } })
})
afterAll(() => host.stop())

/** Runs a flow of nodes in a row. */
const runRow = async (name: string, nodes: Record<string, unknown>[], flow: Record<string, unknown> = {}) => {
  await saveFlow(host, name, { ...flow, ...rowOf(...nodes) })
  return runFlow(host, name)
}

describe('branches side by side', () => {
  it('keep what each of them sets', async () => {
    const names = ['a', 'b', 'c', 'd']
    const variables = names.map((name) => ({ name, type: 'number', isOutput: true }))
    const sets = (variable: string, value: unknown) => ({
      id: `set_${variable}`,
      type: 'assignment',
      config: { assignments: [{ variable, value }] },
    })
    const branches = ['a', 'b', 'c'].map((name, at) => ({
      name,
      ...bodyOf(
        { id: `is_${name}`, type: 'transform', outputVariable: `${name}_seen`, config: { expression: `${at}` } },
        sets(name, `{{ ${name}_seen + 1 }}`),
      ),
    }))
    const run = await runRow(
      'sets',
      [{ id: 'all', type: 'parallel', config: { branches } }, sets('d', '{{ a + b + c }}')],
      {
        variables,
      },
    )
    expect(run['output']).toEqual({ a: 1, b: 2, c: 3, d: 6 })
    expect(run['variables']).toMatchObject({ a: 1, b: 2, c: 3, a_seen: 0, b_seen: 1, c_seen: 2 })
    // A branch that writes records ends in the transaction of its writes.
    const writes = names.map((name) => ({
      name,
      ...bodyOf({
        id: `w_${name}`,
        type: 'create_record',
        outputVariable: name,
        config: { object: 'task', data: { title: name } },
      }),
    }))
    const written = await runRow('writes', [
      { id: 'all', type: 'parallel', config: { branches: writes } },
      { id: 'ids', type: 'transform', config: { expression: '[a.id, b.id, c.id, d.id]' } },
    ])
    expect(new Set(written.steps.find(({ nodeId }) => nodeId === 'ids')?.['output'] as string[]).size).toBe(4)
  })

  it('keep what loops inside of them add up', async () => {
    const names = ['a', 'b', 'c']
    const variables = names.map((name) => ({ name, type: 'number', isOutput: true, defaultValue: 0 }))
    const adds = (variable: string) => ({
      id: `add_${variable}`,
      type: 'assignment',
      config: { assignments: [{ variable, operator: 'add', value: '{{ item }}' }] },
    })
    const loop = (name: string) => ({
      id: `loop_${name}`,
      type: 'loop',
      config: { collection: [1, 2, 3, 4, 5], body: bodyOf(adds(name)) },
    })
    const branches = names.map((name) => ({ name, ...bodyOf(loop(name)) }))
    const nodes = [
      { id: 'all', type: 'parallel', config: { branches } },
      { ...loop('a'), id: 'after' },
    ]
    expect((await runRow('adds', nodes, { variables }))['output']).toEqual({ a: 30, b: 15, c: 15 })
  })
})

describe('a fallback of the flow', () => {
  it('leads to a node no edge leads to', async () => {
    const { nodes, edges } = rowOf({ id: 'b', type: 'end', config: { status: 'failed' } })
    const aside = [
      { id: 'd', type: 'log', config: { message: '{{ error.code }}' } },
      { id: 'f', type: 'end' },
    ]
    await saveFlow(host, 'falls_aside', {
      nodes: [...nodes, ...aside],
      edges: [...edges, { id: 'df', source: 'd', target: 'f' }],
      errorHandling: { fallbackNodeId: 'd' },
    })
    const { steps } = await runFlow(host, 'falls_aside')
    expect(steps.map(({ nodeId, status }) => `${String(nodeId)} ${String(status)}`)).toEqual([
      'start success',
      'b failure',
      'd success',
      'f success',
    ])
  })
})
