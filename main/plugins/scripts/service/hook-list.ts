// The hook items in force, by object and event, in the order they run (D-98). Pure over the metadata service.
import type { Expression } from '#shared/expression/compile-expression.ts'
import { ExpressionError, compileExpression } from '#shared/expression/compile-expression.ts'
import type { HookEvent } from '#main/plugins/data/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'

/** When a hook runs, relative to the write. */
export type HookPhase = 'before' | 'after'

/** A hook ready to run. */
export interface CompiledHook {
  readonly name: string
  /** The script, or null when `function` names a function item. */
  readonly body: string | null
  readonly function: string | null
  readonly priority: number
  readonly isAsync: boolean
  /** Null: always. */
  readonly condition: Expression | null
  readonly onError: 'abort' | 'log'
  readonly timeoutMs: number
}

/** Finds hooks; compiled once per change of metadata. */
export interface HookList {
  of(object: string, phase: HookPhase, event: HookEvent): readonly CompiledHook[]
}

type Item = Readonly<Record<string, unknown>>

const eventNames: Readonly<Record<string, readonly [HookPhase, HookEvent]>> = {
  beforeInsert: ['before', 'insert'],
  afterInsert: ['after', 'insert'],
  beforeUpdate: ['before', 'update'],
  afterUpdate: ['after', 'update'],
  beforeDelete: ['before', 'delete'],
  afterDelete: ['after', 'delete'],
  beforeRestore: ['before', 'restore'],
  afterRestore: ['after', 'restore'],
}
const defaultTimeoutMs = 1_000
const none: readonly CompiledHook[] = Object.freeze([])

/** Makes the list over live metadata. */
export function createHookList(metadata: Pick<MetadataService, 'epoch' | 'list' | 'objectSchemas'>): HookList {
  let epoch = -1
  let hooks = new Map<string, CompiledHook[]>()

  const add = (name: string, objects: readonly string[], item: Item): void => {
    if (item['active'] === false) return
    for (const word of Array.isArray(item['events']) ? item['events'] : []) {
      const event = typeof word === 'string' && Object.hasOwn(eventNames, word) ? eventNames[word] : undefined
      if (event === undefined) continue
      for (const object of objects) {
        const key = `${object} ${event[0]} ${event[1]}`
        const list = hooks.get(key) ?? []
        list.push(compile(name, item, event[0]))
        hooks.set(key, list)
      }
    }
  }

  const load = (): void => {
    hooks = new Map()
    for (const schema of metadata.objectSchemas()) {
      const inline = schema.definition.hooks
      if (!Array.isArray(inline)) continue
      inline.forEach((item: unknown, at) => {
        if (isMap(item)) add(textOf(item['name']) ?? `${schema.name}.${at}`, [schema.name], item)
      })
    }
    for (const { name, item, state } of metadata.list('hook')) {
      if (state === 'archived' || state === 'draft') continue
      const { object } = item
      add(
        name,
        (Array.isArray(object) ? object : [object]).filter((one) => typeof one === 'string'),
        item,
      )
    }
    for (const list of hooks.values()) list.sort((a, b) => a.priority - b.priority || (a.name < b.name ? -1 : 1))
    epoch = metadata.epoch()
  }

  return {
    of(object, phase, event) {
      if (metadata.epoch() !== epoch) load()
      if (hooks.size === 0) return none
      return hooks.get(`${object} ${phase} ${event}`) ?? none
    },
  }
}

function compile(name: string, item: Item, phase: HookPhase): CompiledHook {
  const { onError, priority, timeoutMs } = item
  return {
    name,
    body: textOf(item['body']) ?? null,
    function: textOf(item['function']) ?? null,
    priority: typeof priority === 'number' ? priority : 100,
    isAsync: phase === 'after' && item['async'] === true,
    condition: conditionOf(item['condition']),
    onError: onError === 'abort' || onError === 'log' ? onError : phase === 'before' ? 'abort' : 'log',
    timeoutMs: typeof timeoutMs === 'number' ? timeoutMs : defaultTimeoutMs,
  }
}

/** A condition that cannot be read was refused at save; one stored before that rule existed counts as absent. */
function conditionOf(source: unknown): Expression | null {
  if (source === undefined || source === null || source === '') return null
  try {
    return compileExpression(source)
  } catch (error) {
    if (error instanceof ExpressionError) return null
    throw error
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function isMap(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
