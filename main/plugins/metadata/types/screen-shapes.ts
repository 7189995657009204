// Shapes of what people see: views, pages, dashboards, apps, actions and reports (D-112, D-115, D-116).
import { z } from 'zod'
import { formTypes, listTypes } from '#shared/contracts/views.ts'
import type { FieldError } from '#shared/errors.ts'
import type { ItemShape } from './shape-parts.ts'
import { cel, duplicateIds, filter, flag, listOf, localId, map, name, names, part, sort, text } from './shape-parts.ts'

const path = z.string().min(1).max(500)
const fieldList = z.array(path).max(500)
const aggregate = z.enum(['count', 'sum', 'avg', 'min', 'max', 'count_distinct'])
const granularity = z.enum(['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'])

const column = z.union([
  path,
  z.looseObject({
    field: path,
    label: text.optional(),
    width: z.number().min(0).optional(),
    align: z.enum(['left', 'center', 'right']).optional(),
    hidden: flag.optional(),
    sortable: flag.optional(),
    wrap: flag.optional(),
    pinned: z.union([flag, z.enum(['left', 'right'])]).optional(),
    summary: z.string().max(100).optional(),
  }),
])

const formField = z.union([
  path,
  z.looseObject({
    field: path,
    label: text.optional(),
    required: flag.optional(),
    readonly: flag.optional(),
    colSpan: z.int().min(1).max(12).optional(),
    visibleOn: cel.optional(),
  }),
])

const section = z.looseObject({
  name: name.optional(),
  label: text.optional(),
  columns: z.int().min(1).max(12).optional(),
  collapsible: flag.optional(),
  collapsed: flag.optional(),
  visibleOn: cel.optional(),
  fields: listOf(formField, 500),
})

const span = part({ startDateField: path, endDateField: path.optional(), titleField: path.optional() })

const listConfig = z.looseObject({
  type: z.enum(listTypes).optional(),
  columns: listOf(column, 500),
  filter: filter.optional(),
  sort: sort.optional(),
  searchableFields: fieldList.optional(),
  filterableFields: fieldList.optional(),
  pagination: part({ pageSize: z.int().min(1).max(1000).optional() }),
  kanban: part({ groupByField: path, columns: z.array(z.unknown()).optional() }),
  calendar: span,
  gantt: span,
  timeline: span,
  gallery: map.optional(),
  map: map.optional(),
  chart: part({
    chartType: z.string().max(100).optional(),
    dimension: path.optional(),
    measures: z.union([path, z.array(path).max(50)]).optional(),
  }),
  rowHeight: z.union([z.string().max(50), z.number()]).optional(),
  inlineEdit: flag.optional(),
  conditionalFormatting: listOf(map, 100),
})

const formConfig = z.looseObject({
  type: z.enum(formTypes).optional(),
  sections: listOf(section, 100),
  fields: listOf(formField, 500),
})

const analyticsQuery = z.looseObject({
  cube: name.optional(),
  measures: listOf(path, 50),
  dimensions: listOf(path, 50),
  filters: listOf(z.unknown(), 100),
  timeDimensions: listOf(
    z.looseObject({ dimension: path, granularity: granularity.optional(), dateRange: z.unknown().optional() }),
    10,
  ),
  order: z.union([map, z.array(z.unknown())]).optional(),
  limit: z.int().min(1).max(50_000).optional(),
  offset: z.int().min(0).optional(),
  timezone: text.optional(),
  where: filter.optional(),
  having: z.unknown().optional(),
})

const place = z.looseObject({
  x: z.int().min(0),
  y: z.int().min(0),
  w: z.int().min(1),
  h: z.int().min(1),
})

const navigationTypes = ['object', 'view', 'page', 'dashboard', 'report', 'url', 'group'] as const

const navigationEntry = z.looseObject({
  id: localId,
  type: z.enum(navigationTypes),
  target: text.optional(),
  label: text.optional(),
  icon: text.optional(),
  get children() {
    return listOf(navigationEntry, 200)
  },
})

