// The twin of the kill check of the audit: the real host, but entries follow their change in a write of their own.
import { corePlugins, optionalPlugins } from '#main/host.ts'
import { startHost } from '#main/index.ts'
import { internalContext } from '#main/kernel/context.ts'
import type { PluginDefinition, PluginHost } from '#main/kernel/plugin.ts'

function later(plugin: PluginDefinition): PluginDefinition {
  return {
    ...plugin,
    register: (host) =>
      plugin.register(
        Object.create(host, {
          on: {
            value: (type: string, listener: Parameters<PluginHost['on']>[1]) => {
              if (type !== 'settings.*') return
              host.onCommitted('settings.changed', (event) => {
                setTimeout(() => {
                  void host.write('late', (tx) => listener(event, tx, internalContext(event.requestId)))
                }, 100)
              })
            },
          },
        }) as PluginHost,
      ),
  }
}

const dataDir = process.argv[process.argv.indexOf('--data') + 1]!
const plugins = [...corePlugins, ...optionalPlugins].map((plugin) => (plugin.id === 'audit' ? later(plugin) : plugin))
const host = await startHost({ dataDir, port: 0, plugins })
process.stdout.write(`The host with a late audit is running at ${host.url}\n`)
process.once('SIGTERM', () => void host.stop())
