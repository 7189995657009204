// The domains of metadata as concepts (D-108): what a person sees before the 26 types. Pure.
import { typeEntries } from '../types/type-entries.ts'
import type { TypeEntry } from '../types/type-entries.ts'

/** A domain in words, with the types that belong to it. */
export interface Concept {
  readonly name: TypeEntry['domain']
  readonly label: string
  /** Name of a Tabler icon. */
  readonly icon: string
  readonly description: string
  readonly types: TypeEntry['type'][]
}

const words: readonly (readonly [name: TypeEntry['domain'], label: string, icon: string, description: string])[] = [
  ['data', 'Data', 'database', 'What is stored: kinds of records, their fields and the rules records obey.'],
  ['ui', 'User interface', 'layout-dashboard', 'What people see: views, pages, dashboards, apps, actions and reports.'],
  ['automation', 'Automation', 'bolt', 'What happens by itself: triggers, hooks, flows, jobs and functions.'],
  ['system', 'System', 'settings', 'What connects the platform: data sources, catalogs, services and translations.'],
  ['security', 'Security', 'shield-lock', 'Who may do what: permission sets, profiles and roles.'],
  ['ai', 'Artificial intelligence', 'robot', 'Assistants, the tools they may call and the skills they have.'],
]

/** One concept per domain, in a fixed order. */
export const concepts: readonly Concept[] = words.map(([name, label, icon, description]) => ({
  name,
  label,
  icon,
  description,
  types: typeEntries.filter((entry) => entry.domain === name).map((entry) => entry.type),
}))
