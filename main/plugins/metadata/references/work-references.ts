// Where flows, jobs, templates, assistants, rights and translations refer to fields and other items (D-44, D-112,
// D-151, D-180).
import type { Edit } from './edits.ts'
import { choose, each, everyMember, inTurn, keys, members, memberOf, textOf } from './edits.ts'
import { expression, filter, itemName, template } from './reference-visitor.ts'
import type { ReferenceVisitor } from './reference-visitor.ts'
import { queryReferences } from './screen-references.ts'
import { startedReferences } from './started-references.ts'

/** A flow; its expressions see records of the object its start names. */
export function flowReferences(visitor: ReferenceVisitor, item: unknown): unknown {
  return graphReferences(visitor, startObject(item), item)
}

function startObject(flow: unknown): string | null {
  const nodes = memberOf(flow, 'nodes')
  if (!Array.isArray(nodes)) return null
  const start: unknown = nodes.find((node) => textOf(node, 'type') === 'start')
  return textOf(memberOf(start, 'config'), 'object') ?? null
}

function graphReferences(visitor: ReferenceVisitor, object: string | null, graph: unknown): unknown {
  const inner: Edit = (value) => graphReferences(visitor, object, value)
  const code = expression(visitor, object)
  const node = (value: unknown): unknown => {
    const type = textOf(value, 'type')
    const config: Edit = inTurn(
      (settings) => startedReferences(visitor, object, settings),
      members({
        expression: code,
        flow: itemName(visitor, 'flow', 'triggers'),
        body: type === 'loop' ? inner : (same) => same,
        try: inner,
        catch: inner,
        branches: each(inner),
      }),
      (settings) => (type === 'analytics_query' ? queryReferences(visitor, settings) : settings),
    )
    return members({ config })(value)
  }
  return members({ nodes: each(node), edges: each(members({ condition: code })) })(graph)
}

/** A job: what it runs. */
export function jobReferences(visitor: ReferenceVisitor, item: unknown): unknown {
  return members({
    function: itemName(visitor, 'function', 'triggers'),
    flow: itemName(visitor, 'flow', 'triggers'),
  })(item)
}

/** An e-mail template over records of an object. */
export function emailReferences(visitor: ReferenceVisitor, object: string | null, item: unknown): unknown {
  const body = template(visitor, object)
  return members({ object: itemName(visitor, 'object', 'reference'), subject: body, text: body, html: body })(item)
}

/** Agents and skills: the tools and skills they hold. */
export function assistantReferences(visitor: ReferenceVisitor, item: unknown): unknown {
  return members({
    tools: each(itemName(visitor, 'tool', 'includes')),
    skills: each(itemName(visitor, 'skill', 'includes')),
  })(item)
}

/** A tool: what a call of it starts, or the object it asks. */
export function toolReferences(visitor: ReferenceVisitor, item: unknown): unknown {
  const type = textOf(item, 'type')
  if (type === 'flow') return members({ target: itemName(visitor, 'flow', 'triggers') })(item)
  if (type === 'function') return members({ target: itemName(visitor, 'function', 'triggers') })(item)
  return members({ target: itemName(visitor, 'object', 'reference') })(item)
}

/** A permission set or profile: objects, fields and rows by name. */
export function rightReferences(visitor: ReferenceVisitor, item: unknown): unknown {
  const rule = (value: unknown): unknown => {
    const object = textOf(value, 'object') ?? null
    const condition = choose((given) =>
      typeof given === 'string' || memberOf(given, 'dialect') !== undefined
        ? expression(visitor, object)
        : filter(visitor, object),
    )
    return members({ object: itemName(visitor, 'object', 'reference'), condition })(value)
  }
  return members({
    objects: keys((name) => (name === '*' ? name : visitor.item('object', name, 'reference'))),
    fields: keys((name) => {
      const [object, field, more] = name.split('.')
      if (field === undefined || more !== undefined) return name
      return `${visitor.item('object', object!, null)}.${visitor.field(object!, field)}`
    }),
    rowLevelSecurity: each(rule),
    tabPermissions: keys((name) => visitor.item('object', name, null)),
  })(item)
}

/** A role: the role above it and the sets it gives. */
export function roleReferences(visitor: ReferenceVisitor, item: unknown): unknown {
  return members({
    parent: itemName(visitor, 'role', 'extends'),
    permissionSets: each(itemName(visitor, 'permission', 'includes')),
  })(item)
}

/** A translation names objects and fields, which does not make it need them. */
export function translationReferences(visitor: ReferenceVisitor, item: unknown): unknown {
  const objects: Edit = inTurn(
    everyMember((object) => members({ fields: keys((field) => visitor.field(object, field, 'mention')) })),
    keys((object) => visitor.item('object', object, null)),
  )
  return members({ translations: members({ objects }) })(item)
}
