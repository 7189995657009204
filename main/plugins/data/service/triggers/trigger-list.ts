// The triggers in force, by object and event, in the order they run (D-98): those written in object definitions and
// separate items. Kept until any metadata changes.
import type { Expression } from '#shared/expression/compile-expression.ts'
import { compileExpression, ExpressionError } from '#shared/expression/compile-expression.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'

/** The words of `events`, by the event that raises them. */
export const triggerEvents: Readonly<Record<string, string>> = {
  'record.created': 'create',
  'record.updated': 'update',
  'record.deleted': 'delete',
  'record.restored': 'undelete',
}

/** What a trigger does. */
export interface TriggerAction {
  readonly type: string
  readonly config: Readonly<Record<string, unknown>>
}

/** A trigger ready to run. */
export interface Trigger {
  readonly name: string
  readonly priority: number
  /** Null: always. A text says why the condition cannot be compiled. */
  readonly condition: Expression | string | null
  readonly actions: readonly TriggerAction[]
}

/** Answers from memory. */
export type TriggerList = (object: string, eventType: string) => readonly Trigger[]

type Item = Readonly<Record<string, unknown>>

const none: readonly Trigger[] = Object.freeze([])

/** Makes the list over live metadata. */
export function createTriggerList(metadata: Pick<MetadataService, 'epoch' | 'list' | 'objectSchemas'>): TriggerList {
  let epoch = -1
  let known = new Map<string, Trigger[]>()

  const add = (name: string, object: unknown, item: Item): void => {
    if (item['active'] === false || !Array.isArray(item['events'])) return
    const trigger = compile(name, item)
    for (const word of new Set(item['events'])) {
      const key = `${String(object)} ${String(word)}`
      known.set(key, [...(known.get(key) ?? []), trigger])
    }
  }

  const refresh = (): void => {
    if (metadata.epoch() === epoch) return
    epoch = metadata.epoch()
    known = new Map()
    for (const schema of metadata.objectSchemas()) {
      inlineTriggers(schema).forEach((item, index) => add(inlineName(schema, item, index), schema.name, item))
    }
    for (const { name, item, state } of metadata.list('trigger')) {
      if (state !== 'archived' && state !== 'draft') add(name, item['object'], item)
    }
    for (const list of known.values()) list.sort(byPriority)
  }

  return (object, eventType) => {
    const word = Object.hasOwn(triggerEvents, eventType) ? triggerEvents[eventType] : undefined
    if (word === undefined) return none
    refresh()
    return known.get(`${object} ${word}`) ?? none
  }
}

/** The triggers written in an object. */
export function inlineTriggers({ definition }: Pick<ObjectSchema, 'definition'>): readonly Item[] {
  return Array.isArray(definition.triggers) ? (definition.triggers as Item[]) : []
}

/** The name a trigger written in an object goes by. @source D-98 */
export function inlineName({ name }: Pick<ObjectSchema, 'name'>, item: Item, index: number): string {
  return `${name}.${typeof item['name'] === 'string' ? item['name'] : `triggers.${index}`}`
}

function compile(name: string, item: Item): Trigger {
  const { condition, actions, priority } = item
  return {
    name,
    priority: typeof priority === 'number' ? priority : 100,
    condition: condition === undefined || condition === null || condition === '' ? null : compileCondition(condition),
    actions: (Array.isArray(actions) ? actions : []).map((action: Item) => ({
      type: String(action['type']),
      config: (action['config'] ?? {}) as Record<string, unknown>,
    })),
  }
}

function compileCondition(condition: unknown): Expression | string {
  try {
    return compileExpression(condition)
  } catch (error) {
    if (error instanceof ExpressionError) return error.message
    throw error
  }
}

function byPriority(a: Trigger, b: Trigger): number {
  return a.priority - b.priority || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
}
