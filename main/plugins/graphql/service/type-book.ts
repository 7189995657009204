// What all types of one schema share: the library, names, scalars, filters and the small enumerations.
import type { GraphQLEnumType, GraphQLInputObjectType, GraphQLScalarType } from 'graphql'
import type { NamePool } from './names.ts'
import { createNamePool } from './names.ts'
import type { GraphqlLibrary } from './scalars.ts'
import { createScalars } from './scalars.ts'
import type { FilterKind, ScalarName } from './value-kinds.ts'
import { listOperators, scalarNames, textOperators } from './value-kinds.ts'

/** The shared parts of a schema. */
export interface TypeBook {
  readonly library: GraphqlLibrary
  /** Names of types; those of the language itself are taken. */
  readonly names: NamePool
  readonly sortOrder: GraphQLEnumType
  readonly deletedRecords: GraphQLEnumType
  /** An enumeration of words, each with what it stands for where that is not itself. */
  words(name: string, list: readonly (readonly [word: string, value?: string])[]): GraphQLEnumType
  scalar(name: ScalarName): GraphQLScalarType
  filter(kind: FilterKind): GraphQLInputObjectType
}

/**
 * Makes the book of a schema.
 * @param claimed called with the pool before anything but the language takes a name: objects come first
 */
export function createTypeBook(library: GraphqlLibrary, claimed: (names: NamePool) => void): TypeBook {
  const names = createNamePool([...scalarNames, 'Query', 'Mutation', 'Subscription'])
  claimed(names)
  const scalars = createScalars(library)
  const filters = new Map<string, GraphQLInputObjectType>()
  const scalar = (name: ScalarName): GraphQLScalarType => scalars.get(name)!
  /** In documents their words may be texts too, as they are in every other part of the protocol. */
  class WordType extends library.GraphQLEnumType {
    override coerceInputLiteral(...[node, ...rest]: Parameters<GraphQLEnumType['coerceInputLiteral']>): unknown {
      return super.coerceInputLiteral(node.kind === 'StringValue' ? { kind: ENUM, value: node.value } : node, ...rest)
    }
  }
  const ENUM = library.Kind.ENUM
  const words: TypeBook['words'] = (name, list) =>
    new WordType({
      name: names.claim(name),
      values: Object.fromEntries(list.map(([word, value = word]) => [word, { value }])),
    })
  return {
    library,
    names,
    scalar,
    words,
    sortOrder: words('SortOrder', [['asc'], ['desc']]),
    deletedRecords: words('DeletedRecords', [['exclude'], ['include'], ['only']]),
    filter(kind) {
      const known = filters.get(kind.name)
      if (known !== undefined) return known
      const { GraphQLList: List, GraphQLNonNull: Required } = library
      const typeOf = (operator: string) => {
        if (operator === 'isNull') return scalar('Boolean')
        if (textOperators.has(operator)) return scalar(kind.operand === 'ID' ? 'ID' : 'String')
        const operand = scalar(kind.operand)
        return listOperators.has(operator) ? new List(new Required(operand)) : operand
      }
      const made = new library.GraphQLInputObjectType({
        name: names.claim(kind.name),
        fields: Object.fromEntries(kind.operators.map((operator) => [operator, { type: typeOf(operator) }])),
      })
      filters.set(kind.name, made)
      return made
    },
  }
}
