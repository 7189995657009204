// The composition root: builds one host out of kernel, database, http and the plugins it lists. The only file that
// names every plugin.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { PluginDefinition } from '#main/kernel/plugin.ts'
import { backupPlugin } from '#main/plugins/backup/index.ts'
import { dataPlugin } from '#main/plugins/data/index.ts'
import { discoveryPlugin } from '#main/plugins/discovery/index.ts'
import { importPlugin } from '#main/plugins/import/index.ts'
import { metadataPlugin } from '#main/plugins/metadata/index.ts'
import { permissionsPlugin } from '#main/plugins/permissions/index.ts'
import { settingsPlugin } from '#main/plugins/settings/index.ts'

/** Plugins that are always loaded. */
export const corePlugins: readonly PluginDefinition[] = [
  settingsPlugin,
  metadataPlugin,
  permissionsPlugin,
  dataPlugin,
  discoveryPlugin,
]

/** Plugins a host may be started without. */
export const optionalPlugins: readonly PluginDefinition[] = [importPlugin, backupPlugin]

/** The program's version, from package.json. */
export const programVersion: string = (
  JSON.parse(readFileSync(path.join(import.meta.dirname, '..', 'package.json'), 'utf8')) as { version: string }
).version
