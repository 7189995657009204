// Handlers of the metadata routes: requests in, service calls, answers out.
import type { z } from 'zod'
import type { MetadataType, HistoryEvent, metadataRoutes } from '#shared/contracts/metadata.ts'
import { metadataTypes } from '#shared/contracts/metadata.ts'
import type { FieldError } from '#shared/errors.ts'
import { notFound, validationError } from '#shared/errors.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import { RawJson, Reply } from '#main/kernel/reply.ts'
import type { ItemFilter, MetadataCore, VisibleItem } from './service.ts'
import { matchesEtag } from './service/etag.ts'
import type { LanguageRequest } from '#shared/language.ts'
import { objectView } from './service/object-view.ts'
import type { HistoryEntry } from './store.ts'
import type { QueryText } from './service/query-parameters.ts'
import { lastText, parseFlag, parsePage, parseSeq, parseStates } from './service/query-parameters.ts'
import { unwrapItem } from './service/unwrap-item.ts'
import { typeEntries, typeEntry, findMetadataType } from './types/type-entries.ts'
import { typeJsonSchema } from './types/json-schema.ts'

/** Packages of the program: what comes with it nobody else delivers, because nobody could take it away again. */
const programPrefix = 'cairn.'

/** Makes the handlers. */
export function metadataHandlers(service: MetadataCore, authorizer: () => Authorizer): Handlers<typeof metadataRoutes> {
  return {
    listMetadataTypes: () => ({ types: [...metadataTypes], entries: [...typeEntries] }),
    listMetadataTypeNames: () => [...metadataTypes],
    getMetadataType: (_ctx, { params }) => typeEntry(typeOf(params.type)),
    getMetadataTypeSchema: (_ctx, { params }) => typeJsonSchema(typeOf(params.type)),

    listMetadataItems(ctx, { params, query, headers }) {
      const type = typeOf(params.type)
      const items = service.visibleList(ctx, type, { ...filterOf(query), ...languageOf(query, headers) })
      return { type, items: items.map((item) => ({ ...item })) }
    },

    getMetadataItem(ctx, { params, query, headers }) {
      const type = typeOf(params.type)
      const item = service.visible(ctx, type, params.name, { ...filterOf(query), ...languageOf(query, headers) })
      service.noteUse(ctx, type, params.name)
      const head = cacheHeaders(item)
      if (isNotModified(item, headers)) return new Reply(new RawJson(''), { status: 304, headers: head })
      return new Reply({ type, name: params.name, item: item.body }, { headers: head })
    },

    async saveMetadataItem(ctx, { params, query, body, headers }) {
      const type = typeOf(params.type)
      const { item, namespace } = unwrapItem(body, { type, name: params.name })
      const draft = isDraft('mode', lastText(query.mode))
      const language = languageOf(query, headers)
      const packageId = lastText(query.packageId) ?? lastText(query.package)
      if (packageId?.startsWith(programPrefix) === true) throw validationError([ofProgram(packageId)])
      const confirm = lastText(query.confirm)
      const result = await service.save(ctx, {
        type,
        name: params.name,
        item: { ...service.withStoredLabels(type, params.name, item, language) },
        dryRun: parseFlag('dryRun', query.dryRun),
        draft,
        ...(namespace === undefined ? {} : { namespace }),
        ...(packageId === undefined ? {} : { packageId }),
        ...(confirm === undefined ? {} : { confirm }),
        ...(headers['if-match'] === undefined ? {} : { ifMatch: headers['if-match'] }),
        ...(headers['if-none-match'] === undefined ? {} : { ifNoneMatch: headers['if-none-match'] }),
      })
      const { version, state, warnings, plan, planHash } = result
      const shared = {
        success: true as const,
        version,
        ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
        ...(planHash === undefined ? {} : { planHash }),
      }
      if (result.dryRun) return { ...shared, dryRun: true as const, plan: [...plan] }
      // The tag a read with the same headers would carry: the caller's language and overlay are part of it.
      const etag = service.etagSeen(ctx, type, params.name, { state, ...language }) ?? result.etag
      return new Reply(
        { ...shared, etag, state, ...(plan.length === 0 ? {} : { plan: [...plan] }) },
        { headers: { etag } },
      )
    },

    async deleteMetadataItem(ctx, { params, query, headers }) {
      const type = typeOf(params.type)
      const confirm = lastText(query.confirm)
      // As for GET, `state=draft` means the draft alone (D-110); the active item stays.
      if (isDraft('state', lastText(query.state))) {
        const { deleted } = await service.discardDraft(ctx, { type, name: params.name })
        return { success: true as const, type, name: params.name, deleted, ...(deleted ? {} : { reset: true }) }
      }
      const { deleted, reset } = await service.remove(ctx, {
        type,
        name: params.name,
        force: parseFlag('force', query.force),
        ...(confirm === undefined ? {} : { confirm }),
        ...(headers['if-match'] === undefined ? {} : { ifMatch: headers['if-match'] }),
      })
      return { success: true as const, type, name: params.name, deleted, ...(reset ? { reset: true } : {}) }
    },

    listMetadataHistory(ctx, { params, query }) {
      const { entries, hasMore } = service.history(ctx, typeOf(params.type), params.name, parsePage(query))
      return { events: entries.map(toEvent), hasMore }
    },

    getMetadataHistoryItem(ctx, { params }) {
      const type = typeOf(params.type)
      const entry = service.historyEntry(ctx, type, params.name, parseSeq(params.seq))
      return { event: toEvent(entry), item: entry.item }
    },

    getGeneratedView(ctx, { params, headers }) {
      service.noteUse(ctx, 'object', params.object)
      return objectView(service, authorizer(), ctx, params.object, params.type, languageOf({}, headers))
    },
    getGeneratedViewByQuery(ctx, { params, query, headers }) {
      service.noteUse(ctx, 'object', params.object)
      const kind = lastText(query.type) ?? 'list'
      return objectView(service, authorizer(), ctx, params.object, kind, languageOf({}, headers))
    },
  }
}

