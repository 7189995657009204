// Approvals and histories of states between machines: a document for each record that has any. What was done is gathered in
// its transaction and written at the end of the job. Knows entries and the door of workflows, nothing of peers.
import type { PlatformEvent } from '#shared/events.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { EventListener, PluginHost } from '#main/kernel/plugin.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { WorkflowPlace, WorkflowService } from '#main/plugins/workflow/api.ts'
import type { DocName } from '#main/replication/core/doc-names.ts'
import { markAt } from '#main/replication/core/register.ts'
import type { DocKindHandler, DocWriter } from '../engine/docs.ts'
import { contextHere } from '../engine/owner-identity.ts'
import type { OwnerIdentity } from '../engine/owner-identity.ts'
import { PURGED_KEY } from '../write/record-edits.ts'
import { missingEntries, workflowOf } from './entries.ts'

/** What it works with. */
export interface WorkflowSyncParts {
  readonly docs: DocWriter
  /** Undefined on a host without workflows, and before that plugin is there. */
  readonly workflow: () => WorkflowService | undefined
  readonly metadata: Pick<MetadataService, 'objectSchema' | 'objectSchemas'>
  readonly identity: OwnerIdentity
}

/** The events in whose transaction something of it changes. */
const events = ['decision.noted', 'workflow.transitioned'] as const
const placesPerSlice = 100

interface Touched {
  readonly tx: Tx
  readonly ctx: RequestContext
  readonly place: WorkflowPlace
}

/** Approvals and histories as a kind of documents. */
export interface WorkflowSync {
  readonly handler: DocKindHandler
  listen(host: Pick<PluginHost, 'on'>): void
}

/** Makes the kind `workflow`. */
export function createWorkflowSync({ docs, workflow, metadata, identity }: WorkflowSyncParts): WorkflowSync {
  const nameOf = ({ object, recordId }: WorkflowPlace): DocName => ({ kind: 'workflow', object, record: recordId })

  const flush = (touched: readonly Touched[]): void => {
    const keyOf = ({ ctx: { actor }, place }: Touched): string => [place.object, place.recordId, actor.id].join(' ')
    for (const group of Map.groupBy(touched, keyOf).values()) {
      const { tx, ctx, place } = group[0]!
      const said = workflow()?.travelling(tx, place)
      if (said === undefined) continue
      docs.edit(tx, ctx, nameOf(place), (at) => at.set(missingEntries(identity.value(said), at.register())))
    }
  }

  const capture: EventListener = ({ object, recordId }: PlatformEvent, tx, ctx) => {
    if (!docs.isRecording(ctx) || object === undefined || recordId === undefined) return
    const schema = metadata.objectSchema(object)
    if (schema?.enable.sync === true) tx.gather(flush, { tx, ctx, place: { object: schema.uid, recordId } })
  }

  const isPurged = (tx: Tx, { object, recordId }: WorkflowPlace): boolean =>
    markAt(docs.read(tx, { kind: 'record', object, record: recordId })?.register, PURGED_KEY) !== null

  const travels = ({ object }: WorkflowPlace): boolean =>
    metadata.objectSchemas().some(({ uid, enable }) => uid === object && enable.sync)

  return {
    handler: {
      kind: 'workflow',
      project(tx, ctx, { name, document }) {
        if (name.kind !== 'workflow') return 'done'
        const place = { object: name.object, recordId: name.record }
        const service = workflow()
        // Asked again whenever metadata changes; a host without workflows keeps what it cannot show.
        if (service === undefined) return 'later'
        if (isPurged(tx, place)) return 'done'
        return service.applyRemote(tx, contextHere(ctx, identity), place, identity.value(workflowOf(document.register)))
      },
      backfill(tx, after, write) {
        const service = workflow()
        const [object = '', recordId = ''] = after?.split(' ') ?? []
        const places = service?.travellingPlaces(tx, after === null ? null : { object, recordId }, placesPerSlice) ?? []
        for (const place of places.filter(travels)) {
          const said = identity.value(service!.travelling(tx, place))
          write(nameOf(place), 'system', (at) => at.set(missingEntries(said, at.register())), { mend: true })
        }
        const last = places.at(-1)
        const next = places.length < placesPerSlice || last === undefined ? null : `${last.object} ${last.recordId}`
        return { next, done: places.length }
      },
    },
    listen(host) {
      for (const type of events) host.on(type, capture)
    },
  }
}
