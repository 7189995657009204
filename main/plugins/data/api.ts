// The one door for records: every reader and writer of object data calls this service. Types only.
import type { FieldError } from '#shared/errors.ts'
import type { ExpressionNode } from '#shared/expression/expression-node.ts'
import type { FieldSchema, FileReference } from '#shared/field-types/field-schema.ts'
import type { ParseEnv } from '#shared/field-types/field-type.ts'
import type { Filter } from '#shared/filter/filter.ts'
import type { ExpandNode } from '#shared/filter/select.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RecordAction } from '#shared/route.ts'
import type { StateMachine, Transition } from '#shared/rules/state-machine.ts'
import type { JsonPage } from '#main/database/query/build-find.ts'
import type { RowShape } from '#main/database/query/json-rows.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Steps, Tx } from '#main/kernel/database.ts'
import type { RawJson } from '#main/kernel/reply.ts'
import type { RecordHooks } from './service/hook-words.ts'
import type { LimitWords } from './service/limit-words.ts'

export type { HookEvent, HookItem, HookOutcome, RecordHooks } from './service/hook-words.ts'

/** A record as the API shows it: field names to JSON values. */
export type PlatformRecord = Record<string, unknown>

/** A list query in protocol words; every member is optional and still unparsed (D-72, D-74). */
export interface RecordQuery {
  filter?: unknown
  /** Field conditions given as loose query parameters (D-73). */
  conditions?: Readonly<Record<string, string | readonly string[]>>
  select?: unknown
  sort?: unknown
  top?: unknown
  skip?: unknown
  cursor?: unknown
  expand?: unknown
  search?: unknown
  searchFields?: unknown
  distinct?: unknown
  count?: unknown
  /** Values over groups of records; with these or `groupBy` the records of the answer are the groups (D-90). */
  aggregations?: unknown
  groupBy?: unknown
  having?: unknown
  deleted?: unknown
  /** Set by the analytics plugin, never by a request. */
  analytics?: AnalyticsOptions
  /** Set by plugins that read requests of another form, never by a request. */
  parsed?: ParsedParts
}

/** A list for another protocol. */
export interface ShapedRead {
  /** What its records are written from. */
  readonly query: Pick<RecordQuery, 'select' | 'expand'>
  readonly shape: RowShape
}

/** Parts of a list query that are trees already; with each other and with what the query says they all hold. */
export interface ParsedParts {
  readonly filter?: Filter
  /** Over the aliases of a grouped list. */
  readonly having?: Filter
  /** In place of `expand`. */
  readonly expand?: readonly ExpandNode[]
}

/** What analytic queries may do beyond grouped lists (D-116): groups by hour, minute and second are among it. */
export interface AnalyticsOptions {
  /** IANA zone that dates are read in, in place of the workspace's. */
  timeZone?: string
  /** Most groups one answer may have. */
  maxGroups: number
  /** Values worked out per record that the filter names like fields; each name begins with a capital letter. */
  computed?: readonly { readonly name: string; readonly expression: ExpressionNode }[]
  /** Conditions on records and on groups, parsed where the parts of the request they come from are known. */
  where?: Filter
  having?: Filter
}

/** How a query would run: its statement, and the steps the engine plans. */
export interface QueryExplanation {
  sql: string
  params: readonly unknown[]
  plan: string[]
}

/** One page of records. `total` only when it was asked for; `nextCursor` only when there is more. */
export interface RecordPage {
  object: string
  records: PlatformRecord[]
  total?: number
  nextCursor?: string
  hasMore: boolean
}

/** A finding of a validation rule that does not refuse the write (D-96). */
export interface RecordWarning {
  rule: string
  severity: 'warning' | 'info'
  message: string
  field?: string
}

/** A record with its address. */
export interface StoredRecord {
  object: string
  id: string
  record: PlatformRecord
  /** Present when rules had something to say. */
  warnings?: RecordWarning[]
}

/** One record of a bulk write. */
export interface BulkItem {
  id?: string
  data?: Record<string, unknown>
  expectedVersion?: ExpectedVersion
  externalId?: string | { field: string; value: string | number | boolean }
}

/** What is done with one record. `purge` removes it for good, also from the trash; `restore` brings it back from there. */
export type WriteAction = 'create' | 'update' | 'upsert' | 'delete' | 'purge' | 'restore'

