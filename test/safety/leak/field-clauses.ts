// Every place of a request in which a field may be named. A hidden one must answer like one that does not exist.
import type { LeakCase } from './leak-case.ts'
import { get, post, query } from './leak-case.ts'
import type { World } from './world.ts'

type Clause = (field: string, world: World) => LeakCase

const operators: Readonly<Record<string, unknown>> = {
  $eq: 'x',
  $ne: 'x',
  $gt: 1,
  $gte: 1,
  $lt: 1,
  $lte: 1,
  $in: ['x'],
  $nin: ['x'],
  $between: [1, 2],
  $contains: 'x',
  $notContains: 'x',
  $startsWith: 'x',
  $endsWith: 'x',
  $null: true,
  $exists: true,
  $search: 'x',
  $during: 'today',
  $any: ['x'],
  $all: ['x'],
  $regex: 'x',
  $nothing: 'x',
}

const cube = (rest: object): LeakCase => post('/analytics/query', { cube: 'matter', measures: ['count'], ...rest })

/** The clauses by what they are. */
export const fieldClauses: Readonly<Record<string, Clause>> = {
  ...Object.fromEntries(
    Object.entries(operators).map(([operator, operand]): [string, Clause] => [
      `filter ${operator}`,
      (field) => query({ filter: { [field]: { [operator]: operand } } }),
    ]),
  ),
  'array filter': (field) => query({ filter: [field, 'is_null'] }),
  'rule filter': (field) => query({ filter: { field, operator: 'equals', value: 'x' } }),
  'compared field': (field) => query({ filter: { name: { $eq: { $field: field } } } }),
  'negated filter': (field) => query({ filter: { $not: { [field]: null } } }),
  'loose condition': (field) => get(`/data/matter?${field}=x`),
  'loose path': (field) => get(`/data/matter?${field}.name=x`),
  'inner path': (field) => query({ filter: { [`${field}.a`]: 'x' } }),
  'path of children': (field) => query({ filter: { [`matter.${field}`]: null } }, 'matter_line'),
  sort: (field) => get(`/data/matter?sort=-${field}`),
  'sort by a path': (field) => query({ sort: `matter.${field}` }, 'matter_line'),
  select: (field) => get(`/data/matter?select=name,${field}`),
  'select of one': (field, { seen }) => get(`/data/matter/${seen[0]}?select=${field}`),
  'select of a path': (field) => query({ select: `matter.${field}` }, 'matter_line'),
  distinct: (field) => get(`/data/matter?distinct=true&select=${field}`),
  expand: (field) => get(`/data/matter?expand=${field}`),
  'expand of one': (field, { seen }) => get(`/data/matter/${seen[0]}?expand=${field}`),
  'expand with fields': (field) => query({ expand: { matter: { fields: [field] } } }, 'matter_line'),
  'expand with a condition': (field) => query({ expand: { matter: { where: { [field]: null } } } }, 'matter_line'),
  'expand with an order': (field) => query({ expand: { matters: { orderBy: field } } }, 'person'),
  group: (field) => query({ groupBy: field, aggregations: [{ function: 'count' }] }),
  'group by day': (field) =>
    query({ groupBy: [{ field, dateGranularity: 'day' }], aggregations: [{ function: 'count' }] }),
  ...Object.fromEntries(
    ['count', 'sum', 'avg', 'min', 'max', 'count_distinct'].map((name): [string, Clause] => [
      `aggregation ${name}`,
      (field) => query({ aggregations: [{ function: name, field }] }),
    ]),
  ),
  'aggregation filter': (field) =>
    query({ aggregations: [{ function: 'count', filter: { [field]: { $null: true } } }] }),
  having: (field) => query({ groupBy: 'stage', aggregations: [{ function: 'count' }], having: { [field]: 1 } }),
  'searched field': (field) => query({ search: { query: 'x', fields: [field] } }),
  searchFields: (field) => get(`/data/matter?search=x&searchFields=${field}`),
  'export select': (field) => get(`/data/matter/export?select=${field}`),
  'export sort': (field) => get(`/data/matter/export?sort=${field}`),
  measure: (field) => cube({ measures: [field] }),
  'measure sum': (field) => cube({ measures: [`${field}.sum`] }),
  'measure max': (field) => cube({ measures: [`matter.${field}_max`] }),
  dimension: (field) => cube({ dimensions: [field] }),
  'dimension of a path': (field) =>
    post('/analytics/query', { cube: 'matter_line', measures: ['count'], dimensions: [`matter.${field}`] }),
  'time dimension': (field) => cube({ timeDimensions: [{ dimension: field, granularity: 'day' }] }),
  'analytic filter': (field) => cube({ filters: [{ member: field, operator: 'set' }] }),
  'analytic order': (field) => cube({ order: { [field]: 'asc' } }),
  'explained measure': (field) => post('/analytics/explain', { cube: 'matter', measures: [`${field}.sum`] }),
  sql: (field) => post('/analytics/sql', { sql: `SELECT ${field} FROM matter` }),
  create: (field) => post('/data/matter', { name: 'x', [field]: null }),
  'create with a value': (field) => post('/data/matter', { name: 'x', [field]: 'x' }),
  createMany: (field) => post('/data/matter/createMany', [{ name: 'x', [field]: 'x' }]),
  update: (field, { victims }) => ({ method: 'PATCH', path: `/data/matter/${victims[0]}`, body: { [field]: 'x' } }),
  'update of a batch': (field, { victims }) =>
    post('/data/matter/batch', {
      operation: 'update',
      records: [{ id: victims[0], data: { [field]: 'x' } }],
      options: { validateOnly: true },
    }),
  clone: (field, { victims }) => post(`/data/matter/${victims[0]}/clone`, { overrides: { [field]: 'x' } }),
  upsert: (field) =>
    post('/data/matter/batch', {
      operation: 'upsert',
      records: [{ externalId: { field, value: 'x' }, data: { name: 'x' } }],
      options: { validateOnly: true },
    }),
  reveal: (field, { seen }) => post(`/data/matter/${seen[0]}/reveal`, { field }),
  'import of a column': (field) => post('/data/matter/import', { rows: [{ name: 'i', [field]: 'x' }], dryRun: true }),
  'import mapping': (field) =>
    post('/data/matter/import', { rows: [{ name: 'i', column: 'x' }], mapping: { column: field }, dryRun: true }),
  'import match': (field) =>
    post('/data/matter/import', { rows: [{ name: 'i' }], writeMode: 'update', matchFields: [field], dryRun: true }),
  'column of a view': (field) =>
    post('/ui/views', {
      object: 'matter',
      viewKind: 'list',
      key: 'x',
      label: 'X',
      scope: 'personal',
      config: { type: 'grid', columns: [field] },
    }),
  'changelog of a field': (field, { seen }) => get(`/data/matter/${seen[0]}/changelog?field=${field}`),
  'a field item': (field) => get(`/meta/field/matter.${field}`),
  'history of a field': (field) => get(`/meta/field/matter.${field}/history`),
  'dependents of a field': (field) => get(`/meta/field/matter.${field}/dependents`),
  'existence of a field': (field) => get(`/meta/field/matter.${field}/exists`),
  'overlay of a field': (field) => get(`/meta/field/matter.${field}/overlay?scope=user`),
  'a permission': (field) => get(`/permissions/check?object=matter&action=read&field=${field}`),
  'a permission to edit': (field, { victims }) =>
    post('/permissions/check', { object: 'matter', action: 'edit', field, recordId: victims[0] }),
}
