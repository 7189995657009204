// Owns how words reach the screen: one key per sentence, parameters in braces, plurals by Intl. The words themselves are
// in strings/, one file per area; a translation replaces the table and nothing else. Words of screens that few people
// open come with those screens (addStrings), so that the first page does not carry them.
import type { accessStrings } from './strings/access.ts'
import type { accountStrings } from './strings/account.ts'
import type { activityStrings } from './strings/activity.ts'
import type { apiStrings } from './strings/api-page.ts'
import { appStrings } from './strings/app.ts'
import type { assistantStrings } from './strings/assistant.ts'
import type { auditStrings } from './strings/audit.ts'
import type { automationStrings } from './strings/automation.ts'
import type { conflictStrings } from './strings/conflicts.ts'
import type { dashboardStrings } from './strings/dashboards.ts'
import { designerStrings } from './strings/designer.ts'
import type { filePlaceStrings } from './strings/file-places.ts'
import type { fileStrings } from './strings/files.ts'
import { fieldTypeStrings } from './strings/field-types.ts'
import type { flowDesignStrings } from './strings/flow-design.ts'
import type { homePartStrings } from './strings/home-parts.ts'
import { gridStrings } from './strings/grid.ts'
import { homeStrings } from './strings/home.ts'
import { importStrings } from './strings/import.ts'
import type { liveTextStrings } from './strings/live-text.ts'
import type { notificationStrings } from './strings/notifications.ts'
import { objectStrings } from './strings/objects.ts'
import type { organizationStrings } from './strings/organizations.ts'
import { problemStrings } from './strings/problems.ts'
import type { packageStrings } from './strings/packages.ts'
import type { recordHistoryStrings } from './strings/record-history.ts'
import type { recordLinkStrings } from './strings/record-links.ts'
import type { recordPageStrings } from './strings/record-page.ts'
import type { designerPartStrings } from './strings/designer-parts.ts'
import { recordStrings } from './strings/records.ts'
import type { sharingStrings } from './strings/sharing.ts'
import type { signInStrings } from './strings/sign-in.ts'
import type { syncAsideStrings } from './strings/sync-aside.ts'
import type { syncDeviceStrings } from './strings/sync-devices.ts'
import type { syncStrings } from './strings/sync.ts'
import type { receiverStrings } from './strings/receivers.ts'
import type { viewKindStrings } from './strings/views.ts'
import { viewStrings } from './strings/views.ts'
import type { webhookStrings } from './strings/webhooks.ts'
import type { backupStrings } from './strings/backup.ts'
import type { searchStrings } from './strings/search.ts'
import type { settingStrings } from './strings/settings.ts'
import type { trashStrings } from './strings/trash.ts'
import type { workflowStrings } from './strings/workflow.ts'

const table = {
  ...appStrings,
  ...designerStrings,
  ...fieldTypeStrings,
  ...gridStrings,
  ...homeStrings,
  ...importStrings,
  ...objectStrings,
  ...problemStrings,
  ...recordStrings,
  ...viewStrings,
} as const

type LateTable = typeof accessStrings &
  typeof apiStrings &
  typeof assistantStrings &
  typeof accountStrings &
  typeof activityStrings &
  typeof auditStrings &
  typeof automationStrings &
  typeof conflictStrings &
  typeof dashboardStrings &
  typeof filePlaceStrings &
  typeof fileStrings &
  typeof flowDesignStrings &
  typeof homePartStrings &
  typeof liveTextStrings &
  typeof notificationStrings &
  typeof organizationStrings &
  typeof packageStrings &
  typeof recordPageStrings &
  typeof recordHistoryStrings &
  typeof recordLinkStrings &
  typeof designerPartStrings &
  typeof sharingStrings &
  typeof signInStrings &
  typeof syncAsideStrings &
  typeof syncDeviceStrings &
  typeof syncStrings &
  typeof receiverStrings &
  typeof viewKindStrings &
  typeof webhookStrings &
  typeof backupStrings &
  typeof searchStrings &
  typeof settingStrings &
  typeof trashStrings &
  typeof workflowStrings

/** Key of a text. */
export type StringKey = keyof typeof table | keyof LateTable

const texts = new Map<string, string>(Object.entries(table))

/** Adds the words of a screen that is loaded when it is first shown. */
export function addStrings(words: Readonly<Record<string, string>>): void {
  for (const [key, text] of Object.entries(words)) texts.set(key, text)
}

/** Keys that exist as `<key>.one` and `<key>.other`. */
export type PluralKey = {
  [K in StringKey]: K extends `${infer Base}.one` ? (`${Base}.other` extends StringKey ? Base : never) : never
}[StringKey]

/** Values for the braces of a text; numbers are written as the locale writes them. */
export type StringParameters = Readonly<Record<string, string | number>>

/** The language of the screens and of numbers and dates on them. */
export const locale = 'en'

const plurals = new Intl.PluralRules(locale)
const numbers = new Intl.NumberFormat(locale)

/** The text of a key with its parameters filled in. */
export function t(key: StringKey, parameters: StringParameters = {}): string {
  return fill(texts.get(key) ?? key, parameters)
}

/** The text of a key for a count, which is also the parameter `count`. */
export function tn(key: PluralKey, count: number, parameters: StringParameters = {}): string {
  const form = plurals.select(count) === 'one' ? 'one' : 'other'
  const text = texts.get(`${key}.${form}`) ?? key
  return fill(text, { ...parameters, count })
}

function fill(text: string, parameters: StringParameters): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = parameters[name]
    if (value === undefined) return whole
    return typeof value === 'number' ? numbers.format(value) : value
  })
}
