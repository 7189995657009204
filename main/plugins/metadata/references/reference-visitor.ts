// What looks at references or renames them, and the forms in which items refer to fields: paths, filters, sorts and
// expressions. Pure; which keys of an item hold which form is told elsewhere.
import { ExpressionError, compileExpression, fieldRead } from '#shared/expression/compile-expression.ts'
import type { ExpressionNode } from '#shared/expression/expression-node.ts'
import { childNodes } from '#shared/expression/expression-node.ts'
import { replaceTemplates } from '#shared/expression/templates.ts'
import type { MetadataType } from '#shared/contracts/metadata.ts'
import { isJsonMap } from '#shared/merge-patch.ts'
import { textOf } from '../service/json-values.ts'
import type { Edit } from './edits.ts'
import { choose, each, everyMember, inTurn, keys, members, text } from './edits.ts'

/** Why an item needs another (D-108). */
export type DependencyKind = 'reference' | 'extends' | 'includes' | 'triggers'

/** Sees every reference; what it answers takes the reference's place. */
export interface ReferenceVisitor {
  /** Another item by name; null as kind is a mention that makes nobody dependent. */
  item(type: MetadataType, name: string, kind: DependencyKind | null): string
  /** One field of an object; a mention makes nobody dependent. */
  field(object: string, field: string, how?: 'mention'): string
  /** The object a field of an object refers to; null when it refers to none or is not known. */
  target(object: string, field: string): string | null
}

/**
 * Where the items of a type refer to others: answers the body after the visitor saw each reference in it.
 * @param object the object the item is about; null when it is about none
 */
export type References = (visitor: ReferenceVisitor, object: string | null, item: unknown) => unknown

/** An item named by text. */
export function itemName(visitor: ReferenceVisitor, type: MetadataType, kind: DependencyKind | null): Edit {
  return text((name) => (name === '' ? name : visitor.item(type, name, kind)))
}

/** A dotted path of fields as seen from an object, such as `account.name`; `-` before it means descending. */
export function fieldPath(visitor: ReferenceVisitor, object: string | null): Edit {
  return text((path) => {
    const sign = path.startsWith('-') ? '-' : ''
    let current = object
    const segments = path.slice(sign.length).split('.')
    const renamed = segments.map((segment) => {
      if (current === null || segment === '') return segment
      const name = visitor.field(current, segment)
      current = visitor.target(current, segment)
      return name
    })
    return sign + renamed.join('.')
  })
}

/** A member of a cube: a field path with an aggregate, or one behind the cube's name (D-117). */
export function cubeMember(visitor: ReferenceVisitor, cube: string | null): Edit {
  const path = fieldPath(visitor, cube)
  return text((member) => {
    const prefix = `${cube ?? ''}.`
    if (cube === null || !member.startsWith(prefix)) return path(member) as string
    return `${visitor.item('object', cube, null)}.${path(member.slice(prefix.length)) as string}`
  })
}

/** A filter in any form of D-79 and D-80: maps of paths, rules, and lists of three. */
export function filter(visitor: ReferenceVisitor, object: string | null): Edit {
  const path = fieldPath(visitor, object)
  const edit: Edit = (value) => {
    if (Array.isArray(value)) {
      const [first, second] = value as unknown[]
      if (typeof first === 'string' && typeof second === 'string' && !logicalWords.has(first.toLowerCase())) {
        const renamed = path(first)
        return renamed === first ? value : [renamed, ...(value as unknown[]).slice(1)]
      }
      return each(edit)(value)
    }
    if (!isJsonMap(value)) return value
    if (typeof textOf(value, 'field') === 'string' && Object.hasOwn(value, 'operator')) {
      return members({ field: path })(value)
    }
    const logical = everyMember((key) => (key.startsWith('$') || logicalWords.has(key) ? edit : (same) => same))
    return inTurn(
      logical,
      keys((key) => (key.startsWith('$') || logicalWords.has(key) ? key : (path(key) as string))),
    )(value)
  }
  return edit
}

const logicalWords: ReadonlySet<string> = new Set(['and', 'or', 'not', 'nor', 'filters', 'conditions', 'logic'])

/** A sort: paths, `{field, order}`, pairs, or a map of paths. */
export function sort(visitor: ReferenceVisitor, object: string | null): Edit {
  const path = fieldPath(visitor, object)
  const one = choose((value) => {
    if (typeof value === 'string')
      return text((list) =>
        list
          .split(',')
          .map((part) => {
            const word = part.trim()
            return word === '' ? part : part.replace(word, () => path(word) as string)
          })
          .join(','),
      )
    if (Array.isArray(value)) {
      return (pair) => {
        const [first, ...rest] = pair as unknown[]
        const renamed = path(first)
        return renamed === first ? pair : [renamed, ...rest]
      }
    }
    return typeof textOf(value, 'field') === 'string' ? members({ field: path }) : keys((key) => path(key) as string)
  })
  return choose((value) => (Array.isArray(value) && !isPair(value) ? each(one) : one))
}

/** Whether a list is one term, a path with its direction, rather than a list of terms. */
function isPair([path, direction]: readonly unknown[]): boolean {
  return typeof path === 'string' && typeof direction === 'string' && /^(asc|desc)$/i.test(direction)
}

/** An expression over records of an object, as text or `{dialect, source}`; one that cannot be read stays. */
export function expression(visitor: ReferenceVisitor, object: string | null): Edit {
  const source = text((code) =>
    object === null ? code : renameInExpression(code, (name) => visitor.field(object, name)),
  )
  return choose((value) => (typeof value === 'string' ? source : members({ source })))
}

/** Text with `{{ expression }}` in it. */
export function template(visitor: ReferenceVisitor, object: string | null): Edit {
  const code = expression(visitor, object)
  return text((value) =>
    replaceTemplates(value, (inner, whole) => {
      const edited = code(inner) as string
      return edited === inner ? whole : `{{${edited}}}`
    }),
  )
}

/** The expression with its fields renamed where they are read: `record.x`, `previous["x"]`, `changed("x")`. */
function renameInExpression(source: string, rename: (field: string) => string): string {
  let node: ExpressionNode
  try {
    node = compileExpression(source).node
  } catch (error) {
    if (error instanceof ExpressionError) return source
    throw error
  }
  const changes = new Map<number, { length: number; name: string }>()
  const replace = (from: number, pattern: RegExp, name: string): void => {
    pattern.lastIndex = from
    const found = pattern.exec(source)
    const renamed = rename(name)
    if (found === null || renamed === name) return
    changes.set(found.index + found[0].lastIndexOf(name), { length: name.length, name: renamed })
  }
  const walk = (at: ExpressionNode): void => {
    const read = fieldRead(at)
    if (read !== null && (at.kind === 'member' || at.kind === 'index')) {
      const name = escape(read.name)
      if (at.kind === 'member')
        replace(at.of.position, new RegExp(`${read.root}\\s*\\.\\s*${name}(?![A-Za-z0-9_])`, 'y'), read.name)
      else replace(at.index.position, new RegExp(`(["'])${name}\\1`, 'y'), read.name)
      return
    }
    if (at.kind === 'changed') {
      replace(at.position, new RegExp(`changed\\s*\\(\\s*(["'])${escape(at.field)}\\1`, 'y'), at.field)
      return
    }
    for (const child of childNodes(at)) walk(child)
  }
  walk(node)
  const places = [...changes].toSorted(([a], [b]) => b - a)
  return places.reduce((all, [at, { length, name }]) => all.slice(0, at) + name + all.slice(at + length), source)
}

function escape(name: string): string {
  return name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}
