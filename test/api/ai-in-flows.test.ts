// Flows that ask the provider of answers (D-151, D-178).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { rowOf, runFlow, saveFlow } from '../support/flow-calls.ts'
import type { ModelPeer } from '../support/model-peer.ts'
import { startModelPeer } from '../support/model-peer.ts'

let host: TestHost
let model: ModelPeer
let flows = 0

beforeAll(async () => {
  host = await createTestHost()
  model = await startModelPeer()
  await host.patch('/settings', { 'webhooks.allowedHosts': ['127.0.0.1'] })
  await host.defineObject('deal', { name: { type: 'text' }, amount: { type: 'number' } })
  for (const amount of [1, 2, 3]) await host.post('/data/deal', { name: `Deal ${amount}`, amount })
})
afterAll(async () => {
  await host.stop()
  await model.stop()
})

/** Runs a flow with one prompt; answers what the node gave, or why it failed. */
const ask = async (config: Record<string, unknown>, flow: Record<string, unknown> = {}): Promise<unknown> => {
  const name = `asks_${(flows += 1)}`
  await saveFlow(host, name, { ...rowOf({ id: 'ask', type: 'ai_prompt', config }), ...flow })
  const run = await runFlow(host, name, { params: { word: 'tomato' } })
  return run['error'] ?? run.steps.find(({ nodeId }) => nodeId === 'ask')?.['output']
}
const schema = { type: 'object', properties: { mood: { enum: ['good', 'bad'] } }, required: ['mood'] }

describe('without a model', () => {
  it('questions over records are answered', async () => {
    for (const runAs of ['user', 'system']) expect(await ask({ prompt: 'How many deals?' }, { runAs })).toContain('3')
  })

  it('what only a model could answer says so', async () => {
    expect(await ask({ prompt: 'Write a poem' })).toMatchObject({ code: 'ai_query_not_understood', nodeId: 'ask' })
    expect(await ask({ prompt: 'How many deals?', schema })).toMatchObject({
      code: 'ai_provider_failed',
      reason: 'no_model',
      message: expect.stringContaining('openai_compatible') as string,
    })
  })
})

describe('with a model', () => {
  beforeAll(async () => {
    const { baseUrl } = model
    await host.put('/ai/config', { provider: 'openai_compatible', baseUrl, model: 'tiny', timeoutMs: 1_000 })
  })

  it('it is told the prompt, and answers text', async () => {
    model.calls.length = 0
    model.answer = 'A red fruit.'
    expect(await ask({ prompt: 'What is a {{ params.word }}?' })).toBe('A red fruit.')
    expect(model.calls[0]!.body.messages).toEqual([{ role: 'user', content: 'What is a tomato?' }])
  })

  it('or an object that fits', async () => {
    model.answer = 'Sure: {"mood": "good"}'
    expect(await ask({ prompt: 'How is it?', schema })).toEqual({ mood: 'good' })
    model.answer = '{"mood": "purple"}'
    expect(await ask({ prompt: 'How is it?', schema })).toMatchObject({ code: 'ai_provider_failed', reason: 'schema' })
    expect(await ask({ prompt: 'How is it?', schema: { type: 'nonsense' } })).toMatchObject({
      code: 'validation_error',
    })
  })

  it('where it fails, the embedded provider answers what it can', async () => {
    model.status = 500
    expect(await ask({ prompt: 'How many deals?' })).toContain('3')
    expect(await ask({ prompt: 'How many deals?', schema })).toMatchObject({ code: 'ai_provider_failed' })
    model.status = 200
  })
})
