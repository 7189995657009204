// Uniqueness is asked for, not enforced by the table (D-92, D-93).
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { numberedId, openObjectTables } from '../../../test/support/open-object-tables.ts'
import type { ObjectTables } from '../../../test/support/open-object-tables.ts'
import { findUniqueClash, uniqueRules } from './unique-clash.ts'

let tables: ObjectTables
beforeEach(() => {
  tables = openObjectTables([
    {
      name: 'thing',
      fields: {
        code: { type: 'text', unique: true },
        mail: { type: 'email', unique: true },
        nick: { type: 'text', unique: true, caseSensitive: false },
        number: { type: 'number', externalId: true },
        team: { type: 'text' },
        seat: { type: 'number', scale: 0 },
        active: { type: 'boolean' },
      },
      indexes: [
        { fields: ['team', 'seat'], unique: true },
        { fields: ['seat'], unique: true, where: { active: true } },
        { fields: ['team'] },
      ],
    },
  ])
})
afterEach(() => tables.close())

const id = numberedId(1)

function clash(rule: number, record: Record<string, unknown>, exceptId: string | null = null): string | undefined {
  const schema = tables.schema('thing')
  const statement = findUniqueClash(schema, uniqueRules(schema)[rule]!, record, exceptId, tables.env)
  return statement === null ? undefined : tables.all(statement)[0]?.id
}

describe('the rules of uniqueness', () => {
  it('are those of the fields, then those of the indexes', () => {
    const rules = uniqueRules(tables.schema('thing'))
    expect(rules.map((rule) => rule.fields.map((field) => field.name))).toEqual([
      ['code'],
      ['mail'],
      ['nick'],
      ['number'],
      ['team', 'seat'],
      ['seat'],
    ])
    expect(rules.map((rule) => rule.where !== null)).toEqual([false, false, false, false, false, true])
  })
})

describe('a clash', () => {
  it('is a live record with the same value, other than the record itself', () => {
    tables.insert('thing', { id, code: 'A', number: 1.5 })
    tables.insert('thing', { id: numberedId(2), code: 'B', deleted_at: '2026-01-02T00:00:00.000Z' })
    expect(clash(0, { code: 'A' })).toBe(id)
    expect(clash(0, { code: 'A' }, id)).toBeUndefined()
    expect(clash(0, { code: 'B' })).toBeUndefined()
    expect(clash(3, { number: 1.5 })).toBe(id)
  })

  it('respects case unless the field does not', () => {
    tables.insert('thing', { id, code: 'A', mail: 'Ä@b.de', nick: 'Straße' })
    expect(clash(0, { code: 'a' })).toBeUndefined()
    expect(clash(1, { mail: 'ä@B.de' })).toBe(id)
    expect(clash(2, { nick: 'STRAßE' })).toBe(id)
    expect(clash(2, { nick: 'strase' })).toBeUndefined()
  })

  it('of several fields needs all of them, and nulls never clash', () => {
    tables.insert('thing', { id, team: 'x', seat: 1 })
    tables.insert('thing', { id: numberedId(2), team: 'y' })
    expect(clash(4, { team: 'x', seat: 1 })).toBe(id)
    expect(clash(4, { team: 'x', seat: 2 })).toBeUndefined()
    expect(clash(4, { team: 'y', seat: null })).toBeUndefined()
    expect(clash(4, { team: 'y' })).toBeUndefined()
  })

  it('of a rule with a filter is found among the records that pass it', () => {
    tables.insert('thing', { id, seat: 1, active: false })
    expect(clash(5, { seat: 1 })).toBeUndefined()
    tables.insert('thing', { id: numberedId(2), seat: 1, active: true })
    expect(clash(5, { seat: 1 })).toBe(numberedId(2))
  })
})