/** One record on its way through the door of records; id and values may be `{"$ref": index}` of an earlier one (D-66). */
export interface WriteItem extends Omit<BulkItem, 'id'> {
  object: string
  action: WriteAction
  id?: string | { $ref: number }
}

/** What a bulk write does with each record. */
export type BulkOperation = Extract<WriteAction, 'create' | 'update' | 'upsert' | 'delete'>

/** Options of a bulk write (D-63). */
export interface BulkOptions {
  atomic: boolean
  returnRecords: boolean
  continueOnError: boolean
  validateOnly: boolean
}

/** Outcome for one record of a bulk write. */
export interface BulkResultItem {
  index: number
  /** In a batch across objects. */
  object?: string
  id?: string
  success: boolean
  /** A record that was restored was updated. */
  operation?: 'create' | 'update' | 'delete'
  record?: PlatformRecord
  errors?: BulkError[]
  warnings?: RecordWarning[]
  skipped?: boolean
  rolledBack?: boolean
}

/** An error object without a request id, as results carry it. */
export interface BulkError {
  code: string
  message: string
  httpStatus: number
  category: 'validation' | 'auth' | 'request' | 'rate_limit' | 'server'
  retryable: boolean
  details: Record<string, unknown>
}

/** Outcome of a bulk write. */
export interface BulkResult {
  success: boolean
  /** Absent for a batch across objects. */
  operation?: BulkOperation
  total: number
  succeeded: number
  failed: number
  results: BulkResultItem[]
  error?: BulkError & { requestId: string }
  meta?: Record<string, unknown>
}

/** Which version a write expects: text from the body, query or If-Match; `*` means mere existence (D-55). */
export type ExpectedVersion = string | undefined

/** Where a state machine leads the record of a change, judged by whoever asks for the change. */
export interface StateMove {
  /** Name of the rule. */
  readonly machine: string
  readonly to: string
}

/** What a plugin does together with a write of a record, in its transaction; `move` and `sets` of an update alone. */
export interface ChangeAlong {
  readonly move?: StateMove
  /** Values that are set whatever the caller may edit, read-only fields too. */
  readonly sets?: Readonly<Record<string, unknown>>
  /** Called before the record is written, with all of it; what it throws refuses the change. May be called again. */
  readonly before?: (tx: Tx, record: Readonly<PlatformRecord>) => void
  /** Called once the record is written, or found to be as it should; what it throws rolls the change back. */
  readonly after?: (tx: Tx, record: Readonly<PlatformRecord>, previous: Readonly<PlatformRecord>) => void
}

/** A change as the condition of a transition sees it. */
export interface TransitionChange {
  readonly record: Readonly<PlatformRecord>
  readonly previous: Readonly<PlatformRecord>
  readonly user: { readonly id: string; readonly name: string | null }
}

/** Records nobody may write at the moment; `workflow` sets it. */
export interface RecordLocks {
  /** What holds a record against this caller; undefined for nothing. Where nothing of the object is held, no statement. */
  heldBy(read: Pick<Reads, 'get'>, ctx: RequestContext, schema: ObjectSchema, id: string): string | undefined
}

/** The stored files that records may name; `storage` sets it. */
export interface RecordFiles {
  /** What is true of a file the caller may name; undefined for one that is not there, not complete or not its to see. */
  attachable(read: Pick<Reads, 'get' | 'all'>, ctx: RequestContext, fileId: string): Required<FileReference> | undefined
}

/** Called in the transaction of a write with what the call will answer; see {@link EffectKey.keep}. */
export type Answered<T> = ((tx: Tx, answer: T) => void) | undefined

/** A bulk write as the service takes it. */
export interface BulkInput {
  readonly object: string
  readonly operation: BulkOperation
  readonly records: BulkItem[]
  readonly options: BulkOptions
  readonly maxRecords?: number
  /** What the request calls the list, for problems with it. Default `records`. */
  readonly listName?: string
  /** Deletes remove records for good, also deleted ones. */
  readonly purge?: boolean
  /** With `purge`: the caller awaits {@link SearchService.clearStale} before it calls the records gone. */
  readonly clearsSearch?: boolean
  readonly newOptions?: ParseEnv['newOptions']
  /** What is wrong with records already, by index: they are refused, with everything else that is. */
  readonly problems?: ReadonlyMap<number, readonly FieldError[]>
  /**
   * Runs inside the transaction of every slice, once its records are written, with their results; what it throws rolls
   * the slice back. Never runs when nothing is to stay.
   */
  readonly alongside?: (tx: Tx, results: readonly BulkResultItem[]) => void
}

