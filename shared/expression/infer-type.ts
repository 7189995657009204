// The type of an expression's value, as far as it can be told without running it; also finds operands that never fit.
import type { Expression } from './compile-expression.ts'
import { fieldRead } from './compile-expression.ts'
import { ExpressionError } from './expression-error.ts'
import type { BinaryOperator, ExpressionNode } from './expression-node.ts'
import { functionOf } from './functions.ts'

/** What a value is. `unknown` when only running tells; `null` when it is always null. */
export type ValueType =
  | 'text'
  | 'number'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'duration'
  | 'list'
  | 'map'
  | 'null'
  | 'unknown'

/**
 * Infers the type of a value.
 * @param fieldTypeOfName the type of `record.<name>`; `unknown` when it cannot be told
 * @throws ExpressionError `value` for an operator between types that can never have one
 */
export function inferResultType(expression: Expression, fieldTypeOfName: (name: string) => ValueType): ValueType {
  return infer(expression.node, fieldTypeOfName)
}

type FieldTypeOf = (name: string) => ValueType

function infer(node: ExpressionNode, fieldType: FieldTypeOf): ValueType {
  const field = fieldRead(node)
  if (field !== null) return fieldType(field.name)
  switch (node.kind) {
    case 'literal':
      return node.value === null ? 'null' : typeof node.value === 'string' ? 'text' : (typeof node.value as ValueType)
    case 'root':
      return node.name === 'now' ? 'datetime' : node.name === 'event' ? 'unknown' : 'map'
    case 'has':
    case 'changed':
      return 'boolean'
    case 'list':
      node.items.forEach((item) => infer(item, fieldType))
      return 'list'
    case 'map':
      node.entries.forEach(([, value]) => infer(value, fieldType))
      return 'map'
    case 'macro':
      infer(node.list, fieldType)
      if (node.filter !== null) infer(node.filter, fieldType)
      infer(node.body, fieldType)
      return node.name === 'map' || node.name === 'filter' ? 'list' : 'boolean'
    case 'not':
      infer(node.of, fieldType)
      return 'boolean'
    case 'negate': {
      const of = infer(node.of, fieldType)
      if (of === 'number' || of === 'duration' || of === 'null' || of === 'unknown') return of
      throw new ExpressionError('value', `"-" has no meaning for a ${of}.`, node.position)
    }
    case 'conditional':
      infer(node.test, fieldType)
      return unite(infer(node.yes, fieldType), infer(node.no, fieldType))
    case 'call': {
      const types = node.args.map((arg) => infer(arg, fieldType))
      const { result } = functionOf(node.name)
      if (result === 'any') return 'unknown'
      if (result !== 'same') return result
      if (node.name === 'coalesce' || types.length > 1) {
        return node.name === 'addDays' ? types[0]! : types.reduce(unite)
      }
      return types[0] === 'list' && (node.name === 'min' || node.name === 'max') ? 'unknown' : types[0]!
    }
    case 'binary':
      return inferBinary(node.operator, infer(node.left, fieldType), infer(node.right, fieldType), node.position)
    default:
      return 'unknown'
  }
}

function unite(left: ValueType, right: ValueType): ValueType {
  if (left === right || right === 'null') return left
  if (left === 'null') return right
  return isMoment(left) && isMoment(right) ? 'datetime' : 'unknown'
}

const isMoment = (type: ValueType): boolean => type === 'date' || type === 'datetime'
/** Text may hold a date in ISO form. */
const mayBeMoment = (type: ValueType): boolean => isMoment(type) || type === 'text'

function inferBinary(operator: BinaryOperator, left: ValueType, right: ValueType, position: number): ValueType {
  const free = left === 'unknown' || right === 'unknown' || left === 'null' || right === 'null'
  const refuse = (): never => {
    throw new ExpressionError('value', `"${operator}" has no meaning for ${left} and ${right}.`, position)
  }
  switch (operator) {
    case '+':
      if (free)
        return left === 'null' || right === 'null' ? 'null' : left === 'text' || right === 'text' ? 'text' : 'unknown'
      if (left === 'duration' && right === 'duration') return 'duration'
      if ((mayBeMoment(left) && right === 'duration') || (mayBeMoment(right) && left === 'duration')) return 'datetime'
      if (isStored(left) && isStored(right)) return 'text'
      return left === right && (left === 'number' || left === 'list') ? left : refuse()
    case '-':
      if (free) return left === 'null' || right === 'null' ? 'null' : 'unknown'
      if (left === 'number' && right === 'number') return 'number'
      if (mayBeMoment(left) && mayBeMoment(right)) return 'duration'
      if (right === 'duration') return left === 'duration' ? 'duration' : mayBeMoment(left) ? 'datetime' : refuse()
      return refuse()
    case '*':
    case '/':
    case '%':
      if (free) return left === 'null' || right === 'null' ? 'null' : 'number'
      return left === 'number' && right === 'number' ? 'number' : refuse()
    case '<':
    case '<=':
    case '>':
    case '>=':
      if (free || left === right || (mayBeMoment(left) && mayBeMoment(right))) return 'boolean'
      return refuse()
    default:
      return 'boolean'
  }
}

/** Types whose values are texts in a record. */
const isStored = (type: ValueType): boolean => type === 'text' || type === 'date' || type === 'datetime'
