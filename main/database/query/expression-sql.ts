// Writes an expression over one record as SQL, for measures and dimensions worked out per row (D-123). Only what has one
// meaning in both languages is written; everything else is refused by name.
import { invalidQuery } from '#shared/errors.ts'
import type { PlatformError } from '#shared/errors.ts'
import type { BinaryOperator, ExpressionNode } from '#shared/expression/expression-node.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import { resolvePath } from '#shared/filter/resolve-path.ts'
import type { Scope } from './scope.ts'
import { bind, column } from './scope.ts'

/** What an expression gives. */
export type ExpressionSqlType = 'number' | 'text' | 'boolean'

/** SQL with the type of its value; booleans are 0 and 1, null stays null but in conditions, where it is false (D-97). */
export interface ExpressionSql {
  readonly sql: string
  readonly type: ExpressionSqlType
}

const comparisons: Readonly<Partial<Record<BinaryOperator, string>>> = {
  '==': 'IS',
  '!=': 'IS NOT',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
}

/** Functions that SQLite has under the same meaning, by the name of the expression language. */
const functions: Readonly<Record<string, { readonly sql: string; readonly type: ExpressionSqlType | 'same' }>> = {
  abs: { sql: 'abs', type: 'number' },
  ceil: { sql: 'ceil', type: 'number' },
  floor: { sql: 'floor', type: 'number' },
  round: { sql: 'round', type: 'number' },
  lower: { sql: 'lower', type: 'text' },
  upper: { sql: 'upper', type: 'text' },
  trim: { sql: 'trim', type: 'text' },
  size: { sql: 'length', type: 'number' },
  coalesce: { sql: 'coalesce', type: 'same' },
  min: { sql: 'min', type: 'same' },
  max: { sql: 'max', type: 'same' },
}

/**
 * The expression as SQL on the scope's record.
 * @param parameter the part of the query an error names
 * @throws invalid_query for unknown or unreadable fields and for what SQL cannot say
 */
export function expressionSql(scope: Scope, node: ExpressionNode, parameter: string): ExpressionSql {
  // Parts of the text may stand in it twice or in another order, so nothing is bound.
  return writeNode({ ...scope, inline: true }, node, parameter)
}

function writeNode(scope: Scope, node: ExpressionNode, parameter: string): ExpressionSql {
  const write = (inner: ExpressionNode): ExpressionSql => writeNode(scope, inner, parameter)
  switch (node.kind) {
    case 'literal':
      return writeLiteral(scope, node.value, parameter)
    case 'member':
      return writeField(scope, node, parameter)
    case 'negate':
      return { sql: `(-${need(write(node.of), 'number', parameter)})`, type: 'number' }
    case 'not':
      return { sql: `(NOT ${truth(write(node.of))})`, type: 'boolean' }
    case 'binary':
      return writeBinary(node.operator, write(node.left), write(node.right), parameter)
    case 'conditional': {
      const yes = write(node.yes)
      return {
        sql: `CASE WHEN ${truth(write(node.test))} THEN ${yes.sql} ELSE ${write(node.no).sql} END`,
        type: yes.type,
      }
    }
    case 'call':
      return writeCall(node.name, node.args.map(write), parameter)
    default:
      throw refuse(parameter, 'uses a part of the language that groups cannot use')
  }
}

function writeLiteral(scope: Scope, value: string | number | boolean | null, parameter: string): ExpressionSql {
  if (value === null) throw refuse(parameter, 'uses null where a value is needed')
  if (typeof value === 'boolean') return { sql: value ? '1' : '0', type: 'boolean' }
  return { sql: bind(scope, value), type: typeof value === 'number' ? 'number' : 'text' }
}

function writeField(scope: Scope, node: ExpressionNode & { kind: 'member' }, parameter: string): ExpressionSql {
  if (node.of.kind !== 'root' || node.of.name !== 'record')
    throw refuse(parameter, 'reads more than fields of the record')
  const { field } = resolvePath(scope.schema, [node.name], scope.env, { parameter, path: node.name })
  const type = typeOf(field)
  if (type === null) throw refuse(parameter, `reads the field "${node.name}", which has no single value`)
  return { sql: column(scope, field.column), type }
}

function typeOf(field: FieldSchema): ExpressionSqlType | null {
  const type = fieldTypeOf(field)
  if (field.multiple || type.innerPaths === true || type.concealed !== undefined) return null
  if (type.storage === 'boolean') return 'boolean'
  if (type.storage !== 'plain') return null
  return field.sqlType === 'TEXT' ? 'text' : 'number'
}

function writeBinary(
  operator: BinaryOperator,
  left: ExpressionSql,
  right: ExpressionSql,
  parameter: string,
): ExpressionSql {
  const comparison = comparisons[operator]
  if (comparison !== undefined) return { sql: `(${left.sql} ${comparison} ${right.sql})`, type: 'boolean' }
  if (operator === '&&') return { sql: `(${truth(left)} AND ${truth(right)})`, type: 'boolean' }
  if (operator === '||') return { sql: `(${truth(left)} OR ${truth(right)})`, type: 'boolean' }
  if (operator === '+' && left.type === 'text' && right.type === 'text') {
    return { sql: `(${left.sql} || ${right.sql})`, type: 'text' }
  }
  const [a, b] = [need(left, 'number', parameter), need(right, 'number', parameter)]
  // Numbers of the language are doubles, and a division by zero gives null.
  if (operator === '/') return { sql: `(${a} * 1.0 / nullif(${b}, 0))`, type: 'number' }
  if (operator === '%') return { sql: `(${a} - ${b} * CAST(${a} / nullif(${b}, 0) AS INTEGER))`, type: 'number' }
  if (operator === '+' || operator === '-' || operator === '*')
    return { sql: `(${a} ${operator} ${b})`, type: 'number' }
  throw refuse(parameter, `uses the operator "${operator}"`)
}

function writeCall(name: string, args: readonly ExpressionSql[], parameter: string): ExpressionSql {
  const known = Object.hasOwn(functions, name) ? functions[name] : undefined
  const [first] = args
  if (known === undefined || first === undefined) throw refuse(parameter, `uses the function "${name}"`)
  return {
    sql: `${known.sql}(${args.map(({ sql }) => sql).join(', ')})`,
    type: known.type === 'same' ? first.type : known.type,
  }
}

/** A value as a condition: null is false. */
function truth({ sql }: ExpressionSql): string {
  return `coalesce(${sql}, 0)`
}

function need(value: ExpressionSql, type: ExpressionSqlType, parameter: string): string {
  if (value.type === type) return value.sql
  throw refuse(parameter, `needs a ${type} where it has a ${value.type}`)
}

function refuse(parameter: string, reason: string): PlatformError {
  return invalidQuery(parameter, `The expression ${reason}.`, { path: 'expression' })
}
