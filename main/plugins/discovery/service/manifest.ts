// Builds the discovery manifest from what is really mounted. Pure: catalogue and facts in, manifest out.
import type { DiscoveryManifest } from '#shared/contracts/discovery.ts'
import { capabilityKeys, featureKeys, routeKeys, serviceKeys } from '#shared/contracts/discovery.ts'
import type { HostFacts, PluginCatalogue, RegisteredPlugin } from '#main/kernel/plugin.ts'
import { limitsOf } from './limits.ts'

/** What the manifest shows beside the plugins. */
export interface ManifestFacts {
  readonly host: Pick<HostFacts, 'version' | 'environment' | 'baseUrl'>
  readonly prefix: string
  readonly locale: string
  /** Every language the workspace can be shown in. */
  readonly locales: readonly string[]
  readonly timezone: string
  readonly maxBatchRecords: number
}

type Services = DiscoveryManifest['services']

/** Mechanisms of the kernel that the manifest lists as services; they have no routes of their own. */
const kernelServices = ['cache', 'queue', 'job'] as const

/** Names everything {@link buildManifest} reads that may change while the host runs: equal states, equal manifests. */
export function stateOf(catalogue: PluginCatalogue, facts: ManifestFacts): string {
  let state = `${catalogue.routes().length} ${facts.host.baseUrl()} ${facts.locale} ${facts.locales.join()} ${facts.timezone} ${facts.maxBatchRecords}`
  for (const plugin of catalogue.plugins()) {
    const { status, message } = plugin.status()
    state += `\n${plugin.id} ${status} ${plugin.hasFeature()} ${message}`
  }
  return state
}

/** Builds the manifest of D-17; every key of the protocol is present, absent capabilities as null, false or unavailable. */
export function buildManifest(catalogue: PluginCatalogue, facts: ManifestFacts): DiscoveryManifest {
  const { host, prefix } = facts
  const plugins = catalogue.plugins()
  const hasUi = catalogue.routes().some(({ contract }) => contract.path.startsWith('/ui/'))
  const baseUrl = host.baseUrl()
  const services = servicesOf(plugins, facts, hasUi)
  return {
    name: 'cairn',
    apiName: 'cairn',
    version: host.version,
    environment: host.environment,
    routes: routesOf(plugins, prefix),
    features: featuresOf(plugins),
    services,
    locale: {
      default: facts.locale,
      supported: [...new Set([facts.locale, ...facts.locales])],
      timezone: facts.timezone,
    },
    capabilities: capabilitiesOf(plugins),
    schemaDiscovery: {
      openapi: `${baseUrl}${prefix}/openapi.json`,
      ...(services['graphql']?.enabled === true ? { graphql: `${baseUrl}${prefix}/graphql/schema` } : {}),
      jsonSchema: `${baseUrl}${prefix}/meta/types`,
    },
    metadata: { limits: limitsOf(facts.maxBatchRecords), apiVersions: ['v1'] },
  }
}

function routesOf(plugins: readonly RegisteredPlugin[], prefix: string): DiscoveryManifest['routes'] {
  const routes = Object.fromEntries(routeKeys.map((key) => [key, null])) as DiscoveryManifest['routes']
  routes.data = `${prefix}/data`
  routes.metadata = `${prefix}/meta`
  routes.discovery = `${prefix}/discovery`
  routes.ui = `${prefix}/ui`
  for (const { discovery } of plugins) {
    const { routeKey, route, moreRoutes = {} } = discovery ?? {}
    const own = routeKey === undefined || route === undefined ? moreRoutes : { [routeKey]: route, ...moreRoutes }
    for (const [key, path] of Object.entries(own)) if (isOneOf(routeKeys, key)) routes[key] = prefix + path
  }
  return routes
}

function featuresOf(plugins: readonly RegisteredPlugin[]): DiscoveryManifest['features'] {
  const features = Object.fromEntries(featureKeys.map((key) => [key, false])) as DiscoveryManifest['features']
  for (const { discovery, hasFeature } of plugins) {
    if (discovery?.feature !== undefined && isOneOf(featureKeys, discovery.feature))
      features[discovery.feature] = hasFeature()
  }
  return features
}

function servicesOf(plugins: readonly RegisteredPlugin[], facts: ManifestFacts, hasUi: boolean): Services {
  const { prefix, host } = facts
  const services: Services = {}
  for (const key of serviceKeys) {
    services[key] = { enabled: false, status: 'unavailable', message: `The ${key} service is not installed.` }
  }
  for (const key of kernelServices) {
    services[key] = { enabled: true, status: 'available', provider: 'cairn-kernel', version: host.version }
  }
  for (const plugin of plugins) {
    const { discovery, id, version } = plugin
    if (discovery === undefined) continue
    const { status, message } = plugin.status()
    services[discovery.service] = {
      enabled: status !== 'unavailable',
      status,
      ...(discovery.route === undefined ? {} : { route: prefix + discovery.route }),
      provider: `cairn-${id}`,
      version,
      ...(message === undefined ? {} : { message }),
    }
  }
  // Screens are described by metadata, so that service answers for them.
  const metadata = services['metadata']
  if (hasUi && metadata?.enabled === true) services['ui'] = { ...metadata, route: `${prefix}/ui` }
  return services
}

function capabilitiesOf(plugins: readonly RegisteredPlugin[]): DiscoveryManifest['capabilities'] {
  const present = new Set(
    plugins.flatMap(({ discovery, hasFeature }) =>
      hasFeature() ? [...(discovery?.capabilities ?? []), discovery?.feature] : [],
    ),
  )
  return Object.fromEntries(capabilityKeys.map((key) => [key, { enabled: present.has(key) }]))
}

function isOneOf<T extends string>(words: readonly T[], word: string): word is T {
  return (words as readonly string[]).includes(word)
}
