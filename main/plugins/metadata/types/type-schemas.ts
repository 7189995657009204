// The shapes of metadata items other than objects (D-44, D-96, D-98, D-112, D-115). Unknown keys pass; they are kept
// and reported elsewhere. Inner shapes that no rule fixes yet are left open.
import { z } from 'zod'
import type { MetadataType } from '#shared/contracts/metadata.ts'

const text = z.string().max(10_000)
const long = z.string().max(1_000_000)
const name = z.string().max(127)
const flag = z.boolean()
const map = z.record(z.string(), z.unknown())
const list = z.array(z.unknown()).max(10_000)
const names = z.array(name).max(1000)
const script = z.union([long, z.looseObject({ dialect: z.string(), source: long })])

const common = {
  name: name.optional(),
  label: text.optional(),
  description: text.optional(),
} as const

const objectRights = z.looseObject({
  allowCreate: flag.optional(),
  allowRead: flag.optional(),
  allowEdit: flag.optional(),
  allowDelete: flag.optional(),
  allowTransfer: flag.optional(),
  allowRestore: flag.optional(),
  allowPurge: flag.optional(),
  viewAllRecords: flag.optional(),
  modifyAllRecords: flag.optional(),
})

const permissionSet = {
  objects: z.record(z.string(), objectRights).optional(),
  fields: z.record(z.string(), z.looseObject({ readable: flag.optional(), editable: flag.optional() })).optional(),
  systemPermissions: names.optional(),
  rowLevelSecurity: z
    .array(
      z.looseObject({
        name,
        object: name,
        actions: z.array(z.enum(['create', 'read', 'edit', 'delete', 'transfer', 'restore', 'purge'])),
        condition: z.union([script, map]),
      }),
    )
    .optional(),
  tabPermissions: z.record(z.string(), z.enum(['visible', 'hidden', 'default_on', 'default_off'])).optional(),
} as const

const opaque = { config: map.optional() } as const

/** The keys of each type beside the common ones; `object` and `field` have their own checks. */
const shapes: Readonly<Record<Exclude<MetadataType, 'object' | 'field'>, z.ZodRawShape>> = {
  trigger: {
    object: name,
    events: z.array(z.enum(['create', 'update', 'delete', 'undelete'])).min(1),
    condition: script.optional(),
    actions: z
      .array(
        z.looseObject({
          type: z.enum(['update_record', 'create_record', 'notify', 'run_flow', 'script']),
          config: map.optional(),
        }),
      )
      .optional(),
    active: flag.optional(),
  },
  validation: {
    object: name,
    type: z.enum(['script', 'cross_field', 'format', 'json_schema', 'unique', 'conditional', 'state_machine']),
    active: flag.optional(),
    events: z.array(z.enum(['insert', 'update', 'delete'])).optional(),
    priority: z.int().optional(),
    severity: z.enum(['error', 'warning', 'info']).optional(),
    message: text.optional(),
    field: name.optional(),
    condition: script.optional(),
    fields: names.optional(),
    regex: text.optional(),
    format: z.enum(['email', 'url', 'phone', 'json']).optional(),
    schema: map.optional(),
    where: z.unknown().optional(),
    when: script.optional(),
    then: map.optional(),
    otherwise: map.optional(),
  },
  hook: {
    object: z.union([name, names]),
    events: z
      .array(
        z.enum([
          'beforeInsert',
          'afterInsert',
          'beforeUpdate',
          'afterUpdate',
          'beforeDelete',
          'afterDelete',
          'beforeRestore',
          'afterRestore',
        ]),
      )
      .min(1),
    body: long.optional(),
    function: name.optional(),
    priority: z.int().optional(),
    async: flag.optional(),
    condition: script.optional(),
    onError: z.enum(['abort', 'log']).optional(),
    timeoutMs: z.int().min(1).optional(),
  },
  view: {
    object: name,
    viewKind: z.enum(['list', 'form']),
    config: map.optional(),
    isDefault: flag.optional(),
    order: z.number().optional(),
    scope: z.enum(['package', 'shared', 'personal']).optional(),
    owner: name.optional(),
    hidden: flag.optional(),
  },
  page: { route: text.optional(), layout: list.optional(), object: name.optional() },
  dashboard: { columns: z.int().min(1).max(48).optional(), widgets: list.optional(), filters: list.optional() },
  app: {
    icon: text.optional(),
    color: text.optional(),
    navigation: list.optional(),
    homePage: text.optional(),
    isDefault: flag.optional(),
    profiles: names.optional(),
  },
  action: {
    object: name.optional(),
    type: z.enum(['flow', 'script', 'update', 'create', 'url', 'view']),
    target: text.optional(),
    config: map.optional(),
    params: list.optional(),
    locations: z.array(z.enum(['list', 'record', 'bulk', 'global'])).optional(),
    visibleOn: script.optional(),
    confirmText: text.optional(),
    successMessage: text.optional(),
  },
  report: {
    object: name,
    type: z.enum(['tabular', 'summary', 'matrix']).optional(),
    columns: list.optional(),
    groupings: list.optional(),
    aggregations: z.unknown().optional(),
    filter: z.unknown().optional(),
    sort: z.unknown().optional(),
    chart: map.optional(),
  },
  flow: {
    version: z.int().min(1).optional(),
    status: z.enum(['draft', 'active', 'obsolete', 'invalid']).optional(),
    template: flag.optional(),
    type: z.enum(['autolaunched', 'record_change', 'schedule', 'screen', 'api']).optional(),
    variables: list.optional(),
    nodes: list.optional(),
    edges: list.optional(),
    active: flag.optional(),
    runAs: z.enum(['system', 'user']).optional(),
    errorHandling: map.optional(),
  },
  job: {
    schedule: map.optional(),
    function: name.optional(),
    flow: name.optional(),
    params: map.optional(),
    enabled: flag.optional(),
    retryPolicy: map.optional(),
    timeoutMs: z.int().min(1).optional(),
  },
  datasource: { driver: name.optional(), readOnly: flag.optional(), ...opaque },
  external_catalog: opaque,
  translation: { locale: z.string().max(35), translations: map.optional() },
  router: opaque,
  function: { source: long, inputSchema: map.optional(), timeoutMs: z.int().min(1).optional() },
  service: opaque,
  email_template: {
    subject: text,
    text: long.optional(),
    html: long.optional(),
    locale: z.string().max(35).optional(),
    object: name.optional(),
  },
  permission: permissionSet,
  profile: { ...permissionSet, isDefault: flag.optional() },
  role: { parent: name.optional(), permissionSets: names.optional() },
  agent: {
    instructions: long.optional(),
    tools: names.optional(),
    skills: names.optional(),
    model: text.optional(),
    temperature: z.number().optional(),
  },
  tool: { type: z.enum(['function', 'flow', 'query']), target: text.optional(), inputSchema: map.optional() },
  skill: { instructions: long.optional(), tools: names.optional(), triggers: list.optional() },
}

const built = new Map(
  Object.entries(shapes).map(([type, shape]) => [type as MetadataType, z.looseObject({ ...common, ...shape })]),
)

/** The schema of a type's items; undefined for `object` and `field`, which are checked as definitions. */
export function itemSchema(type: MetadataType): z.ZodObject | undefined {
  return built.get(type)
}
