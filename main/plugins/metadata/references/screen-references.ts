// Where views, pages, dashboards, apps, actions and reports refer to fields and other items (D-112, D-115, D-116).
import type { MetadataType } from '#shared/contracts/metadata.ts'
import { memberOf, textOf } from '../service/json-values.ts'
import { configFields } from './config-fields.ts'
import type { Edit } from './edits.ts'
import { choose, each, everyMember, inTurn, keys, members, oneOrMany, text } from './edits.ts'
import { cubeMember, expression, fieldPath, filter, itemName, sort } from './reference-visitor.ts'
import type { ReferenceVisitor, References } from './reference-visitor.ts'
import { startedReferences } from './started-references.ts'

const navigable: ReadonlySet<string> = new Set(['object', 'view', 'page', 'dashboard', 'report'])

/** By type, where its items refer to others. */
export const screenReferences = {
  view: (visitor, object, item) =>
    members({
      object: itemName(visitor, 'object', 'reference'),
      config: configFields(visitor, object),
    })(item),
  /** Its components show objects, views and other screens. */
  page(visitor, object, item) {
    const component = (value: unknown): unknown => {
      const shown = textOf(memberOf(value, 'props'), 'object') ?? object
      const includes = (type: MetadataType): Edit => itemName(visitor, type, 'includes')
      return members({
        visibleOn: expression(visitor, object),
        props: inTurn(
          configFields(
            { ...visitor, item: (type, name) => (type === 'view' ? name : visitor.item(type, name, null)) },
            shown,
          ),
          members({
            object: itemName(visitor, 'object', 'reference'),
            view: includes('view'),
            report: includes('report'),
            dashboard: includes('dashboard'),
            action: includes('action'),
          }),
        ),
      })(value)
    }
    return members({
      object: itemName(visitor, 'object', 'reference'),
      layout: each(members({ components: each(component), visibleOn: expression(visitor, object) })),
    })(item)
  },
  /** Widgets show views and the answers of analytics queries. */
  dashboard: (visitor, _object, item) =>
    members({
      widgets: each((widget) =>
        members({
          object: itemName(visitor, 'object', 'reference'),
          view: itemName(visitor, 'view', 'includes'),
          report: itemName(visitor, 'report', 'includes'),
          query: (query) => queryReferences(visitor, query),
        })(widget),
      ),
    })(item),
  /** Its navigation holds other items, at any depth. */
  app(visitor, _object, item) {
    const entry = (value: unknown): unknown => {
      const type = textOf(value, 'type')
      const target = navigable.has(type ?? '')
        ? itemName(visitor, type as MetadataType, 'includes')
        : (same: unknown) => same
      return members({ target, children: each(entry) })(value)
    }
    const isName = (value: string): boolean => /^[a-z][a-z0-9_.]*$/.test(value)
    return members({
      navigation: each(entry),
      homePage: text((name) => (isName(name) ? visitor.item('page', name, 'includes') : name)),
      profiles: each(itemName(visitor, 'profile', 'reference')),
    })(item)
  },
  /** What it starts, opens or writes. */
  action(visitor, object, item) {
    const type = textOf(item, 'type')
    const target: Edit =
      type === 'flow'
        ? itemName(visitor, 'flow', 'triggers')
        : type === 'script'
          ? itemName(visitor, 'function', 'triggers')
          : type === 'view'
            ? itemName(visitor, 'view', 'reference')
            : (same) => same
    return members({
      object: itemName(visitor, 'object', 'reference'),
      target,
      config: (config) => startedReferences(visitor, object, config),
      visibleOn: expression(visitor, object),
    })(item)
  },
  report(visitor, object, item) {
    const path = fieldPath(visitor, object)
    const column: Edit = choose((value) => (typeof value === 'string' ? path : members({ field: path })))
    const aggregations: Edit = choose((value) =>
      Array.isArray(value) ? each(column) : everyMember(() => members({ field: path })),
    )
    return members({
      object: itemName(visitor, 'object', 'reference'),
      columns: each(column),
      groupings: each(column),
      aggregations,
      filter: filter(visitor, object),
      sort: sort(visitor, object),
      chart: configFields(visitor, object),
    })(item)
  },
} satisfies Readonly<Record<string, References>>

/** The body of an analytics query (D-116 to D-118). */
export function queryReferences(visitor: ReferenceVisitor, query: unknown): unknown {
  const cube = textOf(query, 'cube') ?? null
  const member = cubeMember(visitor, cube)
  const condition: Edit = (value) =>
    members({ member, dimension: member, and: each(condition), or: each(condition) })(value)
  return members({
    cube: itemName(visitor, 'object', 'reference'),
    measures: oneOrMany(member),
    dimensions: oneOrMany(member),
    timeDimensions: each(members({ dimension: member })),
    filters: each(condition),
    where: filter(visitor, cube),
    having: keys((key) => member(key) as string),
    order: choose((value) =>
      Array.isArray(value)
        ? each((pair) => (Array.isArray(pair) ? [member(pair[0]), ...(pair as unknown[]).slice(1)] : member(pair)))
        : keys((key) => member(key) as string),
    ),
  })(query)
}