/** What creating all or nothing answers. */
export interface CreatedMany {
  readonly records: PlatformRecord[]
  readonly warnings: (RecordWarning & { index: number })[]
}

/** The records of a query one after the other. */
export interface RecordStream {
  /** The fields of each record, in order; null for groups and distinct rows, which have keys of their own. */
  readonly fields: readonly FieldSchema[] | null
  readonly slices: AsyncIterable<PlatformRecord[]>
}

/** How far a caller's rights reach over one record: not there for it, only seen, or open to the action. */
export type RecordReach = 'none' | 'seen' | 'open'

/** A validation rule that a record breaks although it is stored. */
export interface BrokenRule extends Omit<RecordWarning, 'severity'> {
  readonly severity: RecordWarning['severity'] | 'error'
}

/** A record as merging made it on this machine, for the door that peers' changes use. */
export interface RemoteChange {
  /** The object's name. */
  readonly object: string
  readonly id: string
  /** JSON values by field name, as the API shows them; only fields that changed, all of them for a new record. */
  readonly values: Readonly<Record<string, unknown>>
  /** Who made the record and when; used when the row does not exist yet. */
  readonly created?: { readonly at: string; readonly by: string }
  readonly owner?: string
  /** Undefined: as it is; null: live; else in the trash. */
  readonly deleted?: { readonly at: string; readonly by: string } | null
  /** Removed for good. */
  readonly purged?: boolean
  /** Values that were written for a former type of their field are converted as the change of the type does; else told. */
  readonly convert?: true
}

/** Why a change of another machine is not its author's to make. */
export interface RemoteRefusal {
  /** What the author may not do; `fields`, `master` and `closed` where it is no action on the record as a whole. */
  readonly code: RecordAction | 'fields' | 'master' | 'closed'
  /** In a sentence. */
  readonly message: string
  /** Names of the fields that are closed to the author; of `fields` alone. */
  readonly fields?: readonly string[]
}

/** What a change from another machine writes of a record, for the judgement of its author's rights. */
export interface RemoteIntent {
  /** The object's name. */
  readonly object: string
  readonly id: string
  /** Whether the change makes the record, as far as this machine knows. */
  readonly isNew: boolean
  /** JSON values by field name, of exactly the fields the change writes. */
  readonly values: Readonly<Record<string, unknown>>
  /** Fields of which something is written that another value overrules: what is stored does not tell that it was. */
  readonly overruled?: ReadonlySet<string>
  /** It needs the right to edit the record though no field of it is written. */
  readonly isEdit?: boolean
  /** The record gets an owner who is not its author. */
  readonly isTransferred?: boolean
  /** True: into the trash; false: out of it. */
  readonly deleted?: boolean
  readonly purged?: boolean
  /** What it belongs to was removed for good, so nothing tells whose it is: rights on the object and its fields count alone. */
  readonly isOrphan?: boolean
}

/** What became of a {@link RemoteChange}. */
export interface RemoteOutcome {
  /** False: nothing that is stored differs, and nothing below but `refused` was asked. */
  readonly changed: boolean
  /** Fields whose value this machine's type refuses (stored as null), with the reason's code. */
  readonly refused: readonly { readonly field: string; readonly code: string; readonly value: unknown }[]
  /** Live records that hold the same unique value or tuple, by the fields of the rule. */
  readonly duplicates: readonly { readonly fields: readonly string[]; readonly record: string }[]
  /** Validation rules that the merged record breaks, those of severity `error` too; they refuse nothing. */
  readonly broken: readonly BrokenRule[]
  /** Fields of type `master_detail` whose master is missing or in the trash. */
  readonly orphans: readonly { readonly field: string; readonly object: string; readonly id: string }[]
  /** Live details that a deletion leaves without this master by now, with those the same group deletes after it. */
  readonly stranded: readonly { readonly field: string; readonly object: string; readonly id: string }[]
}

/** What a live record has to do with others that it should not. */
export interface RecordRelations extends Pick<RemoteOutcome, 'duplicates' | 'orphans'> {
  /** Fields of type `tree` in which it stands above itself: the live records of the ring, each followed by the one above it. */
  readonly rings: readonly { readonly field: string; readonly ids: readonly string[] }[]
}

/** A record as it is stored, deleted or not. */
export interface WholeRecord {
  readonly id: string
  readonly record: PlatformRecord
  /** Null for a live one. */
  readonly deleted: { readonly at: string; readonly by: string } | null
}

