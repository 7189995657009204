// Owns writing a list of records as a GraphQL document. Pure. @source D-181, D-270, D-271
import { graphqlFieldName } from '#shared/graphql-names.ts'
import type { AskedRecords, FilterTree } from './asked-records.ts'
import { NoWords, askedField, readFilterTree } from './asked-records.ts'

/** The document. @throws NoWords where a filter has no words there */
export function graphqlExample(asked: AskedRecords): string {
  const { object, fields, filter, sort, search, top } = asked
  const args = [
    ...(filter === undefined ? [] : [`where: ${whereOf(readFilterTree(filter), asked)}`]),
    ...(sort.length === 0
      ? []
      : [`orderBy: [${sort.map(({ field, order }) => `{field: ${field}, order: ${order}}`).join(', ')}]`]),
    ...(search === '' ? [] : [`search: ${JSON.stringify(search)}`]),
    `top: ${top}`,
  ]
  const shown = fields.map(({ name, leadsOn }) => (leadsOn ? `${name}Id` : name))
  return [
    'query {',
    `  ${graphqlFieldName(object)}List(${args.join(', ')}) {`,
    '    records {',
    ...['id', ...shown.filter((name) => name !== 'id')].map((name) => `      ${name}`),
    '    }',
    '  }',
    '}',
  ].join('\n')
}

function whereOf(tree: FilterTree, asked: AskedRecords): string {
  if (tree.kind === 'not') return `{not: ${whereOf(tree.child, asked)}}`
  if (tree.kind !== 'condition')
    return `{${tree.kind}: [${tree.children.map((child) => whereOf(child, asked)).join(', ')}]}`
  const { path, operator, operand } = tree
  const name = path.at(-1)!
  const isOfIds = path.length === 1 && askedField(asked, name)?.leadsOn === true
  const word = operator === '$null' ? 'isNull' : operator.replace(/^\$/, '')
  const condition = `{${isOfIds ? `${name}Id` : name}: {${word}: ${literalOf(operand)}}}`
  return path.slice(0, -1).reduceRight((inner, relation) => `{${relation}: ${inner}}`, condition)
}

/** @throws NoWords for what is no value, such as a macro */
function literalOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literalOf).join(', ')}]`
  if (typeof value === 'object' && value !== null) throw new NoWords('macro')
  return JSON.stringify(value)
}
