// Shapes of what people see: views, pages, dashboards, apps, actions and reports (D-112, D-115, D-116).
import { z } from 'zod'
import { formTypes, listTypes } from '#shared/contracts/views.ts'
import type { FieldError } from '#shared/errors.ts'
import type { ItemShape } from './shape-parts.ts'
import { cel, duplicateIds, filter, flag, localId, map, name, names, sort, text } from './shape-parts.ts'

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
  fields: z.array(formField).max(500).optional(),
})

const listConfig = z.looseObject({
  type: z.enum(listTypes).optional(),
  columns: z.array(column).max(500).optional(),
  filter: filter.optional(),
  sort: sort.optional(),
  searchableFields: fieldList.optional(),
  filterableFields: fieldList.optional(),
  pagination: z.looseObject({ pageSize: z.int().min(1).max(1000).optional() }).optional(),
  kanban: z.looseObject({ groupByField: path, columns: z.array(z.unknown()).optional() }).optional(),
  calendar: z
    .looseObject({ startDateField: path, endDateField: path.optional(), titleField: path.optional() })
    .optional(),
  gantt: z.looseObject({ startDateField: path, endDateField: path.optional(), titleField: path.optional() }).optional(),
  timeline: z
    .looseObject({ startDateField: path, endDateField: path.optional(), titleField: path.optional() })
    .optional(),
  gallery: map.optional(),
  map: map.optional(),
  chart: z
    .looseObject({
      chartType: z.string().max(100).optional(),
      dimension: path.optional(),
      measures: z.union([path, z.array(path).max(50)]).optional(),
    })
    .optional(),
  rowHeight: z.union([z.string().max(50), z.number()]).optional(),
  inlineEdit: flag.optional(),
  conditionalFormatting: z.array(map).max(100).optional(),
})

const formConfig = z.looseObject({
  type: z.enum(formTypes).optional(),
  sections: z.array(section).max(100).optional(),
  fields: z.array(formField).max(500).optional(),
})

/** A stored view; its config is that of a list or of a form (D-115). */
export const viewShape: ItemShape = {
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
}

/** A page of components. */
export const pageShape: ItemShape = {
  keys: {
    route: text.optional(),
    object: name.optional(),
    layout: z
      .array(
        z.looseObject({
          label: text.optional(),
          columns: z.int().min(1).max(12).optional(),
          visibleOn: cel.optional(),
          components: z
            .array(z.looseObject({ type: name, props: map.optional(), visibleOn: cel.optional() }))
            .max(500)
            .optional(),
        }),
      )
      .max(200)
      .optional(),
  },
}

const analyticsQuery = z.looseObject({
  cube: name.optional(),
  measures: z.array(path).max(50).optional(),
  dimensions: z.array(path).max(50).optional(),
  filters: z.array(z.unknown()).max(100).optional(),
  timeDimensions: z
    .array(z.looseObject({ dimension: path, granularity: granularity.optional(), dateRange: z.unknown().optional() }))
    .max(10)
    .optional(),
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

/** A dashboard of widgets with ids of their own. */
export const dashboardShape: ItemShape = {
  keys: {
    columns: z.int().min(1).max(48).optional(),
    widgets: z
      .array(
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
      )
      .max(200)
      .optional(),
    filters: z.array(map).max(100).optional(),
  },
  check: (item) => duplicateIds(item['widgets'], 'widgets'),
}

const navigationTypes = ['object', 'view', 'page', 'dashboard', 'report', 'url', 'group'] as const

const navigationEntry = z.looseObject({
  id: localId,
  type: z.enum(navigationTypes),
  target: text.optional(),
  label: text.optional(),
  icon: text.optional(),
  get children() {
    return z.array(navigationEntry).max(200).optional()
  },
})

/** An app: its navigation; every entry but a group leads somewhere. */
export const appShape: ItemShape = {
  keys: {
    icon: text.optional(),
    color: text.optional(),
    navigation: z.array(navigationEntry).max(200).optional(),
    homePage: text.optional(),
    isDefault: flag.optional(),
    profiles: names.optional(),
  },
  check: (item) => checkNavigation(item['navigation'], 'navigation', new Set()),
}

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

/** An action people start. */
export const actionShape: ItemShape = {
  keys: {
    object: name.optional(),
    type: z.enum(['flow', 'script', 'update', 'create', 'url', 'view']),
    target: text.optional(),
    config: map.optional(),
    params: z
      .array(z.looseObject({ name, label: text.optional(), type: name.optional(), required: flag.optional() }))
      .max(100)
      .optional(),
    locations: z.array(z.enum(['list', 'record', 'bulk', 'global'])).optional(),
    visibleOn: cel.optional(),
    confirmText: text.optional(),
    successMessage: text.optional(),
    icon: text.optional(),
  },
  needs: [{ oneOf: ['target', 'config'], when: ['flow', 'script', 'url', 'view'] }],
  check: (item) => duplicateIds(item['params'], 'params', 'name'),
}

const aggregation = z.looseObject({ field: path.optional(), function: aggregate.optional(), label: text.optional() })

/** A report over the records of one object. */
export const reportShape: ItemShape = {
  keys: {
    object: name,
    type: z.enum(['tabular', 'summary', 'matrix']).optional(),
    columns: z.array(column).max(500).optional(),
    groupings: z
      .array(z.union([path, z.looseObject({ field: path, granularity: granularity.optional() })]))
      .max(10)
      .optional(),
    aggregations: z.union([z.array(z.union([path, aggregation])).max(50), map]).optional(),
    filter: filter.optional(),
    sort: sort.optional(),
    chart: map.optional(),
  },
}
