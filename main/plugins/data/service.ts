// The data service: puts the parts of service/ together and answers for rights and the world values are judged in.
import { liveExists } from './store.ts'
import { userDirectory } from '#shared/user-directory.ts'
import { notFound } from '#shared/errors.ts'
import type { RecordAction } from '#shared/route.ts'
import type { QueryEnv, RecordOrganization } from '#shared/filter/query-env.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { dateInZone } from '#shared/calendar/iso.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireObjectAction } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { localOwnerId } from '#main/kernel/context.ts'
import { compileSchema } from '#main/kernel/json-schemas.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { CursorKey } from '#main/database/query/cursor.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { SettingsService } from '#main/plugins/settings/api.ts'
import type { BackupsAside, DataService, RecordFiles, RecordHooks, RecordLocks } from './api.ts'
import { createRecordDeletion } from './service/deletion.ts'
import { createRecordAccess } from './service/record-access.ts'
import { createRecordFinder } from './service/finder.ts'
import { listQuery } from './service/list-query.ts'
import type { PrepareEnv } from './service/prepare.ts'
import { createIncomingReferences } from './service/references.ts'
import type { RecordRules } from './service/record-rules.ts'
import { createRecordRules } from './service/rules/create-record-rules.ts'
import type { MayTake } from './service/rules/transition-rights.ts'
import { createRecordNumbers } from './service/numbering.ts'
import { createRecordWrites } from './service/record-writes.ts'
import { createRemoteRights } from './service/remote-rights.ts'
import { createRemoteWrites } from './service/remote-writes.ts'
import { createReveal } from './service/reveal.ts'
import { sanitizeHtml } from './service/sanitize-html.ts'
import { createStoredRows } from './service/stored-rows.ts'
import { createSummaries } from './service/summaries.ts'
import { createSummaryRules } from './service/summary-rules.ts'
import { findRow, requireRowFor } from './service/write-parts.ts'
import type { WriteParts } from './service/write-parts.ts'
import { createRecordsWithin } from './service/within.ts'
import { createRecordWriter } from './service/writer.ts'

/** What the service is made from. */
export type DataServiceHost = Pick<
  PluginHost,
  'read' | 'write' | 'writeStepwise' | 'heavy' | 'isBusy' | 'clock' | 'ids' | 'optionalService' | 'database' | 'secrets'
> & {
  authorizer(): Authorizer
  metadata: MetadataService
  settings: SettingsService
  cursorKey: CursorKey
  readonly mayTake: MayTake
  readonly backups: BackupsAside
  /** Undefined while there are no organizations. */
  recordOrganization(): RecordOrganization | undefined
}