/** Who issues the numbers of autonumber fields; sync sets it. */
export interface RecordNumbering {
  /** Null: this machine issues numbers itself. Otherwise the text stored until the issuer has seen the record. */
  provisional(object: ObjectSchema, field: FieldSchema): string | null
}

/** Which record is meant: by its id, or by the value of a unique field. */
export type RecordKey = { readonly id: string } | { readonly field: string; readonly value: unknown }

/**
 * Records inside of a transaction somebody else has begun, of objects as the metadata service answers them at this moment:
 * rights, values, references, rules and uniqueness hold as anywhere. No hook runs, as nothing can be awaited.
 */
export interface RecordsWithin {
  /** The record a key means, with all of its fields; undefined for none. @throws validation_error, resource_not_found */
  find(
    object: string,
    key: RecordKey,
  ): { readonly id: string; readonly record: PlatformRecord; readonly isDeleted: boolean } | undefined
  /** The values that cells of a CSV file stand for; what cannot be read stays as it is. @throws resource_not_found */
  valuesOf(object: string, cells: Readonly<Record<string, unknown>>): Record<string, unknown>
  /** @throws validation_error, conflict, resource_not_found, permission_denied */
  create(
    object: string,
    data: Readonly<Record<string, unknown>>,
  ): { readonly id: string; readonly record: PlatformRecord }
  /** @throws validation_error, conflict, resource_not_found, permission_denied, record_locked */
  update(
    object: string,
    id: string,
    data: Readonly<Record<string, unknown>>,
  ): { readonly id: string; readonly record: PlatformRecord }
  /** Moves a record to the trash. @throws resource_not_found, permission_denied, record_locked, delete_restricted */
  remove(object: string, id: string): void
}

/** What schema changes put aside (D-101), for who takes several changes back at once. */
export interface BackupsAside {
  /** All backups by id, with the object each is of. */
  ids(reads: Pick<Reads, 'all' | 'get'>): ReadonlyMap<string, string>
  /** Keeps backups until an instant, if they would go earlier. */
  keepUntil(tx: Tx, ids: readonly string[], at: string): void
  /**
   * Runs a write of metadata that finds the values of the backups where its definitions want them back: tables of objects,
   * columns of fields, values before a conversion. Backups that are gone are passed over.
   * @param save is given what forgets the backups, to be called inside of the transaction
   */
  bringBack<T>(ids: readonly string[], save: (forget: (tx: Tx) => void) => Promise<T>): Promise<T>
}

