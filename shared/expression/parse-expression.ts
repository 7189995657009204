// Reads CEL text into the expression tree. The package supplies the grammar only; names, macros and arities are ours.
import { Environment, ParseError } from '@marcbachmann/cel-js'
import type { ASTNode } from '@marcbachmann/cel-js'
import { ExpressionError } from './expression-error.ts'
import type { BinaryOperator, ExpressionNode, MacroName, RootName } from './expression-node.ts'
import { rootNames } from './expression-node.ts'
import { functionArity } from './functions.ts'

const maxSourceLength = 20_000
const maxDepth = 200
const maxNodes = 5_000
const macroNames: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'map', 'filter'])
const roots: ReadonlySet<string> = new Set(rootNames)

/** Names of the `math` extension that are functions of ours by another name. */
const mathNames: Readonly<Record<string, string>> = {
  greatest: 'max',
  least: 'min',
  abs: 'abs',
  ceil: 'ceil',
  floor: 'floor',
  round: 'round',
  trunc: 'int',
}

const grammar = new Environment({
  unlistedVariablesAreDyn: true,
  homogeneousAggregateLiterals: false,
  limits: { maxAstNodes: maxNodes, maxDepth },
})

interface Reading {
  /** Variables of the surrounding macros, outermost first. */
  readonly locals: readonly string[]
  readonly depth: number
  /** Names that are none of the roots are members of `vars`. */
  readonly isOpen: boolean
}

/**
 * Reads an expression.
 * @param isOpen names that mean nothing by themselves are members of `vars`, as in flows (D-150)
 * @throws ExpressionError for text that is no CEL, unknown names and functions, and sizes beyond the limits
 */
export function parseExpression(source: string, isOpen = false): ExpressionNode {
  if (source.length > maxSourceLength) {
    throw new ExpressionError('limit', `An expression has at most ${maxSourceLength} characters.`)
  }
  if (source.trim() === '') throw new ExpressionError('syntax', 'The expression is empty.')
  return read(parseCel(source), { locals: [], depth: 0, isOpen })
}

function parseCel(source: string): ASTNode {
  try {
    return grammar.parse(source).ast
  } catch (error) {
    if (error instanceof ParseError) {
      const position = error.range?.start ?? 0
      throw new ExpressionError('syntax', `${error.summary.replace(/\.$/, '')}.`, position)
    }
    // Only nesting beyond the stack is left: rows of `!` and `-` are the one thing the grammar does not limit itself.
    if (error instanceof RangeError) throw new ExpressionError('limit', 'The expression is nested too deeply.')
    throw error
  }
}

function read(ast: ASTNode, at: Reading): ExpressionNode {
  const position = ast.start
  if (at.depth > maxDepth) throw new ExpressionError('limit', 'The expression is nested too deeply.', position)
  const inner: Reading = { ...at, depth: at.depth + 1 }
  switch (ast.op) {
    case 'value':
      return { kind: 'literal', value: literal(ast.args, position), position }
    case 'id':
      return readName(ast.args, at, position)
    case '.':
      return { kind: 'member', of: read(ast.args[0], inner), name: ast.args[1], position }
    case '[]':
      return { kind: 'index', of: read(ast.args[0], inner), index: read(ast.args[1], inner), position }
    case 'call':
      return readCall(ast.args[0], ast.args[1], inner, position)
    case 'rcall':
      return readMethod(ast.args[0], ast.args[1], ast.args[2], inner, position)
    case 'list':
      return { kind: 'list', items: ast.args.map((item) => read(item, inner)), position }
    case 'map':
      return {
        kind: 'map',
        entries: ast.args.map(([key, value]) => [read(key, inner), read(value, inner)] as const),
        position,
      }
    case '!_':
      return { kind: 'not', of: read(ast.args, inner), position }
    case '-_':
      return { kind: 'negate', of: read(ast.args, inner), position }
    case '?:':
      return {
        kind: 'conditional',
        test: read(ast.args[0], inner),
        yes: read(ast.args[1], inner),
        no: read(ast.args[2], inner),
        position,
      }
    case '.?':
    case '[?]':
      throw new ExpressionError('syntax', 'Optional access is not needed: a missing field is null.', position)
    default:
      return {
        kind: 'binary',
        operator: ast.op satisfies BinaryOperator,
        left: read(ast.args[0], inner),
        right: read(ast.args[1], inner),
        position,
      }
  }
}

