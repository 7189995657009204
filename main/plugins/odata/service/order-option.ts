// Reads $orderby into the sort terms of the data engine.
import type { SortTerm } from '#shared/filter/sort.ts'
import { maxSortTerms } from '#shared/filter/sort.ts'
import { fieldNameOf } from './names.ts'
import { createTokenReader } from './token-reader.ts'

/** Reads an order; empty text has no terms. @throws invalid_query, not_implemented for orders by anything but fields */
export function parseOrder(text: string, option = '$orderby'): SortTerm[] {
  const reader = createTokenReader(text, option)
  const terms: SortTerm[] = []
  if (reader.peek().kind === 'end') return terms
  do {
    const path: string[] = []
    do {
      const { text: name } = reader.peek()
      const isCall = reader.peek(1).kind === 'sign' && reader.peek(1).text === '('
      if (isCall || (name.startsWith('$') && name !== '$it')) throw reader.refuse('An order by anything but a field')
      reader.needName('a field')
      if (name !== '$it') path.push(fieldNameOf(name))
    } while (reader.takeSign('/'))
    if (path.length === 0) throw reader.fail('a field is expected')
    const descending = reader.takeWord('desc')
    if (!descending) reader.takeWord('asc')
    terms.push({ path, descending })
    if (terms.length > maxSortTerms) throw reader.fail(`there are more than ${maxSortTerms} terms`)
  } while (reader.takeSign(','))
  if (reader.peek().kind !== 'end') throw reader.fail('asc, desc or a comma is expected')
  return terms
}

/** The terms as a list query takes them. */
export function sortOf(terms: readonly SortTerm[]): { field: string; order: 'asc' | 'desc' }[] {
  return terms.map(({ path, descending }) => ({ field: path.join('.'), order: descending ? 'desc' : 'asc' }))
}
