// AI (D-178, D-179, D-290 to D-293): the provider and its key, a model that answers well, badly or not at all, conversations,
// suggestions, insights, and what callers with few rights get.
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ModelPeer } from '../support/model-peer.ts'
import { startModelPeer } from '../support/model-peer.ts'
import type { PeopledHost } from '../support/test-identities.ts'
import { createPeopledHost } from '../support/test-identities.ts'

let host: PeopledHost
let model: ModelPeer
/** 0 reads deals of hers and not every field, 1 is a guest. */
const [few, none] = [0, 1]
let deals: string[]

beforeAll(async () => {
  host = await createPeopledHost({ users: [{}, {}] })
  model = await startModelPeer()
  await host.patch('/settings', { 'webhooks.allowedHosts': ['127.0.0.1'] })
  await host.defineObject('region', { name: { type: 'text' } })
  await host.defineObject('deal', {
    name: { type: 'text', label: 'Name' },
    stage: {
      type: 'select',
      label: 'Stage',
      options: ['new', 'won', 'lost'].map((value) => ({ value, label: value })),
    },
    amount: { type: 'number', label: 'Amount' },
    margin: { type: 'number', label: 'Margin' },
    due_date: { type: 'date', label: 'Due date' },
    region: { type: 'lookup', reference: 'region', label: 'Region' },
  })
  const regions = (await host.post('/data/region/createMany', [{ name: 'North' }, { name: 'South' }])).body.records
  const rows = Array.from({ length: 20 }, (_, index) => ({
    name: `Deal ${index}`,
    stage: index % 4 === 0 ? 'won' : 'new',
    amount: index === 7 ? 5_000 : 10 + index,
    margin: 777_000 + index,
    due_date: '2020-01-01',
    region: index === 0 ? null : regions[index % 2].id,
  }))
  deals = (await host.post('/data/deal/createMany', rows)).body.records.map(({ id }: { id: string }) => id)
  await host.saveItem('permission', 'few', {
    objects: { deal: { allowRead: true } },
    fields: { 'deal.margin': { readable: false } },
    rowLevelSecurity: [{ name: 'small', object: 'deal', actions: ['read'], condition: 'record.amount < 15' }],
  })
  await host.saveItem('object', 'deal', { ...(await host.get('/meta/object/deal')).body.item, sharingModel: 'private' })
  await host.assign(few, { profile: 'guest', permissionSets: ['few'] })
  await host.assign(none, { profile: 'guest' })
}, 60_000)
afterAll(async () => {
  await host.stop()
  await model.stop()
})
beforeEach(() => {
  model.calls.length = 0
  model.answer = 'Hello'
  model.status = 200
})

const useModel = async (more: Record<string, unknown> = {}): Promise<void> => {
  const answer = await host.put('/ai/config', {
    provider: 'openai_compatible',
    baseUrl: model.baseUrl,
    model: 'tiny',
    apiKey: 'sk-very-secret',
    timeoutMs: 1_000,
    ...more,
  })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
}
const useEmbedded = () => host.put('/ai/config', { provider: 'embedded' })

