import { describe, expect, it } from 'vitest'
import { hintsAt } from './schema-hints.ts'
import { readSchemaText } from './schema-text.ts'

const types = readSchemaText(`
type Query {
  task(id: ID!): Task
  """
  A page of tasks; where: all.
  """
  taskList(where: TaskWhere, orderBy: [TaskOrder!], top: Int = 20): TaskPage
}

type TaskPage {
  records: [Task!]!
  total: Int
}

type Task {
  id: ID!
  title: String
  owner: User
}

type User {
  name: String
}

type Mutation {
  deleteTask(id: ID!): Task
}

input TaskWhere {
  and: [TaskWhere!]
  title: StringFilter
}

input StringFilter {
  eq: String
  contains: String
}

input TaskOrder {
  field: TaskField!
  order: SortOrder
}

enum TaskField {
  id
  title
}

enum SortOrder {
  asc
  desc
}
`)

/** What fits at the mark. */
const at = (marked: string): string =>
  hintsAt(marked.replace('|', ''), marked.indexOf('|'), types)
    .members.map(({ name }) => name)
    .join(' ')

describe('hints', () => {
  it.each([
    ['|', ''],
    ['{ | }', 'task taskList'],
    ['query Mine($a: Int) { ta| }', 'task taskList'],
    ['mutation { |', 'deleteTask'],
    ['{ taskList { | } }', 'records total'],
    ['{ taskList(top: 5) { records { | } } }', 'id title owner'],
    ['{ taskList { records { owner { | } } } }', 'name'],
    ['{ taskList { records { owner { name } | } } }', 'id title owner'],
    ['{ taskList { mine: records { ti| } } }', 'title'],
    ['{ taskList(|', 'where orderBy top'],
    ['{ taskList(where: {| }) }', 'and title'],
    ['{ taskList(where: {and: [{title: {| }}]}) }', 'eq contains'],
    ['{ taskList(where: {title: {eq: "{ ( # "}}, |) }', 'where orderBy top'],
    ['{ taskList(orderBy: [{field: |}]) }', 'id title'],
    ['{ taskList(orderBy: [{field: title, order: d|}]) }', 'desc'],
    ['{ task(id: 1) { ... on User { | } } }', 'name'],
    ['query ($a: |', ''],
  ])('in %s are "%s"', (marked, expected) => {
    expect(at(marked)).toBe(expected)
  })
})
