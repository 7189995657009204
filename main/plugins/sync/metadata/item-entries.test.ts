// Items as entries, names that several ask for, and the order of fields: the pure part of metadata documents.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PortableItem } from '#main/plugins/metadata/api.ts'
import { createHlcClock } from '#main/replication/core/hlc.ts'
import { openDocument } from '#main/replication/core/sync-document.ts'
import type { Edit, SyncDocument } from '#main/replication/core/sync-document.ts'
import type { Json } from '#main/replication/core/types.ts'
import { fieldKey, fromEntry, itemKey, parseEntryKey, toEntry } from './entry-keys.ts'
import { orderPatch } from './field-order.ts'
import { assignNames, docItem, shownItem } from './item-entries.ts'
import { writeShown } from './write-entries.ts'

const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json)
const small = fc.constantFrom<Json>(null, true, 0, '', 'text', [1, null], { a: { b: null } })
const uid = fc.constantFrom('a1', 'b2', 'c3', 'd4')
const clock = createHlcClock({ now: () => 1 })

describe('keys of entries', () => {
  it('tell members, properties and what is said beside them apart, whatever they are called', () => {
    fc.assert(
      fc.property(fc.string(), uid, (member, field) => {
        expect(parseEntryKey(itemKey(member))).toEqual({ kind: 'item', key: member })
        expect(parseEntryKey(fieldKey(field, member))).toEqual({ kind: 'field', uid: field, key: member })
      }),
    )
    for (const member of ['_name', '_del', 'field.a1.label', '~x', '', '\0'])
      expect(parseEntryKey(itemKey(member))).toEqual({ kind: 'item', key: member })
    expect(parseEntryKey('_name')).toEqual({ kind: 'own', key: '_name' })
    expect(parseEntryKey('_newer')).toBeNull()
    expect(parseEntryKey('field.a1._newer')).toBeNull()
    expect(parseEntryKey('~no')).toBeNull()
  })

  it('keep null apart from nothing', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(fromEntry(toEntry(value))).toEqual(value)
      }),
    )
    expect(fromEntry(null)).toBeUndefined()
  })
})

const item = fc
  .record({
    name: fc.constantFrom('task', 'thing'),
    item: fc.dictionary(fc.constantFrom('label', 'icon', '_odd', 'null'), small),
    fields: fc.uniqueArray(
      fc.record({
        uid,
        name: fc.constantFrom('one', 'two', 'three', 'four'),
        definition: fc.dictionary(fc.constantFrom('type', 'label', '_x'), small),
      }),
      { selector: (field) => field.uid },
    ),
    state: fc.constantFrom('active' as const, 'archived' as const),
  })
  .filter(({ fields }) => new Set(fields.map(({ name }) => name)).size === fields.length)
  .map((parts): PortableItem => ({ type: 'object', uid: 'f0', packageId: null, namespace: null, ...parts }))

/** The document after an edit, which may change nothing. */
function edited(document: SyncDocument, inc: number, edit: Edit): SyncDocument {
  return document.edit({ inc, clock }, [edit])?.document ?? document
}

describe('an item in a document', () => {
  it('is read as it was written, after every change', () => {
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 5 }), (versions) => {
        let document = openDocument('m/object/f0', null)
        let before: PortableItem | null = null
        for (const version of versions) {
          const was = before === null ? null : shownItem(before)
          document = edited(document, 1, (place) => writeShown(place, was, shownItem(version)))
          before = version
          expect(docItem('object', 'f0', document.register).portable).toEqual(version)
        }
      }),
      { endOnFailure: true },
    )
  })

  it('keeps fields of one name apart, the same way in every order of arrival', () => {
    const write = (inc: number, field: string) => {
      const fields = [{ uid: field, name: 'same', definition: { type: 'text' } }]
      const version: PortableItem = {
        type: 'object',
        uid: 'f0',
        name: 'n',
        item: {},
        fields,
        state: 'active',
        packageId: null,
        namespace: null,
      }
      const empty = shownItem({ ...version, fields: [] })
      const none = openDocument('m/object/f0', null)
      return edited(none, inc, (place) => writeShown(place, empty, shownItem(version))).state
    }
    const updates = [write(1, 'z9'), write(2, 'a1')]
    for (const order of [updates, updates.toReversed()]) {
      let document = openDocument('m/object/f0', null)
      for (const update of order) {
        const result = document.merge(update)
        if (result.merged) document = result.document
      }
      const { fields } = docItem('object', 'f0', document.register).portable
      expect(new Map(fields!.map((field) => [field.uid, field.name]))).toEqual(
        new Map([
          ['z9', 'same'],
          ['a1', 'same_2'],
        ]),
      )
    }
  })
})