describe('the provider', () => {
  it('is the embedded one at first, and discovery says so', async () => {
    expect((await host.get('/ai/config')).body).toEqual({
      provider: 'embedded',
      baseUrl: null,
      model: null,
      apiKey: null,
      timeoutMs: 30_000,
    })
    const { services, routes, features } = (await host.get('/discovery')).body
    expect([routes.ai, features.ai, services.ai.status, services.ai.enabled]).toEqual([
      '/api/v1/ai',
      true,
      'degraded',
      true,
    ])
    expect(services.ai.message).toContain('deterministic')
  })

  it('keeps its key to itself, and for its host', async () => {
    await useModel()
    expect((await host.get('/ai/config')).body).toMatchObject({ provider: 'openai_compatible', apiKey: '********' })
    expect((await host.get('/discovery')).body.services.ai.status).toBe('available')
    await host.put('/ai/config', { apiKey: '********', model: 'other' })
    await host.post('/ai/chat', { message: 'hello' })
    expect(model.calls[0]).toMatchObject({ path: '/v1/chat/completions', body: { model: 'other' } })
    expect(model.calls[0]!.headers.authorization).toBe('Bearer sk-very-secret')
    const moved = await host.put('/ai/config', { baseUrl: 'https://models.example.com/v1' })
    expect(moved.body.apiKey).toBeNull()
    // Nor in clear to where it was given to be sent sealed.
    await host.put('/ai/config', { apiKey: 'sk-very-secret' })
    expect((await host.put('/ai/config', { baseUrl: 'http://models.example.com/v1' })).body.apiKey).toBeNull()
    await useEmbedded()
  })

  it('refuses what cannot be asked', async () => {
    const field = async (input: Record<string, unknown>) => {
      const { status, body } = await host.put('/ai/config', { provider: 'openai_compatible', model: 'm', ...input })
      return [
        status,
        body.error?.details.fieldErrors.map((one: { field: string; code: string }) => `${one.field} ${one.code}`),
      ]
    }
    expect(await field({ baseUrl: 'http://169.254.169.254/v1' })).toEqual([400, ['baseUrl not_allowed']])
    expect(await field({ baseUrl: 'http://localhost:9999/v1' })).toEqual([400, ['baseUrl not_allowed']])
    expect(await field({ baseUrl: 'file:///etc/passwd' })).toEqual([400, ['baseUrl invalid_url']])
    expect(await field({ baseUrl: null, model: null })).toEqual([400, ['baseUrl required', 'model required']])
    expect(await field({ provider: 'magic' })).toEqual([400, ['provider invalid_option']])
    expect((await host.as(few).get('/ai/config')).status).toBe(403)
    expect((await host.as(few).put('/ai/config', { provider: 'embedded' })).status).toBe(403)
  })
})

