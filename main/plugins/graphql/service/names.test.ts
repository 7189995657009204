import { describe, expect, it } from 'vitest'
import { graphqlFieldName, graphqlTypeName } from '#shared/graphql-names.ts'
import { createNamePool } from './names.ts'

describe('names', () => {
  it.each([
    ['task', 'Task', 'task'],
    ['crm_account', 'CrmAccount', 'crmAccount'],
    ['a__b_', 'AB', 'aB'],
    ['x_1', 'X1', 'x1'],
  ])('of %s are %s and %s', (object, type, field) => {
    expect([graphqlTypeName(object), graphqlFieldName(object)]).toEqual([type, field])
  })

  it('are given once', () => {
    const pool = createNamePool(['Query'])
    expect([pool.claim('Query'), pool.claim('Query'), pool.claim('Task'), pool.claim('Task')]).toEqual([
      'Query_',
      'Query__',
      'Task',
      'Task_',
    ])
  })
})
