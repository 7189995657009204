// Reads an expression of the protocol into the filter tree of the data engine, so that both doors mean the same by a
// condition. Precedence climbing: or, and, not, comparisons, sums, products.
import type { Filter, Operand } from '#shared/filter/filter.ts'
import { elementName, matchNone } from '#shared/filter/filter.ts'
import { maxConditions, maxDepth, maxListLength } from '#shared/filter/filter-reader.ts'
import type { ArithmeticWord, TermProblem, TextFunction } from './filter-arithmetic.ts'
import { additive, applyTextFunction, calculate, multiplicative, textFunctions } from './filter-arithmetic.ts'
import {
  applyToLiteral,
  constants,
  missingFunctions,
  missingOperators,
  textTests,
  valueFunctions,
} from './filter-functions.ts'
import type { ComparisonWord, FieldValue, Term } from './filter-values.ts'
import { among, compare, comparisons, condition, truthOf } from './filter-values.ts'
import { fieldNameOf } from './names.ts'
import type { TokenReader } from './token-reader.ts'
import { createTokenReader } from './token-reader.ts'

/** Values of names like `@p`, as text. */
export type Aliases = ReadonlyMap<string, string>

/**
 * Reads a filter.
 * @throws invalid_query with the position of what is wrong, not_implemented for parts of the protocol there are none of
 * @source D-183
 */
export function parseFilterOption(text: string, aliases: Aliases, option = '$filter'): Filter {
  const reader = createTokenReader(text, option)
  if (reader.peek().kind === 'end') throw reader.fail('a condition is expected')
  const filter = readFilter(reader, aliases)
  if (reader.peek().kind !== 'end') throw refuseRest(reader)
  return filter
}

/** Reads a filter that ends where its expression does. @throws invalid_query, not_implemented */
export function readFilter(reader: TokenReader, aliases: Aliases): Filter {
  return new ExpressionReader(reader, aliases).filter()
}

function refuseRest(reader: TokenReader): Error {
  const { kind, text } = reader.peek()
  if (kind === 'name' && missingOperators.has(text.toLowerCase())) return reader.refuse(`The operator "${text}"`)
  return kind === 'end' ? reader.fail('the expression is not complete') : reader.fail('the expression should end here')
}

/** What the texts of one expression come to together, however often a name stands for one of them. */
interface Spent {
  conditions: number
  aliases: number
}

class ExpressionReader {
  readonly #reader: TokenReader
  readonly #aliases: Aliases
  /** Variables of lambdas that stand for the element of the innermost list. */
  readonly #variables: string[] = []
  readonly #spent: Spent
  #depth = 0

  constructor(reader: TokenReader, aliases: Aliases, spent: Spent = { conditions: 0, aliases: 0 }) {
    this.#reader = reader
    this.#aliases = aliases
    this.#spent = spent
  }

  filter(): Filter {
    return this.#truth(this.#or())
  }

  #truth(term: Term): Filter {
    const filter = truthOf(term)
    if (filter === null) throw refuseRest(this.#reader)
    if (term.kind === 'path') this.#count()
    return filter
  }