describe('a model', () => {
  const query = { object: 'deal', filter: { stage: 'won' }, sort: [{ field: 'amount', order: 'desc' }], top: 3 }

  it('turns questions into queries that are checked', async () => {
    await useModel()
    model.answer = JSON.stringify({ query, explanation: 'Won deals.', confidence: 1 })
    const { body } = await host.post('/ai/nlq', { query: 'won deals please', execute: true })
    expect(body).toMatchObject({ query, explanation: 'Won deals.', provider: 'openai_compatible', confidence: 0.8 })
    expect(body.result.records).toHaveLength(3)
    const [system] = model.calls[0]!.body.messages
    expect(system!.content).toContain('margin (Margin): number')
    model.answer = `Sure! \`\`\`json\n${JSON.stringify({ query })}\n\`\`\``
    expect((await host.post('/ai/nlq', { query: 'won deals' })).body.provider).toBe('openai_compatible')
  })

  it('is told nothing its caller may not read, and reaches nothing either', async () => {
    await useModel()
    model.answer = JSON.stringify({ query: { ...query, filter: { margin: { $gt: 0 } } } })
    const { body } = await host.as(few).post('/ai/nlq', { query: 'new deals', execute: true })
    expect(body.provider).toBe('embedded')
    expect(JSON.stringify(model.calls)).not.toContain('margin')
    expect(JSON.stringify(model.calls)).not.toContain('-> region')
    model.answer = JSON.stringify({ query: { object: 'region', filter: {} } })
    expect((await host.as(few).post('/ai/nlq', { query: 'new deals' })).body.query.object).toBe('deal')
    await host.as(few).post('/ai/chat', { message: 'show all deals' })
    expect(JSON.stringify(model.calls)).not.toContain('Deal 7')
    expect(JSON.stringify(model.calls)).not.toContain('77700')
  })

  it.each([
    ['no JSON', 'I cannot say.', 200],
    ['an unknown field', JSON.stringify({ query: { object: 'deal', filter: { nothing: 1 } } }), 200],
    ['an error', 'oops', 500],
    ['another shape', { choices: [] }, 200],
    ['nothing in time', null, 200],
    ['far too much', 'x'.repeat(1_100_000), 200],
  ])('that answers %s leaves the question to the embedded provider', async (_name, answer, status) => {
    await useModel()
    model.answer = answer
    model.status = status
    const { status: answered, body } = await host.post('/ai/nlq', { query: 'won deals' })
    expect(answered, JSON.stringify(body)).toBe(200)
    expect(body).toMatchObject({ provider: 'embedded', query: { object: 'deal', filter: { stage: 'won' } } })
  })

  it('talks, with its history, and falls back', async () => {
    await useModel()
    model.answer = 'You have five.'
    const first = (await host.post('/ai/chat', { message: 'how many won deals' })).body
    expect(first).toMatchObject({
      message: { role: 'assistant', content: 'You have five.' },
      provider: 'openai_compatible',
      usage: { promptTokens: 12, completionTokens: 5, totalTokens: 17 },
    })
    await host.post('/ai/chat', { message: 'and lost?', conversationId: first.conversationId })
    expect(model.calls[1]!.body.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
    model.status = 503
    expect((await host.post('/ai/chat', { message: 'won deals' })).body.provider).toBe('embedded')
    await useEmbedded()
  })
})

describe('conversations', () => {
  it('answer with citations, remember, and belong to one person', async () => {
    const { status, body } = await host.post('/ai/chat', { messages: [{ role: 'user', content: 'won deals' }] })
    expect([status, body.provider]).toEqual([200, 'embedded'])
    expect(body.message.content).toContain('I found 5')
    expect(body.citations[0]).toEqual({ object: 'deal', recordId: deals[0], title: 'Deal 0' })
    const id = body.conversationId
    const about = (
      await host.post('/ai/chat', {
        message: 'what is it',
        conversationId: id,
        context: { object: 'deal', recordId: deals[3] },
      })
    ).body
    expect(about.message.content).toContain('Amount: 13')
    expect(about.citations).toEqual([{ object: 'deal', recordId: deals[3], title: 'Deal 3' }])
    const kept = (await host.get(`/ai/conversations/${id}`)).body
    expect(kept.messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
    const list = (await host.get('/ai/conversations?limit=1')).body
    expect(list.conversations[0]).toMatchObject({ id, title: 'won deals', messageCount: 4 })
    expect((await host.get(`/ai/conversations?limit=1&cursor=${list.nextCursor}`)).body.conversations[0].id).not.toBe(
      id,
    )
    for (const call of [
      host.as(few).get(`/ai/conversations/${id}`),
      host.as(few).delete(`/ai/conversations/${id}`),
      host.as(few).post('/ai/chat', { message: 'x', conversationId: id }),
    ])
      expect((await call).status).toBe(404)
    expect(
      (await host.as(few).get('/ai/conversations')).body.conversations.map(({ id: one }: { id: string }) => one),
    ).not.toContain(id)
    expect((await host.delete(`/ai/conversations/${id}`)).body).toEqual({ id, success: true })
    expect((await host.get(`/ai/conversations/${id}`)).status).toBe(404)
  })

  interface Streamed {
    readonly text?: string
    readonly message: { readonly content: string }
  }

  it('are streamed as a model writes them; one that breaks off is answered by the embedded provider', async () => {
    await useModel()
    model.pieces = ['You ', 'have ', 'fünf.']
    const streamed = async (): Promise<{ name: string; at: number; data: Streamed }[]> => {
      const answer = await fetch(`${host.host.url}/api/v1/ai/chat`, {
        method: 'POST',
        headers: { authorization: `Bearer ${host.host.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ message: 'won deals', stream: true }),
      })
      const events = []
      let text = ''
      for await (const bytes of answer.body!.pipeThrough(new TextDecoderStream())) {
        text += bytes
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          const [name, data] = text.slice(0, end).split('\n')
          events.push({ name: name!.slice(7), at: performance.now(), data: JSON.parse(data!.slice(6)) as Streamed })
          text = text.slice(end + 2)
        }
      }
      return events
    }
    const events = await streamed()
    expect(events.slice(0, -1).map(({ data }) => data.text)).toEqual(['You ', 'have ', 'fünf.'])
    expect(events.at(-1)).toMatchObject({
      name: 'done',
      data: { message: { content: 'You have fünf.' }, provider: 'openai_compatible', usage: { totalTokens: 7 } },
    })
    // As it is written, not when it is complete: each piece took the model 30 ms.
    expect(events.at(-1)!.at - events[0]!.at).toBeGreaterThan(30)
    model.pieces = ['You ', null]
    const broken = await streamed()
    expect(broken[0]!.data.text).toBe('You ')
    expect(broken.at(-1)!.data).toMatchObject({ provider: 'embedded' })
    expect(broken.at(-1)!.data.message.content).toContain('I found 5')
    model.pieces = undefined
    model.answer = 'Whole.'
    expect((await streamed()).map(({ data }) => data.text ?? data.message.content)).toEqual(['Whole.', 'Whole.'])
    await useEmbedded()
  })

  it('are asked of a model no longer than somebody listens', async () => {
    await useModel({ timeoutMs: 30_000 })
    model.pieces = Array.from({ length: 500 }, () => 'more ')
    model.left = 0
    const before = (await host.get('/ai/conversations')).body.conversations.length
    const leaving = new AbortController()
    const answer = await fetch(`${host.host.url}/api/v1/ai/chat`, {
      method: 'POST',
      headers: { authorization: `Bearer ${host.host.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'won deals', stream: true }),
      signal: leaving.signal,
    })
    await answer.body!.getReader().read()
    leaving.abort()
    await vi.waitFor(() => expect(model.left).toBe(1), { timeout: 10_000 })
    expect((await host.get('/ai/conversations')).body.conversations).toHaveLength(before)
    model.pieces = undefined
    await useEmbedded()
  })

  it('stream in events', async () => {
    const { headers, body } = await host.post('/ai/chat', { message: 'won deals', stream: true })
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const events = (body as string)
      .trim()
      .split('\n\n')
      .map((event) => {
        const [name, data] = event.split('\n')
        return { name: name!.slice(7), data: JSON.parse(data!.slice(6)) }
      })
    const done = events.at(-1)!
    expect([events[0]!.name, done.name]).toEqual(['delta', 'done'])
    expect(
      events
        .slice(0, -1)
        .map(({ data }) => data.text)
        .join(''),
    ).toBe(done.data.message.content)
    expect(done.data.conversationId).toEqual(expect.any(String))
  })

  it('refuse what is no conversation', async () => {
    expect((await host.post('/ai/chat', {})).status).toBe(400)
    expect((await host.post('/ai/chat', { messages: [{ role: 'assistant', content: 'x' }] })).status).toBe(400)
    expect((await host.post('/ai/chat', { message: 'x', context: { recordId: deals[0] } })).status).toBe(400)
    expect((await host.post('/ai/chat', { message: 'x', context: { object: 'nothing' } })).status).toBe(404)
    expect(
      (await host.as(few).post('/ai/chat', { message: 'x', context: { object: 'deal', recordId: deals[7] } })).status,
    ).toBe(404)
    expect((await host.as(none).post('/ai/chat', { message: 'x', context: { object: 'deal' } })).status).toBe(403)
    expect((await host.post('/ai/chat', { message: 'tell me a joke' })).body.message.content).toContain('You could ask')
  })
})

describe('suggestions', () => {
  const suggest = async (input: Record<string, unknown>, at?: number) => {
    const { status, body } = await (at === undefined ? host : host.as(at)).post('/ai/suggest', {
      object: 'deal',
      ...input,
    })
    expect(status, JSON.stringify(body)).toBe(200)
    return body.suggestions
  }

  it('come from options, frequency and titles', async () => {
    expect((await suggest({ field: 'stage' })).map(({ value }: { value: string }) => value)).toEqual([
      'new',
      'won',
      'lost',
    ])
    expect((await suggest({ field: 'stage', partial: 'wo' }))[0]).toMatchObject({
      value: 'won',
      label: 'won',
      field: 'stage',
    })
    const [north] = await suggest({ field: 'region', partial: 'nor' })
    expect(north).toMatchObject({ label: 'North', field: 'region' })
    expect((await suggest({ field: 'region' })).map(({ label }: { label: string }) => label).toSorted()).toEqual([
      'North',
      'South',
    ])
    const filled = await suggest({ recordId: deals[0] })
    expect(filled.map(({ field }: { field: string }) => field)).toContain('region')
    expect(filled.length).toBeLessThanOrEqual(10)
  })

  it('tell nobody what they may not read', async () => {
    expect((await host.as(few).post('/ai/suggest', { object: 'deal', field: 'margin' })).status).toBe(400)
    expect(await suggest({ field: 'region' }, few)).toEqual([])
    const [first] = await suggest({ field: 'amount' }, few)
    expect(first.reason).toMatch(/ of 5 records/)
    expect((await host.as(none).post('/ai/suggest', { object: 'deal' })).status).toBe(403)
    expect((await host.post('/ai/suggest', { object: 'nothing' })).status).toBe(404)
    expect((await host.post('/ai/suggest', {})).status).toBe(400)
  })
})

describe('insights', () => {
  const insights = async (input: Record<string, unknown>, at?: number) => {
    const { status, body } = await (at === undefined ? host : host.as(at)).post('/ai/insights', {
      object: 'deal',
      ...input,
    })
    expect(status, JSON.stringify(body)).toBe(200)
    return body.insights as {
      type: string
      title: string
      description: string
      confidence: number
      data: Record<string, unknown>
    }[]
  }

  it('count, compare, find what stands out and what is missing', async () => {
    const summary = await insights({})
    expect(summary[0]).toMatchObject({ type: 'summary', title: '20 Deals', data: { total: 20 } })
    expect(summary.find(({ title }) => title === 'Stage')!.description).toBe('75 % of Deals have Stage new.')
    expect((await insights({ recordId: deals[2] }))[0]).toMatchObject({ title: 'Deal 2', data: { recordId: deals[2] } })
    const [trend] = await insights({ type: 'trends' })
    expect(trend!.data['months']).toEqual([{ month: expect.any(String), value: 20 }])
    const odd = await insights({ type: 'anomalies' })
    expect(odd.map(({ data }) => [data['recordId'], data['field'], data['value']])).toEqual([
      [deals[7], 'amount', 5_000],
    ])
    const advice = await insights({ type: 'recommendations' })
    expect(advice.find(({ data }) => data['field'] === 'due_date')!.data['count']).toBe(20)
    expect((await host.post('/ai/insights', { object: 'deal', type: 'magic' })).status).toBe(400)
  })

  it('rest on what their reader may read', async () => {
    const all = JSON.stringify([
      await insights({}, few),
      await insights({ type: 'trends' }, few),
      await insights({ type: 'anomalies' }, few),
      await insights({ type: 'recommendations' }, few),
    ])
    expect(all).toContain('5 Deals')
    for (const hidden of ['77700', 'argin', '5000', 'Deal 7', 'North']) expect(all).not.toContain(hidden)
    expect((await host.as(few).post('/ai/insights', { object: 'deal', recordId: deals[7] })).status).toBe(404)
    expect((await host.as(none).post('/ai/insights', { object: 'deal' })).status).toBe(403)
  })
})
