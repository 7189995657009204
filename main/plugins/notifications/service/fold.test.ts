// The words of a notification about many records.
import { expect, it } from 'vitest'
import { compileObject } from '#shared/object-schema.ts'
import { foldedWords } from './fold.ts'

const fields = { stage: { type: 'text', label: 'Stage' }, owner_name: { type: 'text', label: 'Owner' } }
const deal = compileObject({ name: 'deal', uid: '0'.repeat(32), label: 'Deal', pluralLabel: 'Deals', fields })
const uidOf = (name: string): string => deal.byName.get(name)!.uid
const given = { id: 'n', type: 'record', title: '', body: '', read: false, data: {}, createdAt: '' } as const

it('are their number and the fields that changed, in the order of the object', () => {
  const parts = [
    { fields: [uidOf('owner_name')], ids: ['a', 'b'] },
    { fields: [uidOf('stage')], ids: ['c'] },
  ]
  expect(foldedWords(given, 'Jo changed', parts, deal, false)).toMatchObject({
    title: 'Jo changed 3 Deals',
    body: 'Stage, Owner',
    data: { object: 'deal', count: 3 },
    actionUrl: '#/o/deal',
  })
})

it('say that there are more where not all are counted, and name no record but the only one', () => {
  const many = [{ fields: [uidOf('stage')], ids: ['a', 'b'] }]
  expect(foldedWords(given, 'Jo changed', many, deal, true).title).toBe('Jo changed at least 2 Deals')
  const one = [{ fields: [uidOf('stage')], ids: ['a'] }]
  expect(foldedWords(given, 'Jo changed', one, deal, false)).toMatchObject({
    title: 'Jo changed Deal',
    data: { object: 'deal', recordId: 'a', count: 1 },
    actionUrl: '#/o/deal?rec=a',
  })
})
