// What the host tells about itself before anyone signs in: the manifest and whether it is ready. Holds no secret.
import type { Database, DatabaseHealth } from '#main/kernel/database.ts'
import type { PluginCatalogue } from '#main/kernel/plugin.ts'
import { buildManifest, stateOf } from './service/manifest.ts'
import type { ManifestFacts } from './service/manifest.ts'
import { weakTag } from './service/entity-tag.ts'

/** Discovery and health as the routes need them. */
export interface DiscoveryService {
  /** The manifest of this moment as JSON text, with its weak tag. */
  manifest(): { text: string; tag: string }
  /** Whether the database takes writes. Migrations are done before the first request can arrive. */
  health(): DatabaseHealth
}

/**
 * Makes the service. The manifest is the same for everybody; its text is kept for as long as what it is made of stays,
 * which each request looks at, so that a status shows at once.
 * @source D-17, D-18, D-19
 */
export function createDiscoveryService(parts: {
  catalogue: PluginCatalogue
  facts: () => ManifestFacts
  database: Pick<Database, 'health'>
}): DiscoveryService {
  let built: { state: string; text: string; tag: string } | undefined
  return {
    manifest() {
      const facts = parts.facts()
      const state = stateOf(parts.catalogue, facts)
      if (built?.state !== state) {
        const text = JSON.stringify(buildManifest(parts.catalogue, facts))
        built = { state, text, tag: weakTag(text) }
      }
      return built
    },
    health: () => parts.database.health(),
  }
}
