// What every resolver of one run works with. Types only.
import type { RequestContext } from '#main/kernel/context.ts'
import type { RelatedRecords } from './related-records.ts'

/** The context of one run of a document. */
export interface RunContext {
  readonly ctx: RequestContext
  readonly related: RelatedRecords
}
