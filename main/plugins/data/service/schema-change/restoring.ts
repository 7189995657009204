// Lists what schema changes put aside and brings it back by saving a definition that wants it back (D-101): a deleted
// field at its place, a deleted object with its items, or a field as it was before a conversion.
import { notFound, PlatformError, platformError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { BackupsAside } from '../../api.ts'
import { allBackups, extendBackup, removeBackup } from './backup-store.ts'
import type { BackedUpField, BackedUpObject, SchemaBackup } from './backup-store.ts'
import type { SchemaChangeParts } from './change-parts.ts'
import type { Returning, ReturningField } from './returning.ts'
import { removeStrayColumns } from './stray-columns.ts'

/** What a restore did. */
export interface RestoredBackup {
  readonly backup: SchemaBackup
  /** The object's version afterwards. */
  readonly version: number
  /** Items of an object that could not come back. */
  readonly skipped: { type: string; name: string; error: string }[]
}

/** Schema backups of one host. */
export interface SchemaBackups {
  /** Backups of the object of this name, there or deleted, newest first. @throws resource_not_found */
  list(object: string): SchemaBackup[]
  /** @throws resource_not_found, conflict */
  restore(ctx: RequestContext, object: string, id: string): Promise<RestoredBackup>
}

/** Lets a save take back what a backup keeps. */
export type WithReturning = <T>(returning: Returning, save: () => Promise<T>) => Promise<T>

/** Lets a write of metadata take back what several backups keep, see {@link BackupsAside}. */
export function createBackupsAside(parts: SchemaChangeParts, withReturning: WithReturning): BackupsAside {
  const fieldsOfUid = (uid: string): ReadonlyMap<string, string> => {
    const schema = parts.metadata.objectSchemas().find((one) => one.uid === uid)
    return new Map(schema?.fields.map((field) => [field.uid, field.name]))
  }

  /** What of the backups can come back: whole objects that are gone, fields that are gone, conversions of fields there. */
  const returningOf = (ids: ReadonlySet<string>): Returning[] => {
    const byObject = new Map<string, { objectUid: string; table?: string; fields: Map<string, ReturningField> }>()
    // Of a field that changed several times, what was kept first is what comes back.
    for (const backup of allBackups(parts.read)) {
      const { id, objectUid, definition, kind, table, columns } = backup
      if (!ids.has(id) || objectUid === null || definition === null) continue
      const known = byObject.get(objectUid) ?? { objectUid, fields: new Map<string, ReturningField>() }
      byObject.set(objectUid, known)
      if (kind === 'object') {
        known.table = table
        continue
      }
      const { name, definition: field, next } = definition as BackedUpField
      const isThere = fieldsOfUid(objectUid).has(field.uid!)
      if (isThere !== (kind === 'conversion')) continue
      known.fields.set(name, { columns, ...(next === undefined ? {} : { made: next }) })
    }
    return [...byObject.values()]
  }

  return {
    ids: (reads) => new Map(allBackups(reads).map(({ id, object }) => [id, object])),
    keepUntil: (tx, ids, at) => ids.forEach((id) => extendBackup(tx, id, at)),
    async bringBack(ids, save) {
      const wanted = new Set(ids)
      const all = returningOf(wanted)
      const nested = all.reduce(
        (inner, returning) => () => withReturning(returning, inner),
        () =>
          save((tx) => {
            for (const id of wanted) removeBackup(tx, id)
          }),
      )
      const result = await nested()
      for (const { objectUid } of all) {
        const schema = parts.metadata.objectSchemas().find((one) => one.uid === objectUid)
        if (schema !== undefined) await removeStrayColumns(parts, schema)
      }
      return result
    },
  }
}

/** Makes the service. */
export function createSchemaBackups(parts: SchemaChangeParts, withReturning: WithReturning): SchemaBackups {
  const { metadata, read } = parts

  const list = (object: string): SchemaBackup[] => {
    const item = metadata.get('object', object)
    const found = allBackups(read).filter((backup) =>
      // A new object of the name has nothing to do with a deleted one but the name.
      backup.kind === 'object' || item === undefined
        ? backup.object === object
        : backup.objectUid === item.uid || (backup.objectUid === null && backup.object === object),
    )
    if (item === undefined && found.length === 0) throw notFound('object', object)
    return found
  }

  const saveObject = async (
    ctx: RequestContext,
    name: string,
    item: Record<string, unknown>,
    returning: Returning,
  ): Promise<number> => {
    const returningUids = { object: returning.objectUid, fields: uidsOf(item) }
    const back = { authorized: true, returning: true, returningUids } as const
    const input = { type: 'object' as const, name, item, confirm: 'true', ...back }
    return (await withReturning(returning, () => metadata.save(ctx, input))).version
  }

  /** The present definition with the field back under its name. */
  const restoreField = async (ctx: RequestContext, backup: SchemaBackup): Promise<number> => {
    const schema = metadata.objectSchemas().find((candidate) => candidate.uid === backup.objectUid)
    const item = schema === undefined ? undefined : metadata.get('object', schema.name)
    if (schema === undefined || item === undefined) throw platformError('conflict', { reason: 'object_deleted' })
    const { name: oldName, definition, position, next: made } = backup.definition as BackedUpField
    const fields = Object.entries((item.item['fields'] ?? {}) as Record<string, Record<string, unknown>>)
    // A converted field may have another name by now, but never another uid.
    const present = fields.findIndex(([, field]) => field['uid'] === definition.uid)
    const isConversion = backup.kind === 'conversion'
    const name = isConversion && present >= 0 ? fields[present]![0] : oldName
    if (isConversion ? present < 0 : fields.some(([other]) => other === oldName)) {
      throw platformError('conflict', { reason: isConversion ? 'field_deleted' : 'field_exists', field: name })
    }
    const { renamedFrom: _renamed, ...back } = definition
    const rest = fields.filter((_, i) => i !== present || !isConversion)
    rest.splice(Math.min(isConversion ? present : position, rest.length), 0, [name, back as Record<string, unknown>])
    const field = { columns: backup.columns, ...(made === undefined ? {} : { made }) }
    const returning = { objectUid: schema.uid, fields: new Map([[name, field]]) }
    const body = { ...item.item, fields: Object.fromEntries(rest) }
    const version = await saveObject(ctx, schema.name, body, returning)
    await parts.write('data.backup-restored', (tx) => removeBackup(tx, backup.id))
    const now = metadata.objectSchema(schema.name)
    if (now !== undefined) await removeStrayColumns(parts, now)
    return version
  }

  const restoreObject = async (ctx: RequestContext, backup: SchemaBackup): Promise<RestoredBackup> => {
    if (metadata.get('object', backup.object) !== undefined)
      throw platformError('conflict', { reason: 'object_exists' })
    const { item, children } = backup.definition as BackedUpObject
    const { renamedFrom: _renamed, ...body } = item
    const returning = { objectUid: backup.objectUid!, table: backup.table }
    const version = await saveObject(ctx, backup.object, body, returning)
    const skipped: RestoredBackup['skipped'] = []
    for (const { uid, ...child } of children) {
      // Other machines know the part by its uid.
      const returningUids = uid === undefined ? undefined : { object: uid, fields: {} }
      try {
        const back = { authorized: true, returning: true, ...(returningUids && { returningUids }) } as const
        await metadata.save(ctx, { ...child, ...back })
      } catch (error) {
        if (!(error instanceof PlatformError)) throw error
        skipped.push({ type: child.type, name: child.name, error: error.code })
      }
    }
    return { backup, version, skipped }
  }

  return {
    list,
    async restore(ctx, object, id) {
      const backup = list(object).find((candidate) => candidate.id === id)
      if (backup === undefined) throw notFound('backup', id, object)
      if (backup.definition === null) throw platformError('not_implemented', { reason: 'made_by_a_former_version' })
      if (backup.kind === 'object') return restoreObject(ctx, backup)
      return { backup, version: await restoreField(ctx, backup), skipped: [] }
    },
  }
}

function uidsOf(item: Readonly<Record<string, unknown>>): Record<string, string> {
  const fields = Object.entries((item['fields'] ?? {}) as Record<string, Record<string, unknown>>)
  return Object.fromEntries(fields.flatMap(([name, { uid }]) => (typeof uid === 'string' ? [[name, uid]] : [])))
}
