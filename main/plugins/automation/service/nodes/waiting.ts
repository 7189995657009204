// Nodes that let a run wait: for a person who fills in a form, for a time, a signal, or a record that fits.
import { z } from 'zod'
import { parseInstant } from '#shared/calendar/iso.ts'
import { compileOpenExpression } from '#shared/expression/compile-expression.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import { validationError } from '#shared/errors.ts'
import type { NodeType } from '../../api.ts'
import { defineNodeType } from './node-type.ts'

/** Types a field of a form may have. */
export const screenFieldTypes = [
  'text',
  'textarea',
  'number',
  'boolean',
  'date',
  'datetime',
  'select',
  'multiselect',
] as const

const ScreenField = z.looseObject({
  name: z.string().regex(/^[a-z][a-z0-9_]{0,62}$/),
  label: z.string().optional(),
  type: z.enum(screenFieldTypes).default('text'),
  required: z.boolean().default(false),
  options: z.array(z.unknown()).optional(),
  defaultValue: z.unknown().optional(),
})

/** A form somebody fills in; the inputs are the output. */
export const screenNode = defineNodeType({
  type: 'screen',
  name: 'Screen',
  description: 'Shows a form and waits for its inputs.',
  icon: 'forms',
  category: 'human',
  configSchema: z.looseObject({
    title: z.string().optional(),
    fields: z.array(ScreenField).max(100),
    submitLabel: z.string().optional(),
  }),
  effect: 'transaction',
  supportsPause: true,
  execute({ config: { title, fields, submitLabel } }) {
    const screen = {
      ...(title === undefined ? {} : { title }),
      fields,
      ...(submitLabel === undefined ? {} : { submitLabel }),
    }
    return { pause: { type: 'screen', details: { screen } } }
  },
})

const Condition = z.looseObject({
  object: z.string().min(1),
  recordId: z.string().min(1),
  expression: z.string().min(1),
})
const kinds = ['durationSeconds', 'until', 'signal', 'condition'] as const
const maxWaitSeconds = 31_536_000 * 5

/** Makes the node that waits. */
export function waitNode(parts: {
  readonly data: Pick<DataService, 'get'>
  readonly clock: Clock
  readonly timeZone: () => string
}): NodeType {
  const { data, clock } = parts
  return defineNodeType({
    type: 'wait',
    name: 'Wait',
    description: 'Waits for a while, until a time, for a signal, or until a record fits.',
    icon: 'hourglass',
    category: 'control',
    configSchema: z
      .looseObject({
        durationSeconds: z.number().min(0).max(maxWaitSeconds).optional(),
        until: z.string().min(1).optional(),
        signal: z.string().min(1).max(200).optional(),
        condition: Condition.optional(),
        timeoutSeconds: z.number().min(1).max(maxWaitSeconds).default(86_400),
        onTimeout: z.enum(['fail', 'continue']).default('fail'),
      })
      .refine(
        (config) => kinds.filter((kind) => config[kind] !== undefined).length === 1,
        `A wait has one of ${kinds.join(', ')}.`,
      ),
    effect: 'transaction',
    supportsPause: true,
    async execute({ config, ctx }) {
      const { durationSeconds, until, signal, condition, timeoutSeconds, onTimeout } = config
      const inSeconds = (seconds: number): string => new Date(clock.now() + seconds * 1000).toISOString()
      if (durationSeconds !== undefined) return { pause: { type: 'time', resumeAt: inSeconds(durationSeconds) } }
      if (until !== undefined) {
        const at = parseInstant(until, parts.timeZone())
        if (at === null)
          throw validationError([
            { field: 'config.until', code: 'invalid_datetime', message: 'The time is none.', value: until },
          ])
        return { pause: { type: 'time', resumeAt: new Date(at).toISOString() } }
      }
      const limit = { resumeAt: inSeconds(timeoutSeconds), onTimeout }
      if (signal !== undefined) return { pause: { type: 'signal', signal, details: { signal }, ...limit } }
      const { object, recordId, expression } = condition!
      const { record } = await data.get(ctx, { object, id: recordId })
      const scope = { record, now: clock.now(), timeZone: parts.timeZone() }
      if (compileOpenExpression(expression).evaluate(scope) === true) return { output: null }
      return { pause: { type: 'condition', details: { object, recordId, expression }, ...limit } }
    },
  })
}
