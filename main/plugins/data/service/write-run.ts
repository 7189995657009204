// The records of one write and what is known of each: what is asked, what was found out before its job, what came of it.
import type { FieldError, PlatformError } from '#shared/errors.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RecordAction } from '#shared/route.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { BulkItem, ChangeAlong, WriteAction } from '../api.ts'
import type { Row } from './codec.ts'
import type { PreparedCreate, PreparedUpdate, PrepareEnv, Seals } from './prepare.ts'
import type { Written } from './writer.ts'

/** The records of one call. */
export interface WriteRun {
  readonly ctx: RequestContext
  readonly steps: readonly WriteStep[]
  /** A lone record is refused by throwing, as early as possible; one among others has a result that says so. */
  readonly isLone: boolean
  /** Where items name each other. */
  readonly links?: ItemLinks
  /** Whether a record that changes meanwhile is refused rather than looked at again. */
  isLastTry: boolean
  /** Records this job has written already; hooks cannot have seen them as they are now. */
  written: Set<string> | undefined
}

/** One record of a write; or why it was refused at the door, among others that were not. */
export type WriteStep = OpenStep | { readonly asked: BulkItem; readonly refusal: PlatformError }

/** A record on its way. */
export interface OpenStep {
  readonly action: WriteAction
  readonly schema: ObjectSchema
  readonly env: PrepareEnv
  readonly asked: BulkItem
  /** See {@link BulkInput}. */
  readonly problems?: readonly FieldError[] | undefined
  /** See {@link BulkInput}. */
  readonly clearsSearch?: boolean | undefined
  readonly along?: ChangeAlong | undefined
  /** What was found out before the job; begun anew with every try. */
  found: Found
}

/** What is known of a record before its job. */
export interface Found {
  /** What is written: with ids in place of references, and with what hooks set. */
  item: BulkItem
  failure?: PlatformError
  seals?: Seals
  /** The row the hooks were shown, null for none; undefined when no hook ran. */
  seen?: Row | null
  /** What the hooks set. */
  patch?: Readonly<Record<string, unknown>>
  /** What a lone record was prepared to. */
  created?: PreparedCreate
  /** The same with the row it met; when somebody changed that meanwhile, the job prepares the record again. */
  changed?: { readonly row: Row; readonly prepared: PreparedUpdate }
}

/** The right an action needs over its object and record; an upsert that makes a record needs `create` besides. */
export const rightOf: Readonly<Record<WriteAction, RecordAction>> = {
  create: 'create',
  update: 'edit',
  upsert: 'edit',
  delete: 'delete',
  purge: 'purge',
  restore: 'restore',
}

/** A step of which nothing is found out yet. */
export function stepOf(
  action: WriteAction,
  schema: ObjectSchema,
  env: PrepareEnv,
  asked: BulkItem,
  more?: Pick<OpenStep, 'problems' | 'clearsSearch' | 'along'>,
): OpenStep {
  return { action, schema, env, asked, ...more, found: nothing }
}

const nothing: Found = Object.freeze({ item: {} })

/** What writing one record came to. */
export interface ItemDone {
  readonly schema: ObjectSchema
  readonly operation: 'create' | 'update' | 'delete' | 'restore'
  written: Written
}

/** The references between the items of one write. */
export interface ItemLinks {
  /** Called when records are looked at before their job. */
  begin(): void
  /**
   * The item with ids in place of its references, and with its own where others may name it before it is written.
   * @param match the record an upsert means, as it is before the job
   * @throws validation_error for a reference that leads nowhere
   */
  resolve(index: number, step: OpenStep, match: (item: BulkItem) => Row | undefined): BulkItem
  /** @throws StaleItem when others were given an id that is not the record's; in the last try CONCURRENT_UPDATE */
  check(run: WriteRun, index: number, done: ItemDone): void
}

/** Says that a record changed after its hooks had seen it: the job is undone and everything done again. */
export class StaleItem extends Error {
  constructor() {
    super('A record changed while its hooks ran.')
  }
}