function literal(value: unknown, position: number): string | number | boolean | null {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (value instanceof Uint8Array) throw new ExpressionError('syntax', 'Bytes do not exist here.', position)
  const number = Number(value)
  if (!Number.isFinite(number) || (typeof value !== 'number' && !Number.isSafeInteger(number))) {
    throw new ExpressionError('syntax', 'The number is too large.', position)
  }
  return number
}

function readName(name: string, at: Reading, position: number): ExpressionNode {
  const slot = at.locals.lastIndexOf(name)
  if (slot !== -1) return { kind: 'local', name, slot, position }
  if (roots.has(name)) return { kind: 'root', name: name as RootName, position }
  if (at.isOpen) return { kind: 'member', of: { kind: 'root', name: 'vars', position }, name, position }
  throw new ExpressionError('syntax', `"${name}" is not known; a field is read as record.${name}.`, position)
}

function readCall(name: string, args: readonly ASTNode[], at: Reading, position: number): ExpressionNode {
  if (name === 'has') {
    const [of, more] = args
    if (of?.op !== '.' || more !== undefined) {
      throw new ExpressionError('syntax', 'has() takes one path, as in has(record.name).', position)
    }
    return { kind: 'has', of: read(of, at), position }
  }
  if (name === 'changed') {
    const [field, more] = args
    if (field?.op !== 'value' || typeof field.args !== 'string' || more !== undefined) {
      throw new ExpressionError('syntax', 'changed() takes the name of one field in quotation marks.', position)
    }
    return { kind: 'changed', field: field.args, position }
  }
  return call(
    name,
    args.map((arg) => read(arg, at)),
    position,
  )
}

function readMethod(
  name: string,
  receiver: ASTNode,
  args: readonly ASTNode[],
  at: Reading,
  position: number,
): ExpressionNode {
  if (receiver.op === 'id' && receiver.args === 'math' && Object.hasOwn(mathNames, name)) {
    return call(
      mathNames[name]!,
      args.map((arg) => read(arg, at)),
      position,
    )
  }
  if (macroNames.has(name)) return readMacro(name as MacroName, receiver, args, at, position)
  return call(name, [read(receiver, at), ...args.map((arg) => read(arg, at))], position)
}

function readMacro(
  name: MacroName,
  receiver: ASTNode,
  args: readonly ASTNode[],
  at: Reading,
  position: number,
): ExpressionNode {
  const [variable] = args
  const most = name === 'map' ? 3 : 2
  if (variable?.op !== 'id' || args.length < 2 || args.length > most) {
    throw new ExpressionError('syntax', `${name}() takes a variable and an expression, as in ${name}(x, …).`, position)
  }
  if (roots.has(variable.args)) {
    throw new ExpressionError('syntax', `"${variable.args}" cannot be the variable of ${name}().`, position)
  }
  const list = read(receiver, at)
  const inside: Reading = { ...at, locals: [...at.locals, variable.args] }
  return {
    kind: 'macro',
    name,
    list,
    slot: at.locals.length,
    filter: args.length === 3 ? read(args[1]!, inside) : null,
    body: read(args.at(-1)!, inside),
    position,
  }
}

function call(name: string, args: readonly ExpressionNode[], position: number): ExpressionNode {
  const arity = functionArity(name)
  if (arity === undefined) throw new ExpressionError('syntax', `There is no function "${name}".`, position)
  if (args.length < arity.least || args.length > arity.most) {
    const count = arity.least === arity.most ? String(arity.least) : `${arity.least} to ${arity.most}`
    throw new ExpressionError('syntax', `${name}() takes ${count} arguments.`, position)
  }
  return { kind: 'call', name, args, position }
}
