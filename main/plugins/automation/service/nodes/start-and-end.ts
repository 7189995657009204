// Where a flow begins, and where it ends.
import { z } from 'zod'
import { Cron } from 'croner'
import { automationError } from '../../errors.ts'
import { Cel, FreeMap, defineNodeType } from './node-type.ts'

const isZone = (zone: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

const isCron = (line: string): boolean => {
  if (line.trim().split(/\s+/).length !== 5) return false
  try {
    new Cron(line, { paused: true, mode: '5-part' }).stop()
    return true
  } catch {
    return false
  }
}

/** The words of a record's changes a flow may start at. */
export const changeWords = ['create', 'update', 'delete', 'undelete'] as const

/** The start; what it holds depends on the flow's type (D-151). */
export const startNode = defineNodeType({
  type: 'start',
  name: 'Start',
  description: 'Where the flow begins, and what starts it.',
  icon: 'player-play',
  category: 'control',
  configSchema: z.looseObject({
    object: z.string().optional(),
    events: z.array(z.enum(changeWords)).optional(),
    condition: Cel.optional(),
    fields: z.array(z.string()).optional(),
    cron: z.string().refine(isCron, 'A cron line has five fields.').optional(),
    everySeconds: z.int().min(1).max(31_536_000).optional(),
    timezone: z.string().refine(isZone, 'There is no such time zone.').optional(),
    catchUp: z.enum(['skip', 'once']).optional(),
    event: z.string().max(200).optional(),
  }),
  effect: 'none',
  verbatim: ['condition', 'cron', 'timezone', 'event', 'object', 'fields', 'events'],
  expressions: ['condition'],
  check({ object, fields }, ask) {
    if (typeof object !== 'string') return []
    if (!ask.hasObject(object))
      return [{ path: 'object', code: 'unknown_object', message: `There is no object "${object}".` }]
    const unknown = (Array.isArray(fields) ? (fields as string[]) : []).filter((field) => !ask.hasField(object, field))
    return unknown.map((field) => ({ path: 'fields', code: 'unknown_field', message: `There is no field "${field}".` }))
  },
  execute: () => ({}),
})

/** An end; its output is the run's. */
export const endNode = defineNodeType({
  type: 'end',
  name: 'End',
  description: 'Ends the flow, well or as a failure, and says what it gives back.',
  icon: 'player-stop',
  category: 'control',
  configSchema: z.looseObject({
    status: z.enum(['completed', 'failed']).default('completed'),
    message: z.string().optional(),
    output: FreeMap.optional(),
  }),
  effect: 'none',
  supportsRetry: false,
  execute({ config: { status, message, output } }) {
    if (status === 'completed') return { output: output ?? null }
    throw automationError('execution_failed', { reason: 'ended', message: message ?? 'The flow ended as a failure.' })
  },
})
