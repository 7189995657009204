// Empties the documents of a record that is removed for good: its values, its long texts, its feed, its approvals. What is left is that it
// was removed. Knows documents, no rows.
import type { Tx } from '#main/kernel/database.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { DocName } from '#main/replication/core/doc-names.ts'
import { formatDocName, parseDocName } from '#main/replication/core/doc-names.ts'
import type { EditPlace } from '#main/replication/core/sync-document.ts'
import type { DocWriter } from '../engine/docs.ts'
import { hasDoc, readNames } from '../store/doc-store.ts'
import { PURGED_KEY } from './record-edits.ts'
import type { NamedEdit } from './record-edits.ts'

/** Segments of a feed and texts of a record are few. */
const mostDocs = 10_000

/** Begins to empty the documents of records that are removed here. `docs()` answers undefined while sync is off. */
export function capturePurges(
  host: Pick<PluginHost, 'on'>,
  metadata: Pick<MetadataService, 'objectSchema'>,
  docs: () => DocWriter | undefined,
): void {
  host.on('record.purged', ({ object, recordId }, tx, ctx) => {
    const writer = docs()
    const schema = metadata.objectSchema(object ?? '')
    if (writer === undefined || !writer.isRecording(ctx) || schema?.enable.sync !== true || recordId === undefined)
      return
    for (const { name, edit } of emptyingEdits(tx, schema.uid, recordId)) writer.edit(tx, ctx, name, edit)
  })
}

/**
 * What empties the documents a record has. What others wrote without knowing of the removal stays until they know of it,
 * and is listed as a conflict.
 */
export function emptyingEdits(tx: Tx, object: string, record: string): NamedEdit[] {
  const name: DocName = { kind: 'record', object, record }
  if (!hasDoc(tx, formatDocName(name))) return []
  const edits: NamedEdit[] = [{ name, edit: emptyRecord }]
  const workflow: DocName = { kind: 'workflow', object, record }
  if (hasDoc(tx, formatDocName(workflow))) edits.push({ name: workflow, edit: emptyRegister })
  for (const letter of ['t', 'f']) {
    for (const found of readNames(tx, `${letter}/${object}/${record}/`, '', mostDocs)) {
      const parsed = parseDocName(found.name)
      if (parsed?.kind === 'text') edits.push({ name: parsed, edit: ({ text }) => void text.change('') })
      if (parsed?.kind === 'feed') edits.push({ name: parsed, edit: emptyRegister })
    }
  }
  return edits
}

/** The mark stays, and with it what its writer had seen. */
function emptyRecord(place: EditPlace): void {
  place.remove([...place.register().keys()].filter((key) => key !== PURGED_KEY))
}

function emptyRegister(place: EditPlace): void {
  place.remove(place.register().keys())
}
