// The kinds of documents of a model's machine: those of the program, made anew each time sync is opened, as a process that
// starts makes them. Knows no engine and no step.
import type { EventListener, PluginHost } from '#main/kernel/plugin.ts'
import type { DocKinds } from '#main/plugins/sync/engine/doc-kinds.ts'
import { createDocKinds } from '#main/plugins/sync/engine/doc-kinds.ts'

type Committed = Parameters<PluginHost['onCommitted']>[1]

/** A host on which each listener is heard until the next ones take its place. */
interface Switchboard {
  readonly host: PluginHost
  /** Nobody listens any more; what was to be ended has ended. */
  clear(): Promise<void>
}

/** Makes the kinds of a host, and takes them away. */
export interface ModelKinds {
  /** @param withSchemas false: definitions do not travel */
  open(withSchemas: boolean): DocKinds
  close(): Promise<void>
}

/** Prepares a host for kinds that come and go. */
export function createModelKinds(real: PluginHost): ModelKinds {
  const board = createSwitchboard(real)
  return {
    open(withSchemas) {
      const host: PluginHost = {
        ...board.host,
        on(type, listener) {
          if (withSchemas || !type.startsWith('metadata.')) board.host.on(type, listener)
        },
      }
      const kinds = createDocKinds({
        host,
        metadata: real.service('metadata'),
        feed: () => real.service('feed'),
        workflow: () => undefined,
        storage: () => undefined,
      })
      return withSchemas ? kinds : { ...kinds, handlers: kinds.handlers.filter(({ kind }) => kind !== 'metadata') }
    },
    close: () => board.clear(),
  }
}

function createSwitchboard(real: PluginHost): Switchboard {
  const inside = new Map<string, EventListener[]>()
  const after = new Map<string, Committed[]>()
  let ends: (() => void | Promise<void>)[] = []
  const host: PluginHost = {
    ...real,
    on(type, listener) {
      const known = inside.get(type)
      if (known !== undefined) return void known.push(listener)
      const listeners = [listener]
      inside.set(type, listeners)
      real.on(type, (...heard) => {
        for (const one of listeners) one(...heard)
      })
    },
    onCommitted(type, listener) {
      const known = after.get(type)
      if (known !== undefined) return void known.push(listener)
      const listeners = [listener]
      after.set(type, listeners)
      real.onCommitted(type, (event) => {
        for (const one of listeners) one(event)
      })
    },
    dispose(end) {
      ends.push(end)
    },
  }
  return {
    host,
    async clear() {
      for (const listeners of [...inside.values(), ...after.values()]) listeners.length = 0
      const ending = ends.toReversed()
      ends = []
      for (const end of ending) await end()
    },
  }
}
