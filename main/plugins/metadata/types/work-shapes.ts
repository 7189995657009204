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
  listOf,
  localId,
  long,
  map,
  milliseconds,
  name,
  names,
  part,
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

const labels = z.looseObject({
  label: text.optional(),
  pluralLabel: text.optional(),
  description: text.optional(),
  help: text.optional(),
  placeholder: text.optional(),
})
const words = z.record(z.string(), text)

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
  rowLevelSecurity: listOf(
    z.looseObject({
      name,
      object: name,
      actions: z.array(z.enum(['create', 'read', 'edit', 'delete', 'transfer', 'restore', 'purge'])).min(1),
      condition: z.union([cel, filter]),
    }),
    1000,
  ),
  tabPermissions: z.record(z.string(), z.enum(['visible', 'hidden', 'default_on', 'default_off'])).optional(),
} as const

/** Shapes by type. */
export const workShapes = {
  /** A flow; what else makes it fit to run is checked when it is made active (D-148). */
  flow: {
    keys: {
      version: z.int().min(1).optional(),
      status: z.enum(['draft', 'active', 'obsolete', 'invalid']).optional(),
      template: flag.optional(),
      type: z.enum(['autolaunched', 'record_change', 'schedule', 'screen', 'api']).optional(),
      variables: listOf(variable, 200),
      nodes: listOf(node, 1000),
      edges: listOf(edge, 5000),
      active: flag.optional(),
      enabled: flag.optional(),
      runAs: z.enum(['system', 'user']).optional(),
      runsOn: z.string().optional(),
      errorHandling: errorHandling.optional(),
      concurrency: part({
        maxConcurrent: z.int().min(1).optional(),
        onConflict: z.enum(['queue', 'reject', 'cancel_existing']).optional(),
        lockScope: z.enum(['global', 'per_record', 'per_user']).optional(),
        queueTimeoutMs: milliseconds.optional(),
      }),
      timeoutMs: milliseconds.optional(),
    },
    check: (item) => [
      ...duplicateIds(item['nodes'], 'nodes'),
      ...duplicateIds(item['edges'], 'edges'),
      ...duplicateIds(item['variables'], 'variables', 'name'),
      ...danglingEdges(item),
    ],
  },
  /** A job: what runs, and when. */
  job: {
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
      retryPolicy: part({ maxRetries: z.int().min(0).max(100).optional(), backoffMs: z.int().min(0).optional() }),
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
  },
  /** A mail with places to fill. */
  email_template: {
    keys: {
      subject: text.min(1),
      text: long.optional(),
      html: long.optional(),
      locale: languageTag.optional(),
      object: name.optional(),
    },
  },
  /** Labels in one language (D-180). */
  translation: {
    keys: {
      locale: languageTag,
      translations: part({
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
      }),
    },
  },
  /** An assistant. */
  agent: {
    keys: {
      instructions: long.min(1),
      tools: names.optional(),
      skills: names.optional(),
      model: text.optional(),
      temperature: z.number().min(0).max(2).optional(),
    },
  },
  /** Something an assistant may call. */
  tool: {
    keys: { type: z.enum(['function', 'flow', 'query']), target: name, inputSchema: map.optional() },
  },
  /** Instructions an assistant takes up. */
  skill: {
    keys: {
      instructions: long.min(1),
      tools: names.optional(),
      triggers: listOf(z.union([text, map]), 100),
    },
  },
  /** Rights that are given to users. */
  permission: { keys: permissionSet },
  /** The basic rights of a user. */
  profile: { keys: { ...permissionSet, isDefault: flag.optional() } },
  /** A place in the hierarchy. */
  role: { keys: { parent: name.optional(), permissionSets: names.optional() } },
} satisfies Readonly<Record<string, ItemShape>>
