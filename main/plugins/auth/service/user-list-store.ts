// Lists accounts: search, one filter of the library's kind, order and pages. SQL only; knows no request.
import { validationError } from '#shared/errors.ts'
import type { Reads } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import type { UserRow } from '../store.ts'

/** What is compared, by the name clients give it; nulls are what an account without the value counts as. */
const fields = {
  id: { sql: 'id', kind: 'text' },
  name: { sql: 'name', kind: 'text' },
  email: { sql: 'email', kind: 'folded' },
  username: { sql: 'username', kind: 'folded' },
  displayUsername: { sql: 'displayUsername', kind: 'text' },
  image: { sql: 'image', kind: 'text' },
  role: { sql: "coalesce(role, 'user')", kind: 'text' },
  banReason: { sql: 'banReason', kind: 'text' },
  emailVerified: { sql: 'coalesce(emailVerified, 0)', kind: 'boolean' },
  banned: { sql: 'coalesce(banned, 0)', kind: 'boolean' },
  twoFactorEnabled: { sql: 'coalesce(twoFactorEnabled, 0)', kind: 'boolean' },
  banExpires: { sql: 'banExpires', kind: 'instant' },
  createdAt: { sql: 'createdAt', kind: 'instant' },
  updatedAt: { sql: 'updatedAt', kind: 'instant' },
} as const

/** A field of an account that lists can be filtered by. */
export type UserField = keyof typeof fields

/** How a text is looked for. */
export type TextOperator = 'contains' | 'starts_with' | 'ends_with'

/** How a filter compares. */
export type UserOperator = TextOperator | keyof typeof comparisons | 'in' | 'not_in'

const comparisons = { eq: 'IS', ne: 'IS NOT', lt: '<', lte: '<=', gt: '>', gte: '>=' } as const

/** One condition on accounts; several values for `in` and `not_in`. */
export interface UserFilter {
  readonly field: UserField
  readonly operator: UserOperator
  readonly values: readonly string[]
}

/** How to list accounts. */
export interface UserQuery {
  readonly text?: string
  readonly columns?: readonly ('name' | 'email' | 'username')[]
  readonly textOperator?: TextOperator
  readonly filter?: UserFilter
  readonly sortBy?: 'name' | 'email' | 'username' | 'createdAt'
  readonly descending?: boolean
  readonly limit: number
  readonly offset: number
}

interface Condition {
  readonly sql: string
  readonly values: readonly (string | number)[]
}

/**
 * Accounts in order, with their number before paging.
 * @throws validation_error for a value that its field cannot be compared with
 */
export function readUsers(read: Pick<Reads, 'all' | 'get'>, query: UserQuery): { rows: UserRow[]; total: number } {
  const conditions = [searchCondition(query), filterCondition(query.filter)].filter((one) => one !== null)
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(({ sql }) => `(${sql})`).join(' AND ')}`
  const values = conditions.flatMap((one) => one.values)
  const order = `${query.sortBy ?? 'name'} ${query.descending === true ? 'DESC' : 'ASC'}, id`
  const { total } = read.get(statement<{ total: number }>(`SELECT count(*) AS total FROM auth_user ${where}`, values))!
  const rows = read.all(
    statement<UserRow>(`SELECT * FROM auth_user ${where} ORDER BY ${order} LIMIT ? OFFSET ?`, [
      ...values,
      query.limit,
      query.offset,
    ]),
  )
  return { rows, total }
}

function searchCondition({ text = '', columns, textOperator = 'contains' }: UserQuery): Condition | null {
  const wanted = text.trim()
  if (wanted === '') return null
  const searched = columns ?? ['name', 'email', 'username']
  return {
    sql: searched.map((column) => like(column)).join(' OR '),
    values: searched.map(() => patternOf(textOperator, wanted)),
  }
}

function filterCondition(filter: UserFilter | undefined): Condition | null {
  if (filter === undefined) return null
  const { operator, values } = filter
  const { sql, kind } = fields[filter.field]
  switch (operator) {
    case 'contains':
    case 'starts_with':
    case 'ends_with':
      return { sql: like(sql), values: [patternOf(operator, values[0] ?? '')] }
    case 'in':
    case 'not_in': {
      const list = `(SELECT value FROM json_each(?))`
      const operand = JSON.stringify(values.map((value) => operandOf(kind, value)))
      return operator === 'in'
        ? { sql: `${sql} IN ${list}`, values: [operand] }
        : { sql: `${sql} IS NULL OR ${sql} NOT IN ${list}`, values: [operand] }
    }
    default:
      return { sql: `${sql} ${comparisons[operator]} ?`, values: [operandOf(kind, values[0] ?? '')] }
  }
}

function like(sql: string): string {
  return `${sql} LIKE ? ESCAPE '\\'`
}

function patternOf(operator: TextOperator, text: string): string {
  const plain = text.replaceAll(/[\\%_]/g, String.raw`\$&`)
  return `${operator === 'starts_with' ? '' : '%'}${plain}${operator === 'ends_with' ? '' : '%'}`
}

function operandOf(kind: (typeof fields)[UserField]['kind'], value: string): string | number {
  if (kind === 'folded') return value.toLowerCase()
  if (kind === 'text') return value
  if (kind === 'boolean') {
    if (/^(true|1)$/.test(value)) return 1
    if (/^(false|0)$/.test(value)) return 0
    throw refused('invalid_boolean', 'The field is compared with true or false.')
  }
  const instant = Date.parse(value)
  if (Number.isNaN(instant)) throw refused('invalid_datetime', 'The field is compared with an instant.')
  return new Date(instant).toISOString()
}

function refused(code: 'invalid_boolean' | 'invalid_datetime', message: string) {
  return validationError([{ field: 'filterValue', code, message }])
}
