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
  /** Lower ones come first: what others refer to stands before what refers to it. */
  loadOrder: number,
  description: string,
  /** Default: overlays of the platform, made by anyone, and not pinned. */
  more?: { readonly overlays?: Overlays; readonly create?: RuntimeCreate; readonly executionPinned?: true },
]

const ofUsers = { overlays: 'user' } as const
const ofPackages = { overlays: 'none', create: 'packages' } as const
const ofProgram = { overlays: 'none', create: 'never' } as const
const pinned = { executionPinned: true } as const

const rows: Readonly<Record<MetadataType, Row>> = {
  object: ['Object', 'data', 10, 'A kind of record: its fields, indexes and behaviour.'],
  field: ['Field', 'data', 20, 'One field of an object; stored in the object it belongs to.'],
  trigger: ['Trigger', 'automation', 60, 'Actions run after records of an object change.'],
  validation: ['Validation rule', 'data', 40, 'A rule records must obey when they are stored.'],
  hook: ['Hook', 'automation', 60, 'A script run before or after a record is stored.'],
  view: ['View', 'ui', 110, 'A list or a form over the records of an object.', ofUsers],
  page: ['Page', 'ui', 120, 'A screen put together from components.', ofUsers],
  dashboard: ['Dashboard', 'ui', 120, 'Metrics, charts and lists on one screen.', ofUsers],
  app: ['App', 'ui', 140, 'Navigation over objects, views, pages and dashboards.', ofUsers],
  action: ['Action', 'ui', 100, 'Something a person may start from a list or a record.'],
  report: ['Report', 'ui', 130, 'A stored question over the records of an object.', ofUsers],
  flow: ['Flow', 'automation', 80, 'A graph of steps run by hand, by events or on a schedule.', pinned],
  job: ['Job', 'automation', 90, 'A function or a flow run on a schedule.', pinned],
  datasource: ['Data source', 'system', 5, 'A store of records.', ofPackages],
  external_catalog: ['External catalog', 'system', 6, 'The objects another system offers.', ofPackages],
  translation: ['Translation', 'system', 150, 'Labels and texts in one language.'],
  router: ['Router', 'system', 7, 'A group of routes the platform serves.', ofProgram],
  function: ['Function', 'automation', 50, 'A sandboxed script that others call by name.', pinned],
  service: ['Service', 'system', 7, 'A service the platform offers.', ofProgram],
  email_template: ['E-mail template', 'automation', 70, 'Subject and body of a mail with places to fill.'],
  permission: ['Permission set', 'security', 30, 'Rights that are given to users directly or by role.'],
  profile: ['Profile', 'security', 32, 'The basic rights of a user.'],
  role: ['Role', 'security', 34, 'A place in the hierarchy with permission sets.'],
  agent: ['Agent', 'ai', 170, 'Instructions and tools of an assistant.'],
  tool: ['Tool', 'ai', 160, 'Something an assistant may call.'],
  skill: ['Skill', 'ai', 165, 'Instructions an assistant takes up when they fit.'],
}

/** All entries, in the order of the specification. */
export const typeEntries: readonly TypeEntry[] = Object.freeze(
  metadataTypes.map((type) => {
    const [label, domain, loadOrder, description, more = {}] = rows[type]
    const { overlays, create = 'anyone', executionPinned = false } = more
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
  return rows[type][4]?.create ?? 'anyone'
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
