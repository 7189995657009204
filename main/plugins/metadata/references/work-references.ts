// Where flows, jobs, templates, assistants, rights and translations refer to fields and other items (D-44, D-112,
// D-151, D-180).
import { memberOf, textOf } from '../service/json-values.ts'
import type { Edit } from './edits.ts'
import { choose, each, everyMember, inTurn, keys, members } from './edits.ts'
import { expression, filter, itemName, template } from './reference-visitor.ts'
import type { ReferenceVisitor, References } from './reference-visitor.ts'
import { queryReferences } from './screen-references.ts'
import { startedReferences } from './started-references.ts'

/** Agents and skills: the tools and skills they hold. */
const assistant: References = (visitor, _object, item) =>
  members({
    tools: each(itemName(visitor, 'tool', 'includes')),
    skills: each(itemName(visitor, 'skill', 'includes')),
  })(item)

/** A permission set or profile: objects, fields and rows by name. */
const rights: References = (visitor, _object, item) => {
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

/** By type, where its items refer to others. */
export const workReferences = {
  /** Its expressions see records of the object its start names. */
  flow: (visitor, _object, item) => graphReferences(visitor, startObject(item), item),
  job: (visitor, _object, item) =>
    members({
      function: itemName(visitor, 'function', 'triggers'),
      flow: itemName(visitor, 'flow', 'triggers'),
    })(item),
  email_template(visitor, object, item) {
    const body = template(visitor, object)
    return members({ object: itemName(visitor, 'object', 'reference'), subject: body, text: body, html: body })(item)
  },
  agent: assistant,
  skill: assistant,
  /** What a call of it starts, or the object it asks. */
  tool(visitor, _object, item) {
    const type = textOf(item, 'type')
    const isStarted = type === 'flow' || type === 'function'
    const target = isStarted ? itemName(visitor, type, 'triggers') : itemName(visitor, 'object', 'reference')
    return members({ target })(item)
  },
  permission: rights,
  profile: rights,
  role: (visitor, _object, item) =>
    members({
      parent: itemName(visitor, 'role', 'extends'),
      permissionSets: each(itemName(visitor, 'permission', 'includes')),
    })(item),
  /** It names objects and fields, which does not make it need them. */
  translation(visitor, _object, item) {
    const objects: Edit = inTurn(
      everyMember((object) => members({ fields: keys((field) => visitor.field(object, field, 'mention')) })),
      keys((object) => visitor.item('object', object, null)),
    )
    return members({ translations: members({ objects }) })(item)
  },
} satisfies Readonly<Record<string, References>>

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