/** The data service. */
export interface DataService extends LimitWords {
  /**
   * Makes sure that the caller may do this with a stored record; for plugins that keep things about records.
   * @param input `deletedToo` also finds records in the trash
   * @returns the id as it is stored, and the record's owner
   * @throws resource_not_found also for what the caller may not see, permission_denied for what it may only see
   */
  requireRecord(
    ctx: RequestContext,
    input: { object: string; id: string; action: RecordAction; deletedToo?: boolean },
  ): { id: string; owner: string | null }
  /** How far the caller's rights reach over a stored record, deleted or not, at this moment. Never throws. */
  reach(ctx: RequestContext, input: { object: string; id: string; action: RecordAction }): RecordReach
  /** Which of these records are live and the caller may read, at this moment: one statement. Never throws. */
  readable(ctx: RequestContext, object: string, ids: readonly string[]): ReadonlySet<string>
  /** A record with the fields the caller may read; the same value when it may read all of them. */
  shown(ctx: RequestContext, object: string, record: PlatformRecord): PlatformRecord
  /** Whether the caller may read a field. Never throws. */
  canReadField(ctx: RequestContext, object: string, field: string): boolean
  /** Sets the code that runs around writes. @throws Error when there is some already. */
  setHooks(hooks: RecordHooks): void
  /** Sets what holds records. @throws Error when something does already */
  setLocks(locks: RecordLocks): void
  /** Sets what knows the files that records name. @throws Error when something does already */
  setFiles(files: RecordFiles): void
  /** The state machines that guard records of an object, by priority and then name; none for an object nobody knows. */
  stateMachines(object: string): readonly StateMachine[]
  /** Whether the caller is among those a transition names (D-250). */
  mayTake(ctx: RequestContext, transition: Transition): boolean
  /** Whether the condition of a transition holds of a change; one that cannot be evaluated does not. */
  transitionHolds(transition: Transition, change: TransitionChange): boolean
  /** Answers at once where one statement does. @throws resource_not_found, invalid_query */
  get(
    ctx: RequestContext,
    input: { object: string; id: string; select?: unknown; expand?: unknown },
  ): StoredRecord | Promise<StoredRecord>
  /** @throws resource_not_found, invalid_query, permission_denied, timeout */
  find(ctx: RequestContext, object: string, query: RecordQuery): Promise<RecordPage>
  /** The same page as `find`, as the text of its JSON where that is cheaper; at once where it is short to read. */
  list(ctx: RequestContext, object: string, query: RecordQuery): RawJson | Promise<RecordPage | RawJson>
  /**
   * The page with records written for another protocol; null where they cannot be written so, or have to be read in
   * another way: then `find` answers, with what `shaped.query` adds to the query.
   * @param shaped the same object every time the same shape is meant: plans are kept for it
   */
  listShaped(
    ctx: RequestContext,
    object: string,
    query: RecordQuery,
    shaped: ShapedRead,
  ): JsonPage | Promise<JsonPage> | null
  /** People by id, as expansions of user fields show them; who is not there is missing. */
  people(ctx: RequestContext, ids: readonly string[]): Promise<ReadonlyMap<string, PlatformRecord>>
  /** Says how a list or a grouped list would run; runs nothing. @throws what `find` throws */
  explain(ctx: RequestContext, object: string, query: RecordQuery, withRules?: boolean): QueryExplanation
  /**
   * The one door of records: writes them in the order given, whatever their objects and actions; later ones may name
   * earlier ones (D-66). What happens to each, in this order: hooks and sealing; in the transaction version, values,
   * references, formulas, rules, row, uniqueness, summaries, search, event; at the end the hooks that follow. The other
   * writes are names for uses of it: a single one is a write of one that throws what refuses it, {@link bulk} one of many
   * records of an object. Changes of peers take the same way from the row on, see {@link applyRemote}.
   * @param before called in each transaction before anything is written; what it throws refuses all of it
   * @throws validation_error when the call itself is malformed; what is wrong with an item is in its result
   */
  write(
    ctx: RequestContext,
    items: readonly WriteItem[],
    options: BulkOptions,
    answered?: Answered<BulkResult>,
    before?: (tx: Tx) => void,
  ): Promise<BulkResult>
  /** @throws validation_error, conflict */
  create(
    ctx: RequestContext,
    input: { object: string; data: Record<string, unknown> },
    answered?: Answered<StoredRecord>,
  ): Promise<StoredRecord>
  /** @throws validation_error, conflict, CONCURRENT_UPDATE, resource_not_found, record_locked */
  update(
    ctx: RequestContext,
    input: { object: string; id: string; data: Record<string, unknown>; expectedVersion?: ExpectedVersion },
    along?: ChangeAlong,
    answered?: Answered<StoredRecord>,
  ): Promise<StoredRecord>
  /** @throws resource_not_found, CONCURRENT_UPDATE, delete_restricted */
  remove(
    ctx: RequestContext,
    input: { object: string; id: string; expectedVersion?: ExpectedVersion; purge?: boolean },
    along?: ChangeAlong,
  ): Promise<{ object: string; id: string; purged: boolean; warnings?: RecordWarning[] }>
  /** @throws resource_not_found, conflict, CONCURRENT_UPDATE */
  restore(
    ctx: RequestContext,
    input: { object: string; id: string; expectedVersion?: ExpectedVersion },
    answered?: Answered<StoredRecord>,
    along?: ChangeAlong,
  ): Promise<StoredRecord>
  /**
   * Creates a record with the values of another one; system, computed, unique and concealed fields are not taken over.
   * @throws resource_not_found, validation_error, conflict
   */
  clone(
    ctx: RequestContext,
    input: { object: string; id: string; overrides?: Record<string, unknown> | undefined },
    answered?: Answered<StoredRecord & { sourceId: string }>,
  ): Promise<StoredRecord & { sourceId: string }>
  /** Gives a record another owner (D-62). @throws resource_not_found, validation_error, CONCURRENT_UPDATE, permission_denied */
  transfer(
    ctx: RequestContext,
    input: { object: string; id: string; owner: string; expectedVersion?: ExpectedVersion },
    answered?: Answered<StoredRecord>,
  ): Promise<StoredRecord>
  /**
   * Tells the text of a secret field, null when it is empty, and raises `record.secret_revealed`.
   * @throws resource_not_found, validation_error, permission_denied
   */
  reveal(
    ctx: RequestContext,
    input: { object: string; id: string; field: string },
  ): Promise<{ object: string; id: string; field: string; value: string | null }>
  /** Creates all or nothing (D-65). @throws validation_error with details.failures */
  createMany(
    ctx: RequestContext,
    input: { object: string; records: Record<string, unknown>[] },
    answered?: Answered<CreatedMany>,
  ): Promise<CreatedMany>
  /** @throws validation_error when the request itself is malformed; failures of records are in the result */
  bulk(ctx: RequestContext, input: BulkInput, answered?: Answered<BulkResult>): Promise<BulkResult>
  /** Reads words of the protocol and field conditions of a list request (D-72 to D-74). @throws invalid_query */
  queryOf(ctx: RequestContext, parameters: Readonly<Record<string, string | readonly string[]>>): RecordQuery
  /**
   * Walks every record a list query matches, in its order, all of one snapshot and never more than a few hundred in
   * memory. `top` limits them, without one there is no limit; groups and distinct rows keep the limits of lists.
   * @throws resource_not_found, invalid_query, permission_denied, service_unavailable
   */
  stream(ctx: RequestContext, object: string, query: RecordQuery): Promise<RecordStream>
  /**
   * Writes what peers changed, inside the caller's transaction: no right, hook, rule, uniqueness or reference refuses it,
   * and no trigger starts. Events carry the context's actor and the source `sync`. The same change again does nothing.
   * @throws resource_not_found for an object that is not there, validation_error for an id that is none,
   * service_unavailable while the object's table is being changed
   */
  applyRemote(tx: Tx, ctx: RequestContext, change: RemoteChange): RemoteOutcome
  /**
   * Why the context's actor may not make a change that comes from another machine: rights on the object, its rows and
   * fields, as they are here and now. What only follows from another change the actor may make is not refused.
   * @returns undefined for one that may be made; null while it cannot be said, because the object, its record or its master is
   * missing
   */
  refusalOf(tx: Tx, ctx: RequestContext, intent: RemoteIntent): RemoteRefusal | null | undefined
  /**
   * What a stored record has to do with others that it should not: shared unique values, masters that are not there, rings
   * of records that stand above each other.
   * @returns null for a record that is not live, or of an object where none of it can be
   * @throws resource_not_found for an object that is not there
   */
  relationsOf(tx: Tx, input: { object: string; id: string }): RecordRelations | null
  /** The live records that belong to a record as details, whether it is live itself or not. */
  detailsOf(tx: Tx, input: { object: string; id: string }): readonly { readonly object: string; readonly id: string }[]
  /**
   * Runs several {@link applyRemote} that belong together; summaries follow once at the end, as they do at the end of the
   * local write that made the changes, and a restore here brings back what was deleted together. A savepoint inside needs
   * a group of its own.
   */
  applyGroup<T>(tx: Tx, ctx: RequestContext, fn: () => T): T
  /** The same around steps. */
  applyGroupSteps<T>(tx: Tx, ctx: RequestContext, fn: () => Steps<T>): Steps<T>
  /**
   * Records of an object by falling id, deleted ones too, whoever may see them; for copies of everything there is.
   * @param below only records with smaller ids; null: from the last one on
   */
  wholeRecords(
    reads: Pick<Reads, 'all'>,
    schema: ObjectSchema,
    range: { readonly below: string | null; readonly limit: number },
  ): readonly WholeRecord[]
  /** Records inside of a write of somebody else, see {@link RecordsWithin}. */
  within(tx: Tx, ctx: RequestContext): RecordsWithin
  /** What schema changes put aside. */
  readonly backups: BackupsAside
  /** Sets who issues numbers. @throws Error when somebody did already */
  setNumbering(numbering: RecordNumbering): void
  /**
   * Replaces the provisional numbers of a record, live or deleted, by final ones; for the machine that issues them.
   * @returns false when there was nothing to replace
   * @throws resource_not_found for an object that is not there, service_unavailable while its table is being changed
   */
  issueNumbers(tx: Tx, ctx: RequestContext, input: { object: string; id: string }): boolean
  /** Rising ids of records, deleted ones too, that may wait for a final number. */
  awaitingNumbers(
    reads: Pick<Reads, 'all'>,
    schema: ObjectSchema,
    range: { readonly after: string; readonly limit: number },
  ): readonly string[]
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    data: DataService
  }
}
