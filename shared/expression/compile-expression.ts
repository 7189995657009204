// The door of the expression language: text in, a compiled expression out. Shared by host and renderer; knows no rights.
import { createBudget } from './budget.ts'
import { compileNode } from './compile-node.ts'
import { ExpressionError } from './expression-error.ts'
import type { ExpressionNode, RootName } from './expression-node.ts'
import { childNodes } from './expression-node.ts'
import type { ExpressionScope, Machine, Value } from './machine.ts'
import { Moment, Span } from './moments.ts'
import { isMap, jsonValue, memberOf } from './operators.ts'
import { parseExpression } from './parse-expression.ts'

export type { ExpressionScope } from './machine.ts'
export { ExpressionError } from './expression-error.ts'

/** A compiled expression; keeps no state between evaluations. */
export interface Expression {
  readonly source: string
  /** Names read as `record.<name>` or `previous.<name>` or given to changed(), sorted. */
  readonly fields: readonly string[]
  /** True when it reads the clock: `now`, `now()` or `today()`. */
  readonly usesClock: boolean
  /** The names it starts from; changed() counts as `record` and `previous`. */
  readonly roots: ReadonlySet<RootName>
  /** True when it looks at the record as a whole or under a computed name, so that `fields` does not tell everything. */
  readonly readsWholeRecord: boolean
  /** For inference and translation. */
  readonly node: ExpressionNode
  /**
   * The value as JSON: moments as ISO text, durations as text such as `90s`.
   * @throws ExpressionError `value`, `limit`
   */
  evaluate(scope: ExpressionScope): unknown
}

const maxCached = 2_000
const cache = new Map<string, Expression>()

/**
 * Compiles CEL text, or `{dialect: "cel", source}`; the same text gives the same expression.
 * @throws ExpressionError `syntax`, `limit`
 * @source D-97
 */
export function compileExpression(source: unknown): Expression {
  return compiled(expressionText(source), false)
}

/**
 * As {@link compileExpression}, for flows: names that mean nothing by themselves are members of `vars`.
 * @throws ExpressionError `syntax`, `limit`
 * @source D-150
 */
export function compileOpenExpression(source: unknown): Expression {
  return compiled(expressionText(source), true)
}

function compiled(text: string, isOpen: boolean): Expression {
  const key = isOpen ? `\u0000${text}` : text
  const known = cache.get(key)
  if (known !== undefined) return known
  const expression = compile(text, isOpen)
  if (cache.size >= maxCached) cache.delete(cache.keys().next().value!)
  cache.set(key, expression)
  return expression
}

/** The CEL text of either written form. @throws ExpressionError `syntax` */
export function expressionText(source: unknown): string {
  if (typeof source === 'string') return source
  if (typeof source === 'object' && source !== null) {
    const given = source as { dialect?: unknown; source?: unknown }
    if ((given.dialect ?? 'cel') === 'cel' && typeof given.source === 'string') return given.source
  }
  throw new ExpressionError('syntax', 'An expression is CEL text or {dialect: "cel", source}.')
}

function compile(source: string, isOpen: boolean): Expression {
  const node = parseExpression(source, isOpen)
  const use: Use = { fields: new Set(), roots: new Set(), clock: false, whole: false }
  collect(node, use)
  const run = compileNode(node)
  return Object.freeze({
    source,
    fields: Object.freeze([...use.fields].sort()),
    usesClock: use.clock,
    roots: use.roots,
    readsWholeRecord: use.whole,
    node,
    evaluate(scope: ExpressionScope) {
      const machine: Machine = { scope, budget: createBudget(), locals: [] }
      return toJson(run(machine), machine)
    },
  })
}

interface Use {
  readonly fields: Set<string>
  readonly roots: Set<RootName>
  clock: boolean
  whole: boolean
}

function collect(node: ExpressionNode, use: Use): void {
  if (node.kind === 'root') {
    use.roots.add(node.name)
    if (node.name === 'now') use.clock = true
    if (node.name === 'record' || node.name === 'previous') use.whole = true
    return
  }
  if (node.kind === 'changed') {
    use.roots.add('record')
    use.roots.add('previous')
    use.fields.add(node.field)
    return
  }
  if (node.kind === 'call' && (node.name === 'now' || node.name === 'today')) use.clock = true
  const field = fieldRead(node)
  if (field !== null) {
    use.roots.add(field.root)
    use.fields.add(field.name)
    return
  }
  for (const child of childNodes(node)) collect(child, use)
}

/** The field a node reads when it is `record.name` or `record["name"]`; also of `previous`. */
export function fieldRead(node: ExpressionNode): { root: 'record' | 'previous'; name: string } | null {
  if (node.kind !== 'member' && node.kind !== 'index') return null
  if (node.of.kind !== 'root' || (node.of.name !== 'record' && node.of.name !== 'previous')) return null
  if (node.kind === 'member') return { root: node.of.name, name: node.name }
  const { index } = node
  return index.kind === 'literal' && typeof index.value === 'string' ? { root: node.of.name, name: index.value } : null
}

/** What leaves the expression; pays for every node, because shared parts may make a small value large. */
function toJson(value: Value, machine: Machine): unknown {
  machine.budget.spend(1)
  if (value instanceof Moment || value instanceof Span) return value.toString()
  if (typeof value === 'string') {
    machine.budget.spendText(value.length)
    return value
  }
  if (Array.isArray(value)) return value.map((item) => toJson(jsonValue(item), machine))
  if (isMap(value))
    return Object.fromEntries(Object.keys(value).map((name) => [name, toJson(memberOf(value, name), machine)]))
  return value ?? null
}
