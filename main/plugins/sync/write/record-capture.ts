// Hears what is written to records, inside the transaction, and gathers what it means for their documents. Registered
// only while sync is on.
import type { PlatformEvent } from '#shared/events.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import { readDeletion } from '#main/database/query/object-rows.ts'
import type { PlatformRecord } from '#main/plugins/data/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import { normalizeText } from '#shared/field-types/code-points.ts'
import { formatDocName } from '#main/replication/core/doc-names.ts'
import { DELETED_KEY } from '#main/replication/core/register-keys.ts'
import type { DocWriter } from '../engine/docs.ts'
import type { OwnerIdentity } from '../engine/owner-identity.ts'
import { endAside, isKeptAside } from '../store/aside-store.ts'
import { hasDoc, textHashes } from '../store/doc-store.ts'
import type { Letters } from './letters.ts'
import { purgeSeen } from './purge-capture.ts'
import { changedRecordEdits, markEdit, newRecordEdits, PURGED_KEY } from './record-edits.ts'
import type { Deletion } from './deletion-mark.ts'
import type { NamedEdit } from './record-edits.ts'
import { syncedFields } from './synced-fields.ts'

interface RecordPayload {
  readonly record: PlatformRecord
  readonly changes?: Readonly<Record<string, { old: unknown; new: unknown }>>
}

/**
 * Begins to record what is written. `docs()` answers undefined while sync is off.
 * @param options what texts that are edited live are made of, and who the owner of this machine is to the others
 */
export function captureRecords(
  host: Pick<PluginHost, 'on'>,
  metadata: Pick<MetadataService, 'objectSchema'>,
  docs: () => DocWriter | undefined,
  { letters, identity }: { readonly letters?: Letters; readonly identity?: OwnerIdentity } = {},
): void {
  const edits = (event: PlatformEvent, tx: Tx, schema: ObjectSchema): NamedEdit[] => {
    const id = event.recordId!
    const { record, changes = {} } = event.payload as RecordPayload
    if (event.type === 'record.created') return newRecordEdits(schema, record)
    const hashes = (): Record<string, string> => textHashes(tx, schema.uid, id)
    const isKnown = hasDoc(tx, formatDocName({ kind: 'record', object: schema.uid, record: id }))
    if (!isKnown && isKeptAside(tx, schema.uid, id)) {
      if (event.type === 'record.purged') endAside(tx, schema.uid, id)
      return []
    }
    switch (event.type) {
      case 'record.updated':
        return isKnown ? changedRecordEdits(schema, id, changes, hashes) : newRecordEdits(schema, record)
      case 'record.restored': {
        if (!isKnown) return newRecordEdits(schema, record)
        return [markEdit(schema, id, DELETED_KEY, null), ...changedRecordEdits(schema, id, changes, hashes)]
      }
      case 'record.deleted': {
        const found = deletionOf(tx, schema, event)
        const mark = identity === undefined ? found : { ...found, by: identity.id(found.by) }
        return isKnown ? [markEdit(schema, id, DELETED_KEY, mark)] : newRecordEdits(schema, record, mark)
      }
      default:
        return isKnown ? [markEdit(schema, id, PURGED_KEY, purgeOf(tx, schema, event))] : []
    }
  }

  const hear = (heard: PlatformEvent, tx: Tx, ctx: RequestContext): void => {
    const writer = docs()
    if (writer === undefined || !writer.isRecording(ctx)) return
    const event = identity?.value(heard) ?? heard
    const schema = metadata.objectSchema(event.object!)
    if (schema === undefined || !schema.enable.sync) return
    for (const one of edits(event, tx, schema)) {
      const { name, edit } = withLetters(letters, event, schema, one)
      writer.edit(tx, ctx, name, edit)
    }
  }
  for (const type of ['created', 'updated', 'deleted', 'restored', 'purged']) host.on(`record.${type}`, hear)
}

/**
 * The edit of a text that is stored with the letters it is made of: they are put in as they are, and only what still
 * differs from the row is changed, such as what a hook made of them.
 */
function withLetters(
  letters: Letters | undefined,
  event: PlatformEvent,
  schema: ObjectSchema,
  given: NamedEdit,
): NamedEdit {
  const { name, edit } = given
  if (letters === undefined || name.kind !== 'text') return given
  const update = letters.take(formatDocName(name), event.requestId)
  const field = syncedFields(schema).byUid.get(name.field)
  if (update === undefined || field === undefined) return given
  const value = (event.payload as RecordPayload).record[field.name]
  const text = normalizeText(typeof value === 'string' ? value : '')
  return {
    name,
    edit(place) {
      place.text.put(update)
      if (normalizeText(place.text.read()) !== text) edit(place)
      // Whoever wrote them had all of the text before them, as with any other write of it.
      else place.text.keep()
    },
  }
}

function purgeOf(
  tx: Tx,
  schema: ObjectSchema,
  { timestamp: at, actor: { id: by }, recordId }: PlatformEvent,
): Deletion {
  return { at, by, ...purgeSeen(tx, schema.uid, recordId!) }
}

/** The marks as the row has them; those of the event where the row is gone already. */
function deletionOf(tx: Tx, schema: ObjectSchema, event: PlatformEvent): Deletion {
  const mark = readDeletion(tx, schema, event.recordId!)
  const texts = (): Record<string, string> => textHashes(tx, schema.uid, event.recordId!)
  return { ...(mark ?? { at: event.timestamp, by: event.actor.id }), texts }
}
