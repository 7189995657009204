// Finds texts that the source of a screen shows without looking them up, and the keys of texts it asks for. Reads the
// syntax tree; knows no table of texts.
import { parseSync, Visitor } from 'oxc-parser'
import type { Expression, JSXAttribute, PropertyKey } from 'oxc-parser'

/** What the source of one file says. */
export interface SourceTexts {
  /** Texts people would read as they stand here. */
  readonly shown: readonly { readonly line: number; readonly text: string }[]
  /** Every whole literal: each may be the key of a text. */
  readonly literals: ReadonlySet<string>
  /** Beginnings of literals with something filled in, such as `setting.` of `setting.${path}`. */
  readonly beginnings: ReadonlySet<string>
}

/** Attributes and properties whose texts are read or heard. */
const readNames = new Set(
  'label title placeholder description alt hint tooltip legend heading text lead nothingFoundMessage aria-label aria-description aria-roledescription aria-valuetext'.split(
    ' ',
  ),
)
const word = /\p{L}{2,}/u
/** A property says more than texts: one without a space or a capital is a name. */
const sentence = /[\p{Lu} ]/u

/**
 * The texts of one file.
 * @param path decides whether the file holds elements
 * @throws Error with the place when the file cannot be parsed
 */
export function textsOf(path: string, source: string): SourceTexts {
  const { program, errors } = parseSync(path, source)
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]!.message}`)
  const shown: { line: number; text: string }[] = []
  const literals = new Set<string>()
  const beginnings = new Set<string>()
  const show = (start: number, text: string): void => {
    if (word.test(text)) shown.push({ line: source.slice(0, start).split('\n').length, text: text.trim() })
  }
  new Visitor({
    JSXText: (node) => show(node.start, node.value),
    JSXAttribute: (node) => {
      if (readNames.has(nameOf(node))) show(node.start, literalOf(node.value) ?? '')
    },
    Property: (node) => {
      const text = literalOf(node.value as Expression) ?? ''
      if (readNames.has(keyOf(node.key)) && sentence.test(text)) show(node.start, text)
    },
    Literal: (node) => void (typeof node.value === 'string' && literals.add(node.value)),
    TemplateLiteral: ({ quasis: [first] }) => void beginnings.add(first!.value.cooked ?? ''),
  }).visit(program)
  return { shown, literals, beginnings }
}

function nameOf({ name }: JSXAttribute): string {
  return name.type === 'JSXIdentifier' ? name.name : `${name.namespace.name}:${name.name.name}`
}

function keyOf(key: PropertyKey): string {
  if (key.type === 'Identifier') return key.name
  return key.type === 'Literal' ? String(key.value) : ''
}

function literalOf(value: JSXAttribute['value'] | Expression): string | undefined {
  if (value?.type === 'JSXExpressionContainer') return literalOf(value.expression as Expression)
  if (value?.type === 'Literal') return typeof value.value === 'string' ? value.value : undefined
  return value?.type === 'TemplateLiteral' ? value.quasis.map((part) => part.value.cooked).join(' ') : undefined
}
