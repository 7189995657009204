// Load order of plugins: topological over `requires`, ties in listed order. Pure.
import type { PluginDefinition } from './plugin.ts'

/**
 * Sorts plugins so that each comes after all it requires.
 * @throws Error with a clear sentence when an id is listed twice, a required plugin is missing, or requirements are circular.
 */
export function orderPlugins(plugins: readonly PluginDefinition[]): PluginDefinition[] {
  const byId = new Map<string, PluginDefinition>()
  for (const plugin of plugins) {
    if (byId.has(plugin.id)) throw new Error(`Plugin "${plugin.id}" is listed twice.`)
    byId.set(plugin.id, plugin)
  }
  for (const plugin of plugins) {
    for (const id of plugin.requires ?? []) {
      if (!byId.has(id)) throw new Error(`Plugin "${plugin.id}" requires plugin "${id}", which is not installed.`)
    }
  }
  const ordered: PluginDefinition[] = []
  const state = new Map<string, 'open' | 'done'>()
  const visit = (plugin: PluginDefinition, path: readonly string[]): void => {
    if (state.get(plugin.id) === 'done') return
    if (state.get(plugin.id) === 'open') {
      throw new Error(`Plugins require each other in a circle: ${[...path, plugin.id].join(' -> ')}.`)
    }
    state.set(plugin.id, 'open')
    for (const id of plugin.requires ?? []) visit(byId.get(id)!, [...path, plugin.id])
    state.set(plugin.id, 'done')
    ordered.push(plugin)
  }
  for (const plugin of plugins) visit(plugin, [])
  return ordered
}
