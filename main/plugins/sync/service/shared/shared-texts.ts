// The documents of texts that are edited live, as rooms ask for them: where they are, what is committed, and making one of
// the row where there is none. Knows no socket and no link.
import { hash } from 'node:crypto'
import { platformError } from '#shared/errors.ts'
import { normalizeText } from '#shared/field-types/code-points.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { internalContext } from '#main/kernel/context.ts'
import type { Reads, Tx, Write } from '#main/kernel/database.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import { DocError } from '#main/replication/core/doc-error.ts'
import { formatDocName } from '#main/replication/core/doc-names.ts'
import { openDocument } from '#main/replication/core/sync-document.ts'
import { numberBytes, publicKeyOf, signMessage, verifyMessage } from '#main/replication/wire/device-key.ts'
import type { Signer } from '#main/replication/wire/device-key.ts'
import type { DocWriter } from '../../engine/docs.ts'
import type { OpenableText } from '../text/access.ts'
import type { SharedTexts } from '../text/shared-text.ts'
import { isKeptAside } from '../../store/aside-store.ts'
import { hasDoc, readDoc } from '../../store/doc-store.ts'
import type { Letters } from '../../write/letters.ts'
import { newRecordEdits } from '../../write/record-edits.ts'
import { syncedFields } from '../../write/synced-fields.ts'
import type { PeerRooms } from './peer-rooms.ts'

/** What the texts are found with. */
export interface SharedTextParts {
  readonly read: Reads
  readonly write: Write
  readonly data: Pick<DataService, 'wholeRecords'>
  readonly metadata: Pick<MetadataService, 'objectSchema'>
  readonly docs: DocWriter
  readonly letters: Letters
  readonly rooms: PeerRooms
  readonly inc: number
  readonly workspace: { readonly id: Uint8Array; readonly epoch: number }
  readonly signer: Signer
  /** Whether sync is still on. */
  isOn(): boolean
}

/** Makes them for one opened engine. */
export function createSharedTexts(parts: SharedTextParts): SharedTexts {
  const { read, write, metadata, docs, letters, rooms, inc, workspace, signer, isOn } = parts
  const key = publicKeyOf(signer.signKey)

  const schemaOf = ({ place, fieldUid }: OpenableText): ObjectSchema | undefined => {
    const schema = metadata.objectSchema(place.object)
    if (schema === undefined || !schema.enable.sync || isKeptAside(read, schema.uid, place.recordId)) return undefined
    return syncedFields(schema).texts.some(({ uid }) => uid === fieldUid) ? schema : undefined
  }

  /** Whether a document says what the row does; one that waits for its projection is ahead of the row. */
  const isEven = (reads: Pick<Reads, 'get'>, doc: string, text: string): boolean => {
    const found = readDoc(reads, doc)
    if (found !== undefined && found.flags !== 0) return true
    const known = openDocument(doc, found?.state ?? null).text
    return normalizeText(known) === normalizeText(text)
  }

  /** Writes into the documents what the row has and they have not. */
  const mend = (tx: Tx, schema: ObjectSchema, text: OpenableText, doc: string): void => {
    const { recordId, field } = text.place
    // The greatest id that is not above this one is this one, when there is such a record.
    const [row] = parts.data.wholeRecords(tx, schema, { below: `${recordId}!`, limit: 1 })
    if (row === undefined || row.id !== recordId) return
    const value = row.record[field]
    const isKnown = hasDoc(tx, formatDocName({ kind: 'record', object: schema.uid, record: recordId }))
    if (isKnown && isEven(tx, doc, typeof value === 'string' ? value : '')) return
    const author = row.record['created_by']
    const ctx = {
      ...internalContext('sync.text'),
      actor: { type: 'user' as const, id: typeof author === 'string' ? author : 'system' },
    }
    const no = (): boolean => false
    const known = { isOpen: no, hasOther: no, hadText: no, hashes: () => ({}), isConverted: false }
    for (const { name, edit } of newRecordEdits(schema, row.record, row.deleted, known))
      if (!isKnown || formatDocName(name) === doc) docs.edit(tx, ctx, name, edit)
  }

  return {
    travels: (text) => isOn() && schemaOf(text) !== undefined,
    async open(text) {
      const schema = schemaOf(text)
      if (schema === undefined || !isOn()) return null
      const record = text.place.recordId
      const doc = formatDocName({ kind: 'text', object: schema.uid, record, field: text.fieldUid })
      await rooms.caughtUp()
      try {
        await write('sync.text', (tx) => mend(tx, schema, text, doc))
      } catch (error) {
        if (error instanceof DocError) throw platformError('service_unavailable', { reason: 'document_damaged' })
        throw error
      }
      // The same letters under the same ids, whatever incarnation writes them, until the workspace is built anew.
      const lineage = hash('sha256', `${Buffer.from(workspace.id).toString('hex')} ${workspace.epoch} ${doc}`, 'buffer')
      const epoch = Math.max(1, lineage.readUIntLE(0, 6))
      const said = (user: string, clientId: number): Uint8Array[] => [
        numberBytes(epoch),
        numberBytes(clientId),
        Buffer.from(user),
      ]
      return {
        inc,
        epoch,
        lease: (user, clientId) =>
          Buffer.from(signMessage(signer, 'lease', said(user, clientId))).toString('base64url'),
        isLease: (shown, user, clientId) =>
          verifyMessage(key, 'lease', said(user, clientId), Buffer.from(shown, 'base64url')),
        isOn,
        state: () => readDoc(read, doc)?.state ?? null,
        lend: (requestId, update) => letters.lend(doc, requestId, update),
        join: (room) => rooms.join(doc, room),
      }
    },
  }
}
