// The scalars of the schema beside the built-in ones. Values pass as they are: what is valid in a field, the data service
// says, with the errors it gives everywhere.
import type { GraphQLScalarType } from 'graphql'
import type { ScalarName } from './value-kinds.ts'

/** The library, loaded at first use. */
export type GraphqlLibrary = typeof import('graphql')

const texts = [
  ['DateTime', 'An instant: ISO 8601 in UTC with three fraction digits.'],
  ['Date', 'A day: YYYY-MM-DD.'],
  ['Time', 'A time of day: HH:MM:SS.'],
  ['URL', 'An absolute address.'],
  ['Email', 'An e-mail address.'],
] as const

/** Makes the scalars of one schema by name. */
export function createScalars(library: GraphqlLibrary): ReadonlyMap<ScalarName, GraphQLScalarType> {
  const { GraphQLBoolean, GraphQLFloat, GraphQLID, GraphQLScalarType: Scalar, GraphQLString, GraphQLError } = library
  const refuse = (message: string): never => {
    throw new GraphQLError(message)
  }
  const textual = ([name, description]: (typeof texts)[number]): GraphQLScalarType =>
    new Scalar({
      name,
      description,
      coerceOutputValue: (value) => value,
      coerceInputValue: (value) => (typeof value === 'string' ? value : refuse(`${name} must be text.`)),
    })
  const json = new Scalar({
    name: 'JSON',
    description: 'Any JSON value.',
    coerceOutputValue: (value) => value,
    coerceInputValue: (value) => (hasProto(value) ? refuse('The key "__proto__" is not allowed.') : value),
    coerceInputLiteral(node) {
      const value = library.valueFromASTUntyped(node)
      return hasProto(value) ? refuse('The key "__proto__" is not allowed.') : value
    },
  })
  // The platform's integers reach to 2^53 (D-11), and what is stored must stay readable.
  const integer = (value: unknown): number =>
    typeof value === 'number' && Number.isSafeInteger(value) ? value : refuse('Int must be an integer up to 2^53.')
  const int = new Scalar({
    name: 'Int',
    description: 'An integer up to 2^53.',
    coerceOutputValue: integer,
    coerceInputValue: integer,
    coerceInputLiteral: (node) =>
      node.kind === 'IntValue' ? integer(Number(node.value)) : refuse('Int must be an integer.'),
  })
  return new Map<ScalarName, GraphQLScalarType>([
    ['ID', GraphQLID],
    ['String', GraphQLString],
    ['Int', int],
    ['Float', GraphQLFloat],
    ['Boolean', GraphQLBoolean],
    ['JSON', json],
    ...texts.map((text) => [text[0], textual(text)] as const),
  ])
}

/** An own "__proto__" is harmless here and dangerous wherever the value is copied. */
function hasProto(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Array.isArray(value)
    ? value.some(hasProto)
    : Object.hasOwn(value, '__proto__') || Object.values(value).some(hasProto)
}
