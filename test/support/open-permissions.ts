// The permissions plugin with its guard off: everybody with a credential may do everything. Twins of checks load it to
// prove that a check would notice.
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { PluginDefinition, PluginHost } from '#main/kernel/plugin.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import { permissionsPlugin } from '#main/plugins/permissions/index.ts'

/** The plugins with the authorizer of `permissions` replaced; everything else of it stays. */
export function withAuthorizer(
  plugins: readonly PluginDefinition[],
  replace: (given: Authorizer) => Authorizer,
): PluginDefinition[] {
  const replaced = definePlugin({
    ...permissionsPlugin,
    register(host: PluginHost) {
      const seen = Object.create(host, {
        setAuthorizer: { value: (given: Authorizer) => host.setAuthorizer(replace(given)) },
      }) as PluginHost
      return permissionsPlugin.register(seen)
    },
  })
  return plugins.map((plugin) => (plugin.id === 'permissions' ? replaced : plugin))
}

/** Lets everybody do everything. */
export function openAuthorizer(given: Authorizer): Authorizer {
  return {
    ...given,
    isUnrestricted: () => true,
    canObject: () => true,
    rowCondition: () => null,
    canField: () => true,
    hasSystemPermission: () => true,
  }
}
