import { describe, expect, it } from 'vitest'
import { ExpressionError } from '#shared/expression/compile-expression.ts'
import { printFilter } from '#shared/filter/print-filter.ts'
import type { ConditionUser } from './cel-condition.ts'
import { conditionFilter } from './cel-condition.ts'

const user: ConditionUser = {
  id: 'u1',
  email: null,
  roles: ['seller', 'north'],
  profile: 'standard',
  organizationId: 'o1',
}

const always = { $and: [] }
const never = { $or: [] }

const asked: readonly [string, unknown][] = [
  ['record.owner == user.id', { owner: { $eq: 'u1' } }],
  ['user.id == record.owner', { owner: { $eq: 'u1' } }],
  ['record.amount > 100', { amount: { $gt: 100 } }],
  ['100 > record.amount', { amount: { $lt: 100 } }],
  ['record.amount >= -5', { amount: { $gte: -5 } }],
  ['record.stage != "won"', { stage: { $ne: 'won' } }],
  ['record.stage == null', { stage: { $null: true } }],
  ['record.stage != null', { stage: { $null: false } }],
  ['record.amount < null', never],
  ['record.open', { open: { $eq: true } }],
  ['!record.open', { $not: { open: { $eq: true } } }],
  ['record.stage in ["new", "won"]', { stage: { $in: ['new', 'won'] } }],
  ['record.stage in ["new", null]', { $or: [{ stage: { $in: ['new'] } }, { stage: { $null: true } }] }],
  ['record.stage in []', never],
  ['record.team in user.roles', { team: { $in: ['seller', 'north'] } }],
  ['"seller" in user.roles', always],
  ['"boss" in user.roles', never],
  ['user.roles.contains("north")', always],
  ['"red" in record.tags', { tags: { $any: ['red'] } }],
  ['record.name.startsWith("A")', { name: { $startsWith: 'A' } }],
  ['record.name.endsWith("z")', { name: { $endsWith: 'z' } }],
  ['record.name.contains("mid")', { name: { $contains: 'mid' } }],
  ['has(record.name)', { name: { $null: false } }],
  ['record.project.owner == user.id', { 'project.owner': { $eq: 'u1' } }],
  ['record.due < now', { due: { $lt: { $now: '' } } }],
  ['record.due >= today()', { due: { $gte: { $today: '' } } }],
  ['record.low < record.high', { low: { $lt: { $field: 'high' } } }],
  ['record.a == 1 && (record.b == 2 || true)', { $and: [{ a: { $eq: 1 } }, { $or: [{ b: { $eq: 2 } }, always] }] }],
  ['user.profile == "standard"', always],
  ['user.profile != "standard"', never],
  // What is not known of the user equals nothing, not even nothing.
  ['record.email == user.email', never],
  ['user.email == null', never],
  ['has(user.email)', never],
  ['record.organization == user.organizationId', { organization: { $eq: 'o1' } }],
]

const refused = [
  'record.amount + 1 > 2',
  'record.name.matches("a.*")',
  'record.name.lower() == "a"',
  'size(record.tags) > 1',
  'record.tags.exists(t, t == "a")',
  'record.a == 1 ? true : false',
  'record["name"] == "a"',
  'previous.name == "a"',
  'changed("name")',
  'user.secret == "x"',
  'record == null',
  'user.roles == ["a"]',
  'now > today()',
  '"text"',
  'record.name in record.tags',
  'params.x == 1',
  'addDays(now, 1) > record.due',
]

describe('conditions of row rules', () => {
  it.each(asked)('%s', (source, expected) => {
    expect(printFilter(conditionFilter(source, user))).toEqual(expected)
  })

  it('takes the written form with a dialect', () => {
    expect(printFilter(conditionFilter({ dialect: 'cel', source: 'record.a == 1' }, user))).toEqual({ a: { $eq: 1 } })
  })

  it.each(refused)('refuses %s', (source) => {
    expect(() => conditionFilter(source, user)).toThrow(ExpressionError)
  })
})
