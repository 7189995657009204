// Shapes of what works by itself, speaks, and grants rights: flows, jobs, templates, translations, assistants and
// permission sets (D-44, D-112, D-146 to D-154, D-180).
import { z } from 'zod'
import type { FieldError } from '#shared/errors.ts'
import type { ItemShape } from './shape-parts.ts'
import {
  cel,
  cronLine,
  duplicateIds,
  filter,
  flag,
  languageTag,
  localId,
  long,
  map,
  milliseconds,
  name,
  names,
  text,
  timeZone,
} from './shape-parts.ts'

const errorHandling = z.looseObject({
  strategy: z.enum(['fail', 'retry', 'continue']).optional(),
  maxRetries: z.int().min(0).max(10).optional(),
  retryDelayMs: z.int().min(0).optional(),
  backoffMultiplier: z.number().min(1).optional(),
  maxRetryDelayMs: z.int().min(0).optional(),
  jitter: flag.optional(),
  fallbackNodeId: localId.optional(),
})

const node = z.looseObject({
  id: localId,
  type: name,
  label: text.optional(),
  config: map.optional(),
  position: map.optional(),
  timeoutMs: milliseconds.optional(),
  retry: errorHandling.optional(),
  outputVariable: name.optional(),
})

const edge = z.looseObject({
  id: localId,
  source: localId,
  target: localId,
  type: z.enum(['default', 'conditional', 'fault']).optional(),
  condition: z.union([text, map]).optional(),
  label: text.optional(),
  isDefault: flag.optional(),
})

const variable = z.looseObject({
  name,
  type: z.enum(['string', 'number', 'boolean', 'date', 'datetime', 'object', 'array', 'record', 'records']),
  isInput: flag.optional(),
  isOutput: flag.optional(),
  required: flag.optional(),
  defaultValue: z.unknown().optional(),
})

/** A flow; what else makes it fit to run is checked when it is made active (D-148). */
export const flowShape: ItemShape = {
  keys: {
    version: z.int().min(1).optional(),
    status: z.enum(['draft', 'active', 'obsolete', 'invalid']).optional(),
    template: flag.optional(),
    type: z.enum(['autolaunched', 'record_change', 'schedule', 'screen', 'api']).optional(),
    variables: z.array(variable).max(200).optional(),
    nodes: z.array(node).max(1000).optional(),
    edges: z.array(edge).max(5000).optional(),
    active: flag.optional(),
    enabled: flag.optional(),
    runAs: z.enum(['system', 'user']).optional(),
    errorHandling: errorHandling.optional(),
    concurrency: z
      .looseObject({
        maxConcurrent: z.int().min(1).optional(),
        onConflict: z.enum(['queue', 'reject', 'cancel_existing']).optional(),
        lockScope: z.enum(['global', 'per_record', 'per_user']).optional(),
        queueTimeoutMs: milliseconds.optional(),
      })
      .optional(),
    timeoutMs: milliseconds.optional(),
  },
  check: (item) => [
    ...duplicateIds(item['nodes'], 'nodes'),
    ...duplicateIds(item['edges'], 'edges'),
    ...duplicateIds(item['variables'], 'variables', 'name'),
    ...danglingEdges(item),
  ],
}

function danglingEdges(flow: Readonly<Record<string, unknown>>): FieldError[] {
  const ids = new Set(((flow['nodes'] ?? []) as { id: string }[]).map(({ id }) => id))
  return ((flow['edges'] ?? []) as Record<string, unknown>[]).flatMap((one, index) =>
    ['source', 'target'].flatMap((end): FieldError[] => {
      if (ids.has(one[end] as string)) return []
      const message = 'The flow has no such node.'
      return [{ field: `edges.${index}.${end}`, code: 'invalid_reference', message, value: one[end] }]
    }),
  )
}

/** A job: what runs, and when. */
export const jobShape: ItemShape = {
  keys: {
    schedule: z.looseObject({
      cron: cronLine.optional(),
      timezone: timeZone.optional(),
      everySeconds: z.int().min(1).max(31_536_000).optional(),
    }),
    function: name.optional(),
    flow: name.optional(),
    params: map.optional(),
    enabled: flag.optional(),
    retryPolicy: z
      .looseObject({ maxRetries: z.int().min(0).max(100).optional(), backoffMs: z.int().min(0).optional() })
      .optional(),
    timeoutMs: milliseconds.optional(),
  },
  needs: [{ oneOf: ['function', 'flow'] }],
  check(item) {
    const { cron, everySeconds } = item['schedule'] as { cron?: string; everySeconds?: number }
    const problems: FieldError[] = []
    if ((cron === undefined) === (everySeconds === undefined)) {
      const code = cron === undefined ? 'required' : 'not_allowed'
      problems.push({ field: 'schedule', code, message: 'A schedule has either cron or everySeconds.' })
    }
    if (item['function'] !== undefined && item['flow'] !== undefined) {
      problems.push({ field: 'flow', code: 'not_allowed', message: 'A job runs either a function or a flow.' })
    }
    return problems
  },
}

/** A mail with places to fill. */
export const emailShape: ItemShape = {
  keys: {
    subject: text.min(1),
    text: long.optional(),
    html: long.optional(),
    locale: languageTag.optional(),
    object: name.optional(),
  },
}

const labels = z.looseObject({
  label: text.optional(),
  pluralLabel: text.optional(),
  description: text.optional(),
  help: text.optional(),
  placeholder: text.optional(),
})
const words = z.record(z.string(), text)

/** Labels in one language (D-180). */
export const translationShape: ItemShape = {
  keys: {
    locale: languageTag,
    translations: z
      .looseObject({
        objects: z
          .record(
            z.string(),
            labels.extend({
              fields: z.record(z.string(), labels.extend({ options: words.optional() })).optional(),
              views: z.record(z.string(), z.unknown()).optional(),
              actions: z.record(z.string(), z.unknown()).optional(),
            }),
          )
          .optional(),
        apps: map.optional(),
        messages: map.optional(),
        validationMessages: map.optional(),
        errors: map.optional(),
      })
      .optional(),
  },
}

/** An assistant. */
export const agentShape: ItemShape = {
  keys: {
    instructions: long.min(1),
    tools: names.optional(),
    skills: names.optional(),
    model: text.optional(),
    temperature: z.number().min(0).max(2).optional(),
  },
}

/** Something an assistant may call. */
export const toolShape: ItemShape = {
  keys: { type: z.enum(['function', 'flow', 'query']), target: name, inputSchema: map.optional() },
}

/** Instructions an assistant takes up. */
export const skillShape: ItemShape = {
  keys: {
    instructions: long.min(1),
    tools: names.optional(),
    triggers: z
      .array(z.union([text, map]))
      .max(100)
      .optional(),
  },
}

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
        actions: z.array(z.enum(['create', 'read', 'edit', 'delete', 'transfer', 'restore', 'purge'])).min(1),
        condition: z.union([cel, filter]),
      }),
    )
    .max(1000)
    .optional(),
  tabPermissions: z.record(z.string(), z.enum(['visible', 'hidden', 'default_on', 'default_off'])).optional(),
} as const

/** Rights that are given to users. */
export const permissionShape: ItemShape = { keys: permissionSet }

/** The basic rights of a user. */
export const profileShape: ItemShape = { keys: { ...permissionSet, isDefault: flag.optional() } }

/** A place in the hierarchy. */
export const roleShape: ItemShape = { keys: { parent: name.optional(), permissionSets: names.optional() } }
