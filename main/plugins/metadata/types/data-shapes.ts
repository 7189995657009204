// Shapes of the items around records: validation rules, hooks, triggers and functions (D-96, D-98, D-99, D-163).
import { z } from 'zod'
import { checkRule, ruleShape } from '#shared/rules/rule-definition.ts'
import type { ItemShape } from './shape-parts.ts'
import { cel, flag, listOf, localId, long, map, milliseconds, name } from './shape-parts.ts'

const rule = z.looseObject(ruleShape)
const schema = z.union([flag, map])
const message = ruleShape.message.unwrap()
const fieldNames = z.array(name).min(1).max(100)

const hookEvents = [
  'beforeInsert',
  'afterInsert',
  'beforeUpdate',
  'afterUpdate',
  'beforeDelete',
  'afterDelete',
  'beforeRestore',
  'afterRestore',
] as const

/** Shapes by type. */
export const dataShapes = {
  /** A validation rule (D-96). Its kinds and what they need are checked by the rules' own check. */
  validation: {
    keys: { ...ruleShape, object: name },
    variants: {
      by: 'type',
      checkedBelow: true,
      cases: {
        script: { condition: cel, message },
        cross_field: { condition: cel, fields: fieldNames, message },
        format: { field: name, message },
        json_schema: { field: name, schema, message },
        unique: { fields: fieldNames, message },
        conditional: { when: cel, then: rule, message },
        state_machine: { field: name, transitions: ruleShape.transitions.unwrap() },
      },
    },
    // The object of a rule may be saved in the same write; whether its fields exist is the data plugin's question.
    check: (item) => checkRule(item, '', null),
  },
  /** A hook (D-98): a script of its own, or a function by name. */
  hook: {
    keys: {
      object: z.union([name, z.array(name).min(1).max(1000)]),
      events: z.array(z.enum(hookEvents)).min(1),
      body: long.optional(),
      function: name.optional(),
      priority: z.int().optional(),
      async: flag.optional(),
      condition: cel.optional(),
      onError: z.enum(['abort', 'log']).optional(),
      timeoutMs: milliseconds.optional(),
      active: flag.optional(),
    },
    needs: [{ oneOf: ['body', 'function'] }],
  },
  /** A trigger (D-98): what happens after records change. */
  trigger: {
    keys: {
      object: name,
      events: z.array(z.enum(['create', 'update', 'delete', 'undelete'])).min(1),
      condition: cel.optional(),
      actions: listOf(
        z.looseObject({
          id: localId.optional(),
          type: z.enum(['update_record', 'create_record', 'notify', 'run_flow', 'script']),
          config: map.optional(),
        }),
        100,
      ),
      priority: z.int().optional(),
      active: flag.optional(),
    },
  },
  /** A function (D-99, D-112). */
  function: {
    keys: { source: long.min(1), inputSchema: map.optional(), timeoutMs: milliseconds.optional() },
  },
} satisfies Readonly<Record<string, ItemShape>>
