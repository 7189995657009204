// Node types that plugins add, and steps they leave waiting (D-151, D-162).
import { z } from 'zod'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { corePlugins, optionalPlugins } from '#main/host.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import type { AutomationService } from '#main/plugins/automation/api.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { runFlow, runOf, rowOf, saveFlow } from '../support/flow-calls.ts'

let host: TestHost
let inside: PluginHost | undefined
const asked: string[] = []
let written = 0

const shared = { version: '2.0.0', name: 'n', description: 'd', icon: 'i', category: 'custom' } as const

/** A plugin in the place of the one for workflows: it carries out a declared type, and brings one of its own. */
const guestPlugin = definePlugin({
  id: 'guest',
  version: '1.0.0',
  requires: ['automation'],
  register(own) {
    inside = own
    const automation: AutomationService = own.service('automation')
    automation.registerNodeType({
      ...shared,
      type: 'approval',
      configSchema: z.looseObject({}),
      effect: 'transaction',
      supportsPause: true,
      execute({ run, key }) {
        return { pause: { type: 'approval' }, commit: () => void asked.push(`${run.id} ${key}`) }
      },
    })
    automation.registerNodeType({
      ...shared,
      type: 'guest_hello',
      configSchema: z.looseObject({ who: z.string() }),
      effect: 'none',
      execute: ({ config }) => ({ output: `Hello ${String(config['who'])}` }),
    })
    automation.registerNodeType({
      ...shared,
      type: 'guest_slow',
      configSchema: z.looseObject({}),
      effect: 'transaction',
      timeoutMs: 200,
      async execute({ finish }) {
        const outcome = { output: (written += 1) }
        await own.write('guest.slow', (tx) => finish(tx, outcome))
        // As long as a slow disk takes.
        await new Promise((resolve) => setTimeout(resolve, 400))
        return outcome
      },
    })
  },
})

beforeAll(async () => {
  host = await createTestHost({
    plugins: [...corePlugins, ...optionalPlugins.filter(({ id }) => id !== 'workflow'), guestPlugin],
  })
})

afterAll(() => host.stop())

describe('node types of plugins', () => {
  it('join the catalogue and run', async () => {
    const list = async (source: string) => (await host.get(`/automation/actions?source=${source}`)).body.actions
    expect(await list('plugin')).toMatchObject([
      { type: 'guest_hello', configSchema: { properties: { who: { type: 'string' } } } },
      { type: 'guest_slow' },
    ])
    expect((await list('builtin')).find(({ type }: { type: string }) => type === 'approval')).toMatchObject({
      ...{ version: '2.0.0', supportsPause: true, isAsync: true },
    })
    await saveFlow(host, 'greets', rowOf({ id: 'h', type: 'guest_hello', config: { who: '{{ params.who }}' } }))
    expect((await runFlow(host, 'greets', { who: 'Ada' })).steps[1]).toMatchObject({ output: 'Hello Ada' })
  })

  it('have succeeded once their end is written, whatever time the write takes: no retry does it twice', async () => {
    const retry = { strategy: 'retry', maxRetries: 1, retryDelayMs: 0 }
    await saveFlow(host, 'slow', rowOf({ id: 'w', type: 'guest_slow', retry }))
    expect((await runFlow(host, 'slow')).steps[1]).toMatchObject({ status: 'success', output: 1 })
    expect(written).toBe(1)
  })

  it('have a type of their own or one nobody carries out', () => {
    const again = { ...shared, configSchema: z.looseObject({}), effect: 'none', execute: () => ({}) } as const
    const { registerNodeType } = inside!.service('automation')
    expect(() => registerNodeType({ ...again, type: 'loop' })).toThrow('"loop" is taken')
    expect(() => registerNodeType({ ...again, type: 'approval' })).toThrow('"approval" is taken')
  })

  it('leave steps waiting, which go on along the edge of a label', async () => {
    const log = (id: string) => ({ id, type: 'log', config: { message: id } })
    await saveFlow(host, 'approves', {
      nodes: [{ id: 's', type: 'start' }, { id: 'ask', type: 'approval' }, log('yes'), log('no')],
      edges: [
        { id: '1', source: 's', target: 'ask' },
        { id: '2', source: 'ask', target: 'yes', label: 'approve' },
        { id: '3', source: 'ask', target: 'no', label: 'reject' },
      ],
    })
    const run = await runFlow(host, 'approves')
    expect(run).toMatchObject({ status: 'paused', waitingFor: { type: 'approval', nodeId: 'ask' } })
    expect(asked).toEqual([`${String(run['id'])} ask`])
    const step = { runId: String(run['id']), key: 'ask' }
    const resume = () =>
      inside!.write('guest.decide', (tx) =>
        inside!.service('automation').resumeStep(tx, step, { output: { by: 'Ada' }, label: 'reject' }),
      )
    expect([await resume(), await resume()]).toEqual([true, false])
    for (let tries = 0; tries < 200; tries += 1) {
      if ((await runOf(host, 'approves', step.runId))['status'] === 'completed') break
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    expect((await runOf(host, 'approves', step.runId)).steps).toMatchObject([
      { nodeId: 's' },
      { nodeId: 'ask', status: 'success', output: { by: 'Ada' } },
      { nodeId: 'no' },
    ])
  })
})