function checkNavigation(list: unknown, at: string, seen: Set<unknown>): FieldError[] {
  if (!Array.isArray(list)) return []
  return (list as Record<string, unknown>[]).flatMap((entry, index): FieldError[] => {
    const { id, type, target, children } = entry
    const problems: FieldError[] = []
    if (seen.has(id)) {
      problems.push({
        field: `${at}.${index}.id`,
        code: 'duplicate_value',
        message: 'The value occurs twice.',
        value: id,
      })
    }
    seen.add(id)
    if (type !== 'group' && (target === undefined || target === '')) {
      problems.push({ field: `${at}.${index}.target`, code: 'required', message: 'The entry leads nowhere.' })
    }
    return [...problems, ...checkNavigation(children, `${at}.${index}.children`, seen)]
  })
}

const aggregation = z.looseObject({ field: path.optional(), function: aggregate.optional(), label: text.optional() })

/** Shapes by type. */
export const screenShapes = {
  /** A stored view; its config is that of a list or of a form (D-115). */
  view: {
    keys: {
      object: name,
      viewKind: z.enum(['list', 'form']),
      config: map.optional(),
      isDefault: flag.optional(),
      order: z.number().optional(),
      scope: z.enum(['package', 'shared', 'personal']).optional(),
      owner: name.optional(),
      hidden: flag.optional(),
    },
    variants: {
      by: 'viewKind',
      cases: { list: { config: listConfig.optional() }, form: { config: formConfig.optional() } },
    },
  },
  /** A page of components. */
  page: {
    keys: {
      route: text.optional(),
      object: name.optional(),
      layout: listOf(
        z.looseObject({
          label: text.optional(),
          columns: z.int().min(1).max(12).optional(),
          visibleOn: cel.optional(),
          components: listOf(z.looseObject({ type: name, props: map.optional(), visibleOn: cel.optional() }), 500),
        }),
        200,
      ),
    },
  },
  /** A dashboard of widgets with ids of their own. */
  dashboard: {
    keys: {
      columns: z.int().min(1).max(48).optional(),
      widgets: listOf(
        z.looseObject({
          id: localId,
          type: z.enum(['metric', 'chart', 'table', 'list', 'text']),
          title: text.optional(),
          query: analyticsQuery.optional(),
          view: name.optional(),
          chartType: z.string().max(100).optional(),
          layout: place.optional(),
          options: map.optional(),
        }),
        200,
      ),
      filters: listOf(map, 100),
    },
    check: (item) => duplicateIds(item['widgets'], 'widgets'),
  },
  /** An app: its navigation; every entry but a group leads somewhere. */
  app: {
    keys: {
      icon: text.optional(),
      color: text.optional(),
      navigation: listOf(navigationEntry, 200),
      homePage: text.optional(),
      isDefault: flag.optional(),
      profiles: names.optional(),
    },
    check: (item) => checkNavigation(item['navigation'], 'navigation', new Set()),
  },
  /** An action people start. */
  action: {
    keys: {
      object: name.optional(),
      type: z.enum(['flow', 'script', 'update', 'create', 'url', 'view']),
      target: text.optional(),
      config: map.optional(),
      params: listOf(
        z.looseObject({ name, label: text.optional(), type: name.optional(), required: flag.optional() }),
        100,
      ),
      locations: z.array(z.enum(['list', 'record', 'bulk', 'global'])).optional(),
      visibleOn: cel.optional(),
      confirmText: text.optional(),
      successMessage: text.optional(),
      icon: text.optional(),
    },
    needs: [{ oneOf: ['target', 'config'], when: ['flow', 'script', 'url', 'view'] }],
    check: (item) => duplicateIds(item['params'], 'params', 'name'),
  },
  /** A report over the records of one object. */
  report: {
    keys: {
      object: name,
      type: z.enum(['tabular', 'summary', 'matrix']).optional(),
      columns: listOf(column, 500),
      groupings: listOf(z.union([path, z.looseObject({ field: path, granularity: granularity.optional() })]), 10),
      aggregations: z.union([z.array(z.union([path, aggregation])).max(50), map]).optional(),
      filter: filter.optional(),
      sort: sort.optional(),
      chart: map.optional(),
    },
  },
} satisfies Readonly<Record<string, ItemShape>>
