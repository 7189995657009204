// The auth plugin with some of the host's doors changed: twins of checks switch one guard off with it, as a value in code.
import { corePlugins, optionalPlugins } from '#main/host.ts'
import type { Write } from '#main/kernel/database.ts'
import type { IdentityProvider } from '#main/kernel/identity.ts'
import type { PluginDefinition, PluginHost } from '#main/kernel/plugin.ts'
import { definePlugin } from '#main/kernel/plugin.ts'

/** A handler as a twin wraps it. */
export type AnyHandler = (ctx: never, input: never) => unknown

/** Doors to put in the place of the host's own. */
export interface AuthDoors {
  readonly write?: (given: Write) => Write
  readonly identities?: (given: IdentityProvider) => IdentityProvider
  /** Handlers by operation id, made from those of the plugin. */
  readonly handlers?: Readonly<Record<string, (given: AnyHandler, host: PluginHost) => AnyHandler>>
}

/** All plugins, the doors of `auth` changed. */
export function withAuthDoors(doors: AuthDoors): PluginDefinition[] {
  return [...corePlugins, ...optionalPlugins].map((plugin) => {
    if (plugin.id !== 'auth') return plugin
    const register = (host: PluginHost) => plugin.register(open(host, doors))
    return definePlugin({ ...plugin, register })
  })
}

function open(host: PluginHost, doors: AuthDoors): PluginHost {
  const { write, identities, handlers = {} } = doors
  const handle = (routes: object, given: Record<string, AnyHandler>): void => {
    const wrapped = Object.entries(given).map(([id, handler]) => [id, handlers[id]?.(handler, host) ?? handler])
    ;(host.handle as (routes: object, handlers: object) => void)(routes, Object.fromEntries(wrapped) as object)
  }
  return Object.create(host, {
    handle: { value: handle },
    ...(write === undefined ? {} : { write: { value: write(host.write) } }),
    ...(identities === undefined
      ? {}
      : { setIdentities: { value: (given: IdentityProvider) => host.setIdentities(identities(given)) } }),
  }) as PluginHost
}

/** Writes of one name that are not done: each answers what the second argument says. */
export function withoutWrites(name: string, answer: unknown): (given: Write) => Write {
  return (given) => ((job: string, work: never) => (job === name ? Promise.resolve(answer) : given(job, work))) as Write
}

/** A lookup that never forgets: whoever held once holds for ever. */
export function neverForgetting(given: IdentityProvider): IdentityProvider {
  const remember = <T>(find: (text: string) => T): ((text: string) => T) => {
    const seen = new Map<string, T>()
    return (text) => {
      const found = find(text)
      if (found !== null && found !== undefined) seen.set(text, found)
      return seen.get(text) ?? found
    }
  }
  return {
    byBearer: remember((token) => given.byBearer(token)),
    byApiKey: remember((key) => given.byApiKey(key)),
    byCookie: remember((header) => given.byCookie(header)),
  }
}