/** Makes the data service of one host. */
export function createDataService(host: DataServiceHost): DataService {
  const { metadata, settings, clock } = host
  const search = host.optionalService('search')
  const today = (): string => dateInZone(clock.now(), settings.get('timezone'))
  const organizationPart = (): Pick<QueryEnv, 'recordOrganization'> => {
    const recordOrganization = host.recordOrganization()
    return recordOrganization === undefined ? {} : { recordOrganization }
  }
  const queryEnv = (): QueryEnv => ({
    ...organizationPart(),
    timeZone: settings.get('timezone'),
    defaultCurrency: settings.get('currency'),
    now: clock.now(),
    userId: localOwnerId,
    users: userDirectory,
    schemaOf: metadata.objectSchema,
  })
  const auth = host.optionalService('auth')
  const hasOrganizations = (): boolean => host.recordOrganization() !== undefined
  /** People of other organizations are nobody to the caller. */
  const isFellow = ({ organizationId }: RequestContext, id: string): boolean =>
    organizationId === null ||
    !hasOrganizations() ||
    auth()!
      .memberships(id)
      .some((membership) => membership.organizationId === organizationId)
  const access = createRecordAccess({ authorizer: host.authorizer, queryEnv, hasOrganizations })
  const summaryRules = createSummaryRules(metadata, queryEnv)
  const summaries = createSummaries(summaryRules, queryEnv, (...change) => writer.derive(...change))
  const { mayTake } = host
  const rules: RecordRules = createRecordRules({ metadata, queryEnv, mayTake })
  const numbers = createRecordNumbers(today)
  const rows = createStoredRows({ search, clock, rules, summaries })
  let files: RecordFiles | undefined
  const writer = createRecordWriter({
    ...host,
    numbers,
    queryEnv,
    rules,
    access,
    rows,
    summaries,
    files: () => files,
  })
  let hooks: RecordHooks | undefined
  let locks: RecordLocks | undefined
  const incoming = createIncomingReferences(metadata)
  const deletion = createRecordDeletion({
    metadata,
    incoming,
    writer,
    rows,
    rules,
    access,
    locks: () => locks,
  })
  const finder = createRecordFinder({ ...host, search, incoming, access })

  const schemaFor = (ctx: RequestContext, object: string, action: RecordAction): ObjectSchema => {
    const schema = metadata.objectSchema(object)
    if (schema === undefined || schema.abstract) throw notFound('object', object)
    requireObjectAction(host.authorizer(), ctx, object, action)
    metadata.noteUse(ctx, 'object', object)
    return schema
  }

  const envFor = (ctx: RequestContext, schema: ObjectSchema): PrepareEnv => {
    const authorizer = host.authorizer()
    const timeZone = settings.get('timezone')
    const now = clock.now()
    return {
      timeZone,
      defaultCurrency: settings.get('currency'),
      sanitizeHtml,
      checkJsonSchema: (schema, value) => compileSchema(schema)(value),
      userId: ctx.actor.id,
      now: new Date(now).toISOString(),
      // Few writes ask for it, and zones take their time.
      get today() {
        return dateInZone(now, timeZone)
      },
      userExists: (id) =>
        id === ctx.actor.id ||
        (isFellow(ctx, id) && (liveExists(host.read, userDirectory.table, id) || auth()?.user(id) !== undefined)),
      hasOrganizations: hasOrganizations(),
      initials: rules.initials(schema),
      canTransfer: authorizer.canObject(ctx, schema.name, 'transfer'),
      ...(authorizer.isUnrestricted(ctx)
        ? {}
        : {
            canRead: (field: string) => access.canRead(ctx, schema, field),
            canEdit: (field: string) => authorizer.canField(ctx, schema.name, field, 'editable'),
          }),
    }
  }

  const parts: WriteParts = {
    ...host,
    writer,
    deletion,
    rows,
    rules,
    access,
    summaries,
    hooks: () => hooks,
    locks: () => locks,
    queryEnv,
    maxBatchRecords: () => settings.get('maxBatchRecords'),
    schemaFor,
    envFor,
  }

  const parseEnv = () => ({
    timeZone: settings.get('timezone'),
    defaultCurrency: settings.get('currency'),
    sanitizeHtml,
  })

  return {
    setHooks(given) {
      if (hooks !== undefined) throw new Error('The data service has hooks already.')
      hooks = given
    },
    setLocks(given) {
      if (locks !== undefined) throw new Error('The data service has locks already.')
      locks = given
    },
    setFiles(given) {
      if (files !== undefined) throw new Error('The data service has files already.')
      files = given
    },
    stateMachines(object) {
      const schema = metadata.objectSchema(object)
      return schema === undefined || schema.abstract ? [] : rules.machines(schema)
    },
    mayTake,
    transitionHolds: rules.transitionHolds,
    requireRecord(ctx, { object, id, action, deletedToo = false }) {
      // Who may not read learns nothing of what else it may do.
      schemaFor(ctx, object, 'read')
      const schema = schemaFor(ctx, object, action)
      const row = requireRowFor(parts, host.read, ctx, schema, { id, action, deletedToo })
      return { id: row['id'] as string, owner: row['owner'] as string | null }
    },
    reach(ctx, { object, id, action }) {
      const schema = metadata.objectSchema(object)
      if (schema === undefined || schema.abstract) return 'none'
      const authorizer = host.authorizer()
      if (authorizer.closedBecause?.(ctx) !== undefined || !authorizer.canObject(ctx, object, 'read')) return 'none'
      if (findRow(host.read, schema, id) === undefined) return 'none'
      const reached = access.reach(host.read, ctx, schema, id, action)
      return reached === 'open' && !authorizer.canObject(ctx, object, action) ? 'seen' : reached
    },
    readable(ctx, object, ids) {
      const schema = metadata.objectSchema(object)
      if (schema === undefined || schema.abstract || ids.length === 0) return new Set()
      const authorizer = host.authorizer()
      if (authorizer.closedBecause?.(ctx) !== undefined || !authorizer.canObject(ctx, object, 'read')) return new Set()
      return access.readable(host.read, ctx, schema, ids)
    },
    shown(ctx, object, record) {
      const schema = metadata.objectSchema(object)
      return schema === undefined ? {} : access.shown(ctx, schema, record)
    },
    canReadField(ctx, object, field) {
      const schema = metadata.objectSchema(object)
      return schema !== undefined && access.canRead(ctx, schema, field)
    },
    get: (ctx, input) => finder.get(ctx, schemaFor(ctx, input.object, 'read'), input),
    find: (ctx, object, query) => finder.find(ctx, schemaFor(ctx, object, 'read'), query),
    list: (ctx, object, query) => finder.list(ctx, schemaFor(ctx, object, 'read'), query),
    listShaped: (ctx, object, query, shaped) => finder.listShaped(ctx, schemaFor(ctx, object, 'read'), query, shaped),
    explain: (ctx, object, query, withRules) => finder.explain(ctx, schemaFor(ctx, object, 'read'), query, withRules),
    people: finder.people,
    queryOf: listQuery,

    stream: (ctx, object, query) => finder.stream(ctx, schemaFor(ctx, object, 'read'), query),
    ...createRecordWrites(parts),
    ...createReveal(parts),
    within: createRecordsWithin(parts),
    backups: host.backups,
    ...createRemoteWrites({ metadata, rows, clock, numbers, queryEnv, rules, incoming, summaries, parseEnv }),
    ...createRemoteRights({ metadata, access, parseEnv, envFor, authorizer: host.authorizer }),
  }
}
