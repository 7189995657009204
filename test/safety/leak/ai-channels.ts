// AI: questions, conversations, suggestions and insights about what is hidden.
import type { ChannelCases } from './leak-case.ts'
import { absentId, ask, get, post } from './leak-case.ts'

export const aiChannels: Readonly<Record<string, ChannelCases>> = {
  'AI nlq, chat, suggest, insights': (world) => {
    const { seen, hidden, vaults } = world
    const questions = [
      'show all matters',
      'how many matters by stage',
      'matters with amount over 1',
      'top 10 matters by amount',
      'sum of amount of matters by keeper',
      'shut matters',
      'my matters',
      'matters of qzk',
      'matters named "qzk"',
      'show all vaults',
      'show all persons',
      ...world.triedFields.flatMap((field) => [
        `matters by ${field}`,
        `matters where ${field} is not empty`,
        `top 5 matters by ${field}`,
      ]),
    ]
    return [
      // Before the questions: a conversation repeats what its caller said.
      get('/ai/conversations'),
      ...questions.flatMap((query) => [
        post('/ai/nlq', { query, execute: true }),
        post('/ai/nlq', { query, object: 'matter', execute: true }),
        post('/ai/chat', { message: query }),
      ]),
      post('/ai/chat', { message: 'show all matters', stream: true }),
      ...[...seen.slice(0, 1), ...hidden.slice(0, 3)].flatMap((recordId) => [
        post('/ai/chat', { message: 'what is it', context: { object: 'matter', recordId } }),
        post('/ai/suggest', { object: 'matter', recordId }),
        post('/ai/insights', { object: 'matter', recordId }),
        post('/ai/insights', { object: 'matter', recordId, type: 'anomalies' }),
      ]),
      ...['matter', 'person', 'vault', 'matter_line'].flatMap((object) => [
        post('/ai/suggest', { object }),
        post('/ai/suggest', { object, partial: 'q' }),
        ...['summary', 'trends', 'anomalies', 'recommendations'].map((type) => post('/ai/insights', { object, type })),
      ]),
      ...['name', 'stage', 'keeper', 'owner', 'vaulted', ...world.triedFields].flatMap((field) => [
        post('/ai/suggest', { object: 'matter', field }),
        post('/ai/suggest', { object: 'matter', field, partial: 'q' }),
      ]),
      ...vaults.map((recordId) => post('/ai/insights', { object: 'vault', recordId })),
      get(`/ai/conversations/${absentId}`),
      ask('DELETE', `/ai/conversations/${absentId}`),
      get('/ai/config'),
      ask('PUT', '/ai/config', { timeoutMs: 5 }),
    ]
  },
}