describe('names', () => {
  it('go to who asked first, others get the next free suffix', () => {
    const claims = [
      { uid: 'c', wanted: 'task', stamp: '3' },
      { uid: 'a', wanted: 'task', stamp: '1' },
      { uid: 'd', wanted: 'task_2', stamp: '4' },
      { uid: 'b', wanted: 'task', stamp: '1' },
    ]
    expect([...assignNames(claims, new Set(['task_4']))].toSorted()).toEqual([
      ['a', 'task'],
      ['b', 'task_3'],
      ['c', 'task_5'],
      ['d', 'task_2'],
    ])
  })

  it('stay within the length of names, of a part of an object within that of the part', () => {
    const long = 'x'.repeat(63)
    const claims = (name: string) => ['1', '2'].map((stamp) => ({ uid: stamp, wanted: name, stamp }))
    expect(assignNames(claims(long), new Set()).get('2')).toBe(`${'x'.repeat(61)}_2`)
    expect(assignNames(claims(`uid_1.${long}`), new Set()).get('2')).toBe(`uid_1.${'x'.repeat(61)}_2`)
  })
})

describe('the order of fields', () => {
  it('is the one that was asked for, whatever stood there before', () => {
    const sequence = fc.shuffledSubarray(['a', 'b', 'c', 'd', 'e', 'f'])
    fc.assert(
      fc.property(fc.array(sequence, { minLength: 1, maxLength: 30 }), (sequences) => {
        const known = new Map<string, number>()
        let before: string[] | null = null
        for (const wanted of sequences) {
          for (const [field, order] of orderPatch(known, wanted, before)) known.set(field, order)
          before = wanted
          expect(wanted.toSorted((x, y) => known.get(x)! - known.get(y)! || (x < y ? -1 : 1))).toEqual(wanted)
        }
      }),
    )
  })

  it('changes no number but that of the field that was moved or added', () => {
    const known = new Map([
      ['a', 0],
      ['b', 1],
      ['c', 2],
      ['d', 3],
    ])
    expect([...orderPatch(known, ['d', 'a', 'b', 'c'], ['a', 'b', 'c', 'd']).keys()]).toEqual(['d'])
    expect(orderPatch(known, ['a', 'new', 'b', 'c', 'd'], ['a', 'b', 'c', 'd'])).toEqual(new Map([['new', 0.5]]))
    // What others moved meanwhile is not moved back.
    expect(orderPatch(known, ['b', 'a', 'new'], ['b', 'a'])).toEqual(new Map([['new', 0.5]]))
  })

  it('makes room between fields that share a number', () => {
    const known = new Map([
      ['a', 0],
      ['b', 0],
    ])
    const patch = orderPatch(known, ['a', 'new', 'b'], ['a', 'b'])
    const orders = new Map([...known, ...patch])
    expect(orders.get('a')!).toBeLessThan(orders.get('new')!)
    expect(orders.get('new')!).toBeLessThan(orders.get('b')!)
  })

  it('finds a place also where numbers are used up', () => {
    const known = new Map([
      ['a', 1],
      ['b', 1 + Number.EPSILON],
    ])
    expect(orderPatch(known, ['a', 'new', 'b'], ['a', 'b'])).toEqual(
      new Map([
        ['a', 0],
        ['new', 1],
        ['b', 2],
      ]),
    )
  })
})
