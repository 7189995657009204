// The table of the 26 metadata types (D-102): words, domains, flags, load order and where packages keep their files.
import type { z } from 'zod'
import type { MetadataType, MetadataTypeEntry } from '#shared/contracts/metadata.ts'
import { metadataTypes } from '#shared/contracts/metadata.ts'

/** An entry of the table. */
export type TypeEntry = z.output<typeof MetadataTypeEntry>

/** Who may make items of a type while the host runs. */
export type RuntimeCreate = 'anyone' | 'packages' | 'never'

/** Overlays a type takes: none, the platform's only, or the users' too. */
type Overlays = 'none' | 'platform' | 'user'

type Row = readonly [
  label: string,
  domain: TypeEntry['domain'],
  overlays: Overlays,
  create: RuntimeCreate,
  loadOrder: number,
  executionPinned: boolean,
  description: string,
]

// Lower load orders come first: what others refer to stands before what refers to it.
const rows: Readonly<Record<MetadataType, Row>> = {
  object: ['Object', 'data', 'platform', 'anyone', 10, false, 'A kind of record: its fields, indexes and behaviour.'],
  field: [
    'Field',
    'data',
    'platform',
    'anyone',
    20,
    false,
    'One field of an object; stored in the object it belongs to.',
  ],
  trigger: ['Trigger', 'automation', 'platform', 'anyone', 60, false, 'Actions run after records of an object change.'],
  validation: [
    'Validation rule',
    'data',
    'platform',
    'anyone',
    40,
    false,
    'A rule records must obey when they are stored.',
  ],
  hook: ['Hook', 'automation', 'platform', 'anyone', 60, false, 'A script run before or after a record is stored.'],
  view: ['View', 'ui', 'user', 'anyone', 110, false, 'A list or a form over the records of an object.'],
  page: ['Page', 'ui', 'user', 'anyone', 120, false, 'A screen put together from components.'],
  dashboard: ['Dashboard', 'ui', 'user', 'anyone', 120, false, 'Metrics, charts and lists on one screen.'],
  app: ['App', 'ui', 'user', 'anyone', 140, false, 'Navigation over objects, views, pages and dashboards.'],
  action: ['Action', 'ui', 'platform', 'anyone', 100, false, 'Something a person may start from a list or a record.'],
  report: ['Report', 'ui', 'user', 'anyone', 130, false, 'A stored question over the records of an object.'],
  flow: [
    'Flow',
    'automation',
    'platform',
    'anyone',
    80,
    true,
    'A graph of steps run by hand, by events or on a schedule.',
  ],
  job: ['Job', 'automation', 'platform', 'anyone', 90, true, 'A function or a flow run on a schedule.'],
  datasource: ['Data source', 'system', 'none', 'packages', 5, false, 'A store of records.'],
  external_catalog: ['External catalog', 'system', 'none', 'packages', 6, false, 'The objects another system offers.'],
  translation: ['Translation', 'system', 'platform', 'anyone', 150, false, 'Labels and texts in one language.'],
  router: ['Router', 'system', 'none', 'never', 7, false, 'A group of routes the platform serves.'],
  function: ['Function', 'automation', 'platform', 'anyone', 50, true, 'A sandboxed script that others call by name.'],
  service: ['Service', 'system', 'none', 'never', 7, false, 'A service the platform offers.'],
  email_template: [
    'E-mail template',
    'automation',
    'platform',
    'anyone',
    70,
    false,
    'Subject and body of a mail with places to fill.',
  ],
  permission: [
    'Permission set',
    'security',
    'platform',
    'anyone',
    30,
    false,
    'Rights that are given to users directly or by role.',
  ],
  profile: ['Profile', 'security', 'platform', 'anyone', 32, false, 'The basic rights of a user.'],
  role: ['Role', 'security', 'platform', 'anyone', 34, false, 'A place in the hierarchy with permission sets.'],
  agent: ['Agent', 'ai', 'platform', 'anyone', 170, false, 'Instructions and tools of an assistant.'],
  tool: ['Tool', 'ai', 'platform', 'anyone', 160, false, 'Something an assistant may call.'],
  skill: ['Skill', 'ai', 'platform', 'anyone', 165, false, 'Instructions an assistant takes up when they fit.'],
}

/** All entries, in the order of the specification. */
export const typeEntries: readonly TypeEntry[] = Object.freeze(
  metadataTypes.map((type) => {
    const [label, domain, overlays, create, loadOrder, executionPinned, description] = rows[type]
    return Object.freeze({
      type,
      label,
      description,
      domain,
      supportsOverlay: overlays !== 'none',
      allowUserOverlay: overlays === 'user',
      allowRuntimeCreate: create === 'anyone',
      supportsVersioning: true,
      executionPinned,
      loadOrder,
      schema: create === 'anyone',
      filePatterns: [`metadata/${type}/*.json`, `metadata/${type}/*.yaml`],
    })
  }),
)

/** The entry of a type. */
export function typeEntry(type: MetadataType): TypeEntry {
  return typeEntries[metadataTypes.indexOf(type)]!
}

/** Who may make items of the type while the host runs. */
export function runtimeCreate(type: MetadataType): RuntimeCreate {
  return rows[type][3]
}

const byName = new Map<string, MetadataType>()
for (const type of metadataTypes) {
  const plural = `${type}s`
  for (const name of [type, plural]) {
    byName.set(name, type)
    byName.set(camelCase(name), type)
  }
}

/** The type a segment names: singular or plural, snake_case or camelCase; undefined when there is none (D-102). */
export function findMetadataType(segment: string): MetadataType | undefined {
  return byName.get(segment)
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase())
}
