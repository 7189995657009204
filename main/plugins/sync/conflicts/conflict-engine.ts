// The engine of sync as conflicts and problems use it. Loaded only where sync is on. Knows no rights and no HTTP.
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import { DELETED_KEY } from '#main/replication/core/register-keys.ts'
import { readRegister } from '#main/replication/core/register.ts'
import type { Register } from '#main/replication/core/register.ts'
import type { SyncEngine } from '../engine/create-engine.ts'
import type { Devices } from '../engine/replica.ts'
import { textHashes } from '../store/doc-store.ts'
import { readEnvelope, readIncarnation } from '../store/log-store.ts'
import { removeProblem } from '../store/problem-store.ts'
import { emptyingEdits } from '../write/purge-capture.ts'
import { markEdit, PURGED_KEY } from '../write/record-edits.ts'
import type { Deletion } from '../write/record-edits.ts'
import { createConflictDocuments } from './conflict-documents.ts'
import type { ConflictDocuments, ConflictEngine, ConflictItems } from './conflict-parts.ts'
import { noteProblemClosed } from './problem-news.ts'

/** What the engine is reached through. */
export interface ConflictEngineParts {
  readonly host: Pick<PluginHost, 'read' | 'write'>
  readonly metadata: Pick<MetadataService, 'objectSchemas'>
  readonly engine: Pick<SyncEngine, 'docs' | 'retry' | 'recount'>
  readonly devices: Pick<Devices, 'nameOf'>
  /** Id of this machine. */
  readonly device: string
  /** The name of a machine, as the roster has it. */
  deviceName(device: string): string | undefined
  /** The id a person has here, whom documents name. */
  localId?(id: string): string
  readonly items?: ConflictItems
}

function markIn(register: Register, key: string): Deletion | null {
  const mark = register.get(key)?.winner[1]
  if (typeof mark !== 'object' || mark === null || Array.isArray(mark)) return null
  const { at, by } = mark as unknown as Deletion
  return { at, by }
}

/** Makes what conflicts work with while sync is on. */
export function createConflictEngine(parts: ConflictEngineParts): ConflictEngine {
  const { host, engine } = parts

  /** The same mark once more: what was edited up to now was seen by whoever keeps the record deleted. */
  const keepDeleted: ConflictDocuments['keepDeleted'] = (tx, ctx, { object, recordId }) => {
    const schema = parts.metadata.objectSchemas().find(({ uid }) => uid === object)
    if (schema === undefined) return
    const name = { kind: 'record', object, record: recordId } as const
    const isPurged = engine.docs.read(tx, name, (doc) => markIn(readRegister(doc), PURGED_KEY) !== null) ?? false
    const key = isPurged ? PURGED_KEY : DELETED_KEY
    engine.docs.edit(tx, ctx, name, (place) => {
      const mark = markIn(readRegister(place.doc), key)
      const texts = (): Record<string, string> => textHashes(tx, object, recordId)
      if (mark !== null) markEdit(schema, recordId, key, isPurged ? mark : { ...mark, texts }).edit(place)
    })
    if (!isPurged) return
    for (const { name: emptied, edit } of emptyingEdits(tx, object, recordId)) engine.docs.edit(tx, ctx, emptied, edit)
  }

  return {
    documents: createConflictDocuments(engine.docs, keepDeleted),
    problems: {
      async retry(inc, seq) {
        await engine.retry(inc, seq)
      },
      discard: async (inc, seq) =>
        host.write('sync.discard', (tx) => {
          removeProblem(tx, inc, seq)
          noteProblemClosed(tx)
          tx.afterCommit(engine.recount)
        }),
      body: (inc, seq) => readEnvelope(host.read, inc, seq)?.body ?? null,
    },
    items: parts.items,
    device: parts.device,
    deviceName: parts.deviceName,
    localId: (id) => parts.localId?.(id) ?? id,
    deviceOf: (inc) => readIncarnation(host.read, inc)?.device,
    userName: parts.devices.nameOf,
  }
}