  #count(): void {
    if (++this.#spent.conditions > maxConditions)
      throw this.#reader.fail(`there are more than ${maxConditions} conditions`)
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > maxDepth) throw this.#reader.fail(`the expression is nested deeper than ${maxDepth} levels`)
    const result = read()
    this.#depth -= 1
    return result
  }

  #or(): Term {
    return this.#chain('or', () => this.#and())
  }

  #and(): Term {
    return this.#chain('and', () => this.#not())
  }

  #chain(kind: 'and' | 'or', read: () => Term): Term {
    const first = read()
    if (!this.#reader.takeWord(kind)) return first
    const children = [this.#truth(first)]
    do children.push(this.#truth(read()))
    while (this.#reader.takeWord(kind))
    return { kind: 'filter', filter: { kind, children } }
  }

  #not(): Term {
    if (this.#reader.peek().kind !== 'name' || !this.#reader.takeWord('not')) return this.#comparison()
    return this.#nested(() => ({ kind: 'filter', filter: { kind: 'not', child: this.#truth(this.#not()) } }))
  }

  #comparison(): Term {
    const left = this.#sum()
    const { kind, text } = this.#reader.peek()
    if (kind !== 'name') return left
    const word = text.toLowerCase()
    if (missingOperators.has(word)) throw refuseRest(this.#reader)
    if (word === 'in') return this.#membership(left)
    if (!(comparisons as readonly string[]).includes(word)) return left
    this.#reader.next()
    const right = this.#sum()
    this.#count()
    const filter = compare(left, word as ComparisonWord, right)
    if (filter === null) throw this.#reader.refuse('This comparison')
    return { kind: 'filter', filter }
  }

  #sum(): Term {
    return this.#arithmetic(additive, () => this.#arithmetic(multiplicative, () => this.#negation()))
  }

  #arithmetic(words: readonly ArithmeticWord[], read: () => Term): Term {
    for (let left = read(); ;) {
      const word = words.find((one) => this.#reader.takeWord(one))
      if (word === undefined) return left
      left = this.#made(calculate(left, word, read()))
    }
  }

  #negation(): Term {
    if (!this.#reader.takeSign('-')) return this.#primary()
    return this.#nested(() => this.#made(calculate({ kind: 'literal', value: 0 }, 'sub', this.#negation())))
  }

  #made(term: Term | TermProblem): Term {
    if (term.kind !== 'problem') return term
    throw term.unsupported ? this.#reader.refuse(term.reason) : this.#reader.fail(term.reason)
  }

  #membership(left: Term): Term {
    this.#reader.next()
    const list = this.#primary()
    this.#count()
    const values = list.kind === 'list' ? list.values : list.kind === 'literal' ? [list.value] : null
    if (values === null) throw this.#reader.fail('a list of values is expected')
    if (values.length > maxListLength) throw this.#reader.fail(`the list has more than ${maxListLength} values`)
    if (left.kind === 'path') return { kind: 'filter', filter: among(left, values) }
    if (left.kind !== 'literal') throw this.#reader.refuse('This comparison')
    return { kind: 'literal', value: values.includes(left.value) }
  }

  #primary(): Term {
    const reader = this.#reader
    const { kind, text, type } = reader.peek()
    switch (kind) {
      case 'number':
        reader.next()
        return { kind: 'literal', value: finite(reader, Number(text.replace(/[mdfl]$/i, ''))) }
      case 'guid':
        reader.next()
        return { kind: 'literal', value: text.toLowerCase() }
      case 'string':
      case 'date':
      case 'time':
      case 'datetime':
        reader.next()
        return { kind: 'literal', value: text }
      case 'typed':
        if (/^(?:duration|binary|geography|geometry)$/i.test(type)) throw reader.refuse(`A value of the type "${type}"`)
        reader.next()
        return { kind: 'literal', value: text }
      case 'alias':
        return this.#alias()
      case 'name':
        return this.#named()
      case 'sign':
        if (text === '(' || text === '[') return this.#brackets()
    }
    throw refuseRest(reader)
  }

  #alias(): Term {
    const { text: name } = this.#reader.peek()
    const text = this.#aliases.get(name)
    if (text === undefined) throw this.#reader.fail(`there is no parameter "${name.slice(0, 50)}"`)
    this.#reader.next()
    if (++this.#spent.aliases > maxConditions)
      throw this.#reader.fail(`parameters are named more than ${maxConditions} times`)
    return this.#nested(() => {
      const inner = new ExpressionReader(createTokenReader(text, name), this.#aliases, this.#spent)
      inner.#depth = this.#depth
      const term = inner.#or()
      if (inner.#reader.peek().kind !== 'end') throw refuseRest(inner.#reader)
      return term
    })
  }

  /** An expression or a list in brackets. */
  #brackets(): Term {
    const reader = this.#reader
    const close = reader.next().text === '(' ? ')' : ']'
    return this.#nested((): Term => {
      if (reader.takeSign(close)) return { kind: 'list', values: [] }
      const first = this.#or()
      if (close === ')' && reader.takeSign(')')) return first
      const values: (Operand | null)[] = []
      for (let term = first; ; term = this.#or()) {
        if (term.kind !== 'literal') throw reader.fail('a list has values only')
        values.push(term.value)
        if (!reader.takeSign(',')) break
      }
      reader.needSign(close)
      return { kind: 'list', values }
    })
  }

  #named(): Term {
    const reader = this.#reader
    const { text } = reader.peek()
    if (reader.peek(1).kind === 'sign' && reader.peek(1).text === '(') return this.#call()
    const word = text.toLowerCase()
    if (word === 'true' || word === 'false' || word === 'null') {
      reader.next()
      return { kind: 'literal', value: word === 'null' ? null : word === 'true' }
    }
    return this.#path()
  }

  #path(): Term {
    const reader = this.#reader
    const first = reader.needName('a field')
    const isElement = this.#variables.at(-1) === first
    if (this.#variables.length > 0 && !isElement)
      throw reader.refuse(`A condition on "${first}" beside the element inside of any and all`)
    const path: string[] = isElement ? [elementName] : first === '$it' ? [] : [fieldNameOf(first)]
    while (reader.takeSign('/')) {
      const { kind, text } = reader.peek()
      if (kind !== 'name') throw reader.fail('a field is expected')
      const isCall = reader.peek(1).kind === 'sign' && reader.peek(1).text === '('
      if (isCall && (text === 'any' || text === 'all')) return this.#lambda(path, text)
      if (text === '$count' && !isCall && path.length > 0) {
        reader.next()
        return { kind: 'path', path, functions: [{ name: 'count' }] }
      }
      if (isCall || text.startsWith('$')) throw reader.refuse(`"${text}" in a path`)
      reader.next()
      if (text.includes('.')) throw reader.refuse('A type in a path')
      path.push(fieldNameOf(text))
    }
    if (path.length === 0) throw reader.fail('a field is expected')
    return { kind: 'path', path, functions: [] }
  }

  #lambda(path: readonly string[], word: 'any' | 'all'): Term {
    const reader = this.#reader
    reader.next()
    reader.needSign('(')
    this.#count()
    if (reader.takeSign(')')) {
      if (word === 'all') throw reader.fail('"all" needs a condition')
      return { kind: 'filter', filter: condition({ kind: 'path', path, functions: [] }, '$null', false) }
    }
    const variable = reader.needName('a variable')
    reader.needSign(':')
    return this.#nested((): Term => {
      this.#variables.push(variable)
      const body = this.filter()
      this.#variables.pop()
      reader.needSign(')')
      if (word === 'any') return { kind: 'filter', filter: { kind: 'some', path, child: body } }
      const other: Filter = { kind: 'some', path, child: { kind: 'not', child: body } }
      return { kind: 'filter', filter: { kind: 'not', child: other } }
    })
  }

  #call(): Term {
    const reader = this.#reader
    const written = reader.next().text
    const name = written.toLowerCase()
    if (missingFunctions.has(name) || name.startsWith('geo.')) throw reader.refuse(`The function "${written}"`)
    reader.needSign('(')
    const args = this.#nested(() => {
      const terms: Term[] = []
      if (reader.takeSign(')')) return terms
      do terms.push(this.#or())
      while (reader.takeSign(','))
      reader.needSign(')')
      return terms
    })
    const [first, second] = args
    if (Object.hasOwn(constants, name) && args.length === 0) return { kind: 'literal', value: constants[name]! }
    if (Object.hasOwn(valueFunctions, name) && args.length === 1) return this.#apply(name, first!)
    if (Object.hasOwn(textTests, name) && args.length === 2) return this.#textTest(name, first!, second!)
    if ((textFunctions as readonly string[]).includes(name))
      return this.#made(applyTextFunction(name as TextFunction, args))
    const isKnown = [constants, valueFunctions, textTests].some((table) => Object.hasOwn(table, name))
    throw reader.fail(
      isKnown ? `"${name}" does not take ${args.length} values` : `there is no function "${written.slice(0, 50)}"`,
    )
  }

  #apply(name: string, term: Term): Term {
    const applied = valueFunctions[name]!
    if (term.kind === 'path') return { ...term, functions: [...term.functions, { name: applied }] }
    const value = term.kind === 'literal' ? applyToLiteral(applied, term.value) : undefined
    if (value === undefined) throw this.#reader.fail(`"${name}" does not take this value`)
    return { kind: 'literal', value }
  }

  #textTest(name: string, text: Term, part: Term): Term {
    this.#count()
    if (text.kind === 'literal' && part.kind === 'literal') {
      return { kind: 'filter', filter: testLiterals(name, text.value, part.value) }
    }
    if (text.kind !== 'path' || part.kind !== 'literal') throw this.#reader.refuse(`"${name}" of these values`)
    const field: FieldValue = text
    if (part.value === null) return { kind: 'filter', filter: among(field, []) }
    return { kind: 'filter', filter: condition(field, textTests[name]!, part.value) }
  }
}

function testLiterals(name: string, text: Operand | null, part: Operand | null): Filter {
  if (typeof text !== 'string' || typeof part !== 'string') return matchNone
  const [whole, piece] = [text.toLowerCase(), part.toLowerCase()]
  const isTrue =
    name === 'contains'
      ? whole.includes(piece)
      : name === 'startswith'
        ? whole.startsWith(piece)
        : whole.endsWith(piece)
  return isTrue ? { kind: 'and', children: [] } : matchNone
}

/** Numbers beyond what the engine compares would all be one. @throws invalid_query */
function finite(reader: TokenReader, value: number): number {
  if (Number.isFinite(value)) return value
  throw reader.fail('the number is too large')
}