/** @throws resource_not_found */
function typeOf(segment: string): MetadataType {
  const type = findMetadataType(segment)
  if (type === undefined) throw notFound('metadata_type', segment)
  return type
}

function ofProgram(value: string): FieldError {
  return { field: 'packageId', code: 'not_allowed', message: 'Packages of this name come with the program.', value }
}

function filterOf(
  query: Readonly<Partial<Record<'packageId' | 'package' | 'namespace' | 'state', QueryText>>>,
): ItemFilter {
  const packageId = lastText(query.packageId) ?? lastText(query.package)
  const namespace = lastText(query.namespace)
  const state = parseStates(query.state)
  return {
    ...(packageId === undefined ? {} : { packageId }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(state === undefined ? {} : { state }),
  }
}

/** @throws validation_error for another word than `draft` */
function isDraft(field: 'mode' | 'state', value: string | undefined): boolean {
  if (value === undefined || value === 'draft') return value === 'draft'
  const message = field === 'mode' ? 'A save stores an item or a draft.' : 'A delete takes an item or its draft.'
  throw validationError([{ field, code: 'invalid_option', message, value, constraint: ['draft'] }])
}

/** What a request says of its language; the parameter wins over the header. */
function languageOf(
  query: Readonly<Partial<Record<'locale', QueryText>>>,
  headers: Readonly<Record<string, string | undefined>>,
): LanguageRequest {
  const locale = lastText(query.locale)
  const acceptLanguage = headers['accept-language']
  return {
    ...(locale === undefined ? {} : { locale }),
    ...(acceptLanguage === undefined ? {} : { acceptLanguage }),
  }
}

function cacheHeaders({ etag, modifiedAt }: VisibleItem): Record<string, string> {
  return {
    etag,
    'last-modified': new Date(modifiedAt).toUTCString(),
    'cache-control': 'private, no-cache',
    vary: 'Accept-Language, Authorization, Cookie',
  }
}

/** If-Modified-Since counts only without If-None-Match (D-104). */
function isNotModified(
  { etag, modifiedAt }: VisibleItem,
  headers: Readonly<Record<string, string | undefined>>,
): boolean {
  const ifNoneMatch = headers['if-none-match']
  if (ifNoneMatch !== undefined) return matchesEtag(ifNoneMatch, etag)
  const since = Date.parse(headers['if-modified-since'] ?? '')
  // HTTP dates have no fractions of a second.
  return !Number.isNaN(since) && Math.floor(Date.parse(modifiedAt) / 1000) * 1000 <= since
}

function toEvent(entry: HistoryEntry): z.input<typeof HistoryEvent> {
  const { seq, op, type, name, version, hash, parentHash, actor, message, ts, source } = entry
  return {
    seq,
    op,
    ref: { type, name },
    version,
    hash,
    parentHash,
    actor: { ...actor },
    ...(message === null ? {} : { message }),
    ts,
    source,
  }
}
