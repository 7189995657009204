// One planted violation for every rule of dependency-cruiser.cjs and of word-rules.ts: the proof that the rule can fire.
// Data only; check-boundaries writes the former into a temporary copy and cruises that, and judges the latter as text.
import type { WordRule } from './word-rules.ts'

/** A violation on purpose: `file` breaks `rule`; the other files exist so that its import resolves. */
export interface BoundaryPlant {
  rule: string
  file: string
  source: string
  others?: Readonly<Record<string, string>>
}

const importing = (from: string): string => `import * as planted from '${from}'\nexport const use = planted\n`
const value = 'export const value = 1\n'

/** The plants, one per rule. Names start with `zz-plant` so that no real file can be overwritten. */
export const BOUNDARY_PLANTS: readonly BoundaryPlant[] = [
  {
    rule: 'no-cycle',
    file: 'main/kernel/zz-plant-cycle-a.ts',
    source: `import { b } from './zz-plant-cycle-b.ts'\nexport const a = (): number => b()\n`,
    others: {
      'main/kernel/zz-plant-cycle-b.ts': `import { a } from './zz-plant-cycle-a.ts'\nexport const b = (): number => a()\n`,
    },
  },
  { rule: 'no-unresolvable', file: 'main/kernel/zz-plant-lost.ts', source: importing('./zz-plant-nowhere.ts') },
  { rule: 'no-orphan', file: 'main/kernel/zz-plant-orphan.ts', source: value },
  { rule: 'shared-imports-pure-packages-only', file: 'shared/zz-plant-node.ts', source: importing('node:fs') },
  {
    rule: 'nothing-imports-test',
    file: 'main/kernel/zz-plant-test.ts',
    source: importing('../../test/support/find-chromium.ts'),
  },
  {
    rule: 'nothing-imports-build',
    file: 'main/kernel/zz-plant-build.ts',
    source: importing('../../build/vite.preload.config.ts'),
  },
  {
    rule: 'build-imports-named-doors-only',
    file: 'build/zz-plant-inside.ts',
    source: importing('../main/kernel/clock.ts'),
  },
  {
    rule: 'electron-imports-host-door-only',
    file: 'electron/zz-plant-kernel.ts',
    source: importing('../main/kernel/clock.ts'),
  },
  { rule: 'only-electron-imports-electron', file: 'main/zz-plant-electron.ts', source: importing('electron') },
  {
    rule: 'renderer-imports-shared-only',
    file: 'renderer/zz-plant-main.ts',
    source: importing('../main/kernel/clock.ts'),
  },
  { rule: 'renderer-has-no-node', file: 'renderer/zz-plant-node.ts', source: importing('node:path') },
  {
    rule: 'renderer-features-below-app',
    file: 'renderer/features/zz-plant/up.ts',
    source: importing('../../app/zz-plant-app.ts'),
    others: { 'renderer/app/zz-plant-app.ts': value },
  },
  {
    rule: 'renderer-primitives-below-features',
    file: 'renderer/components/zz-plant-up.ts',
    source: importing('../features/zz-plant/index.ts'),
    others: { 'renderer/features/zz-plant/index.ts': value },
  },
  {
    rule: 'feature-through-its-index',
    file: 'renderer/features/zz-plant-other/inside.ts',
    source: importing('../zz-plant/private.ts'),
    others: { 'renderer/features/zz-plant/private.ts': value },
  },
  {
    rule: 'kernel-imports-shared-only',
    file: 'main/kernel/zz-plant-up.ts',
    source: importing('#main/zz-plant-root.ts'),
    others: { 'main/zz-plant-root.ts': value },
  },
  {
    rule: 'http-imports-kernel-only',
    file: 'main/http/zz-plant-database.ts',
    source: importing('#main/database/zz-plant-open.ts'),
    others: { 'main/database/zz-plant-open.ts': value },
  },
  {
    rule: 'database-imports-kernel-only',
    file: 'main/database/zz-plant-plugin.ts',
    source: importing('#main/plugins/zz-plant/api.ts'),
    others: { 'main/plugins/zz-plant/api.ts': value },
  },
  {
    rule: 'workers-import-database-and-kernel-only',
    file: 'main/workers/zz-plant-plugin.ts',
    source: importing('#main/plugins/zz-plant/api.ts'),
  },
  {
    rule: 'plugin-imports-mechanism-only',
    file: 'main/plugins/zz-plant/transport.ts',
    source: importing('#main/http/zz-plant-server.ts'),
    others: { 'main/http/zz-plant-server.ts': value },
  },
  {
    rule: 'plugin-imports-other-api-only',
    file: 'main/plugins/zz-plant/thief.ts',
    source: `import type { value } from '../zz-plant-two/service.ts'\nexport type Stolen = typeof value\n`,
    others: { 'main/plugins/zz-plant-two/service.ts': value },
  },
  {
    rule: 'plugin-imports-other-api-as-type',
    file: 'main/plugins/zz-plant-two/runtime.ts',
    source: importing('../zz-plant/api.ts'),
  },
  {
    rule: 'wire-is-pure',
    file: 'main/replication/wire/zz-plant-clock.ts',
    source: importing('#main/kernel/clock.ts'),
  },
  {
    rule: 'replication-knows-no-owner',
    file: 'main/replication/core/zz-plant-owner.ts',
    source: importing('#main/plugins/zz-plant/service.ts'),
  },
  {
    rule: 'relay-imports-wire-only',
    file: 'main/relay/zz-plant-host.ts',
    source: importing('#main/plugins/zz-plant/service.ts'),
  },
  {
    rule: 'relay-below-its-program',
    file: 'main/relay/zz-plant-above.ts',
    source: importing('./program/zz-plant-start.ts'),
    others: { 'main/relay/program/zz-plant-start.ts': value },
  },
  {
    rule: 'relay-program-imports-channel-only',
    file: 'main/relay/program/zz-plant-host.ts',
    source: importing('#main/plugins/zz-plant/service.ts'),
  },
  {
    rule: 'hub-imports-database-and-kernel-only',
    file: 'main/hub/zz-plant-http.ts',
    source: importing('../http/server.ts'),
  },
  { rule: 'only-hub-speaks-to-postgres', file: 'main/kernel/zz-plant-postgres.ts', source: importing('pg') },
  {
    rule: 'hub-is-loaded-when-asked-for',
    file: 'main/zz-plant-hub.ts',
    source: importing('./hub/frames.ts'),
  },
  {
    rule: 'only-host-names-plugins',
    file: 'main/zz-plant-cli.ts',
    source: importing('./plugins/zz-plant/service.ts'),
    others: { 'main/plugins/zz-plant/service.ts': value },
  },
  { rule: 'only-http-imports-fastify', file: 'main/plugins/zz-plant/fastify.ts', source: importing('fastify') },
  {
    rule: 'only-database-opens-sqlite',
    file: 'main/plugins/zz-plant/sqlite.ts',
    source: importing('better-sqlite3'),
  },
  { rule: 'only-outbound-goes-out', file: 'main/plugins/zz-plant/outbound.ts', source: importing('undici') },
  {
    rule: 'only-workers-run-scripts',
    file: 'main/plugins/zz-plant/engine.ts',
    source: importing('quickjs-emscripten'),
  },
]

/** The plants of the rules on words, one per rule. */
export const WORD_PLANTS: Readonly<Record<WordRule, { file: string; source: string }>> = {
  'sql-in-stores-only': {
    file: 'main/plugins/zz-plant/service/reading.ts',
    source: "export const sql = 'SELECT id FROM zz_plant_note'\n",
  },
  'own-tables-only': {
    file: 'main/plugins/zz-plant/store.ts',
    source: "export const sql = 'SELECT value FROM settings_option'\n",
  },
  'object-tables-through-data': {
    file: 'main/plugins/zz-plant/rows-store.ts',
    source: 'export const sql = (schema: { table: string }) => `SELECT 1 FROM "${schema.table}" WHERE id = ?`\n',
  },
  'mechanism-names-no-event': {
    file: 'main/kernel/zz-plant-listener.ts',
    source: "export const wanted = 'auth.signed_in'\n",
  },
}
