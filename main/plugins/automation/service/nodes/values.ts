// Nodes that decide and work with values; they touch nothing but variables.
import { z } from 'zod'
import { validationError } from '#shared/errors.ts'
import type { NodeOutcome } from '../../api.ts'
import { Cel, defineNodeType } from './node-type.ts'

/** Which edge is followed: by conditions on the edges, or by a value that is an edge's label. */
export const decisionNode = defineNodeType({
  type: 'decision',
  name: 'Decision',
  description: 'Goes on along the first edge whose condition holds, or along the edge labelled with the value.',
  icon: 'arrows-split',
  category: 'logic',
  configSchema: z.looseObject({ expression: Cel.optional() }),
  effect: 'none',
  verbatim: ['expression'],
  expressions: ['expression'],
  execute({ config: { expression }, evaluate }) {
    if (expression === undefined) return {}
    const output = evaluate(expression)
    return { output, label: typeof output === 'string' ? output : JSON.stringify(output) }
  },
})

const operators = ['set', 'add', 'subtract', 'append', 'clear'] as const

/** Gives variables of the run other values, in order. */
export const assignmentNode = defineNodeType({
  type: 'assignment',
  name: 'Assignment',
  description: 'Sets variables of the flow.',
  icon: 'variable',
  category: 'logic',
  configSchema: z.looseObject({
    assignments: z
      .array(
        z.looseObject({
          variable: z.string(),
          operator: z.enum(operators).default('set'),
          value: z.unknown().optional(),
        }),
      )
      .min(1)
      .max(200),
  }),
  effect: 'none',
  execute({ config: { assignments }, variables: before }): NodeOutcome {
    const variables: Record<string, unknown> = {}
    assignments.forEach(({ variable, operator, value }, index) => {
      const present = Object.hasOwn(variables, variable) ? variables[variable] : before[variable]
      variables[variable] = assigned(operator, present ?? null, value ?? null, `assignments.${index}.value`)
    })
    return { output: variables, variables }
  },
})

/** The value of CEL over what the flow knows. */
export const transformNode = defineNodeType({
  type: 'transform',
  name: 'Transform',
  description: 'Works out a value.',
  icon: 'math-function',
  category: 'logic',
  configSchema: z.looseObject({ expression: Cel }),
  effect: 'none',
  verbatim: ['expression'],
  expressions: ['expression'],
  execute: ({ config: { expression }, evaluate }) => ({ output: evaluate(expression) }),
})

/** A line in the steps of the run. */
export const logNode = defineNodeType({
  type: 'log',
  name: 'Log',
  description: 'Leaves a message in the steps of the run.',
  icon: 'notes',
  category: 'logic',
  configSchema: z.looseObject({
    message: z.unknown(),
    level: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
  }),
  effect: 'none',
  execute: ({ config: { message, level } }) => ({ output: { level, message } }),
})

/** @throws validation_error for values the operator has no use for */
function assigned(operator: (typeof operators)[number], before: unknown, value: unknown, field: string): unknown {
  switch (operator) {
    case 'set':
      return value
    case 'clear':
      return null
    case 'append':
      if (before !== null && !Array.isArray(before))
        throw validationError([{ field, code: 'invalid_type', message: 'Only a list is appended to.' }])
      return [...((before as unknown[] | null) ?? []), value]
    default: {
      const [left, right] = [before ?? 0, value ?? 0]
      if (typeof left !== 'number' || typeof right !== 'number')
        throw validationError([{ field, code: 'invalid_number', message: 'Only numbers are added and subtracted.' }])
      return operator === 'add' ? left + right : left - right
    }
  }
}
