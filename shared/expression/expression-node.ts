// The tree of an expression: plain data that evaluation, type inference and translation to other languages share.

/** The names an expression may start from. @source D-97 */
export const rootNames = ['record', 'previous', 'user', 'params', 'vars', 'event', 'now'] as const

/** One of {@link rootNames}. */
export type RootName = (typeof rootNames)[number]

/** Operators with two operands. */
export type BinaryOperator = '+' | '-' | '*' | '/' | '%' | '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | '&&' | '||'

/** The names of the macros over lists. */
export type MacroName = 'all' | 'exists' | 'exists_one' | 'map' | 'filter'

interface Placed {
  /** Offset in the source, zero-based. */
  readonly position: number
}

/** One node; `local` is the variable of a surrounding macro, `slot` counts those from outside to inside. */
export type ExpressionNode = Placed &
  (
    | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
    | { readonly kind: 'root'; readonly name: RootName }
    | { readonly kind: 'local'; readonly name: string; readonly slot: number }
    | { readonly kind: 'member'; readonly of: ExpressionNode; readonly name: string }
    | { readonly kind: 'index'; readonly of: ExpressionNode; readonly index: ExpressionNode }
    | { readonly kind: 'has'; readonly of: ExpressionNode }
    | { readonly kind: 'changed'; readonly field: string }
    | { readonly kind: 'call'; readonly name: string; readonly args: readonly ExpressionNode[] }
    | {
        readonly kind: 'macro'
        readonly name: MacroName
        readonly list: ExpressionNode
        readonly slot: number
        /** `map` may have one; the predicate of the others is `body`. */
        readonly filter: ExpressionNode | null
        readonly body: ExpressionNode
      }
    | { readonly kind: 'list'; readonly items: readonly ExpressionNode[] }
    | { readonly kind: 'map'; readonly entries: readonly (readonly [ExpressionNode, ExpressionNode])[] }
    | { readonly kind: 'not' | 'negate'; readonly of: ExpressionNode }
    | {
        readonly kind: 'binary'
        readonly operator: BinaryOperator
        readonly left: ExpressionNode
        readonly right: ExpressionNode
      }
    | {
        readonly kind: 'conditional'
        readonly test: ExpressionNode
        readonly yes: ExpressionNode
        readonly no: ExpressionNode
      }
  )

/** The nodes directly below a node, in order of the source. */
export function childNodes(node: ExpressionNode): readonly ExpressionNode[] {
  switch (node.kind) {
    case 'member':
    case 'has':
    case 'not':
    case 'negate':
      return [node.of]
    case 'index':
      return [node.of, node.index]
    case 'call':
      return node.args
    case 'macro':
      return node.filter === null ? [node.list, node.body] : [node.list, node.filter, node.body]
    case 'list':
      return node.items
    case 'map':
      return node.entries.flat()
    case 'binary':
      return [node.left, node.right]
    case 'conditional':
      return [node.test, node.yes, node.no]
    default:
      return []
  }
}
