// What the parts of a schema change share: versions of an object as the metadata service hands them, and the world
// values are converted in.
import { userDirectory } from '#shared/user-directory.ts'
import type { RecordOrganization } from '#shared/filter/query-env.ts'
import type { ObjectDefinition } from '#shared/object-definition.ts'
import { compileObject } from '#shared/object-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { HeavyReads, LongDdl, Reads, Write } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { ConversionEnv } from '#main/database/schema/convert-value.ts'
import { diffObject } from '#main/database/schema/diff-object.ts'
import type { SchemaPlan } from '#main/database/schema/schema-plan.ts'
import { quoteLiteral } from '#main/database/schema/sql-text.ts'
import type { MetadataService, TypeHook } from '#main/plugins/metadata/api.ts'
import type { SearchService } from '#main/plugins/search/api.ts'
import type { SettingsService } from '#main/plugins/settings/api.ts'
import { liveExists, quote } from '../../store.ts'
import { sanitizeHtml } from '../sanitize-html.ts'
import { withRenamedTargets } from './renamed-targets.ts'

/** What schema changes work with. */
export interface SchemaChangeParts {
  readonly metadata: MetadataService
  readonly settings: SettingsService
  readonly search: () => SearchService | undefined
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Logger
  readonly read: Reads
  readonly write: Write
  readonly heavy: HeavyReads
  readonly longDdl: LongDdl
  /** Undefined while there are no organizations. */
  readonly recordOrganization: () => RecordOrganization | undefined
  /** Rows from which values are converted in slices, and tables altered by a process of their own. */
  readonly limits?: { readonly slicedFrom: number; readonly asideFrom: number }
}

/** An item as hooks get it; null for none. */
export type Candidate = Parameters<TypeHook['plan']>[1]

/** A table is converted at once below the first number of rows, and altered at once below the second. */
export const usualLimits = { slicedFrom: 5_000, asideFrom: 30_000 } as const

type Definition = Pick<NonNullable<Candidate>, 'name' | 'uid' | 'item'>

/** Compiles an item; the metadata service checked the definition before it asked. */
export function compile(item: Definition | null): ObjectSchema | null {
  if (item === null) return null
  return compileObject({ ...item.item, name: item.name, uid: item.uid } as ObjectDefinition)
}

/** The differences between two versions of an object, not counted yet. */
export function planOf(previous: Definition | null, next: Candidate): SchemaPlan {
  const renamed = next?.renamedObjects
  const isClaim = next?.isPlaced === true
  if (previous === null || renamed === undefined || renamed.size === 0)
    return { ...diffObject(compile(previous), compile(next)), isClaim }
  const fields = withRenamedTargets((previous.item['fields'] ?? {}) as Record<string, unknown>, renamed)
  return { ...diffObject(compile({ ...previous, item: { ...previous.item, fields } }), compile(next)), isClaim }
}

/** The world values are converted in, as one transaction or snapshot sees it. */
export function conversionEnv(
  parts: Pick<SchemaChangeParts, 'metadata' | 'settings' | 'recordOrganization'>,
  plan: SchemaPlan,
  reads: Pick<Reads, 'all' | 'get'>,
): ConversionEnv {
  const own = new Map([plan.before, plan.after].flatMap((schema) => (schema === null ? [] : [[schema.name, schema]])))
  const organizationOf = parts.recordOrganization()
  return {
    timeZone: parts.settings.get('timezone'),
    defaultCurrency: parts.settings.get('currency'),
    sanitizeHtml,
    ...(organizationOf === undefined || plan.before === null
      ? {}
      : { organization: organizationOf(plan.before.uid, `${quote(plan.before.table)}."id"`, quoteLiteral) }),
    exists(object, id) {
      if (object === 'user') return liveExists(reads, userDirectory.table, id)
      // Its own table has the old name until names change hands.
      const schema = own.has(object) ? plan.before : parts.metadata.objectSchema(object)
      return schema !== null && schema !== undefined && !schema.abstract && liveExists(reads, schema.table, id)
    },
  }
}
