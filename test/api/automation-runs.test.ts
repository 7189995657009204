// Runs of flows over HTTP: what starts them, what they leave, and what people do with them (D-150 to D-159).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { bodyOf, rowOf, runFlow, saveFlow } from '../support/flow-calls.ts'

let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('task', { title: { type: 'text', required: true }, points: { type: 'number' } })
})

afterAll(() => host.stop())

describe('POST /automation/:name/trigger', () => {
  it('runs a flow and answers its output', async () => {
    await saveFlow(host, 'sum', {
      variables: [
        { name: 'left', type: 'number', isInput: true, required: true },
        { name: 'total', type: 'number', isOutput: true },
      ],
      ...rowOf({
        id: 'add',
        type: 'assignment',
        config: { assignments: [{ variable: 'total', value: '{{ left + 2 }}' }] },
      }),
    })
    const answer = await host.post('/automation/sum/trigger', { params: { left: 40 } })
    expect([answer.status, answer.body.data]).toMatchObject([
      200,
      { status: 'completed', success: true, output: { total: 42 } },
    ])
    const run = await runFlow(host, 'sum', { left: 1 })
    expect(run).toMatchObject({
      flowName: 'sum',
      flowVersion: 1,
      status: 'completed',
      params: { left: 1 },
      variables: { left: 1, total: 3 },
      output: { total: 3 },
      attempt: 1,
      trigger: { type: 'manual', event: 'manual' },
    })
    expect(run.steps.map((step) => [step['nodeId'], step['status']])).toEqual([
      ['start', 'success'],
      ['add', 'success'],
      ['end', 'success'],
    ])
  })

  it('loops over a list', async () => {
    await saveFlow(host, 'many', {
      ...rowOf({
        id: 'each',
        type: 'loop',
        config: {
          collection: '{{ params.titles }}',
          body: bodyOf({
            id: 'make',
            type: 'create_record',
            config: { object: 'task', data: { title: '{{ item }} {{ index }}' } },
          }),
        },
      }),
    })
    const run = await runFlow(host, 'many', { titles: ['a', 'b'] })
    expect(run['status']).toBe('completed')
    const { body } = await host.get('/data/task?sort=title&select=title')
    expect(body.records.map((record: { title: string }) => record.title)).toEqual(['a 0', 'b 1'])
  })
})
