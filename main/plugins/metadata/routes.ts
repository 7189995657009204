// Handlers of the metadata routes: requests in, service calls, answers out.
import type { z } from 'zod'
import type { HistoryEvent, metadataRoutes } from '#shared/contracts/metadata.ts'
import { metadataTypes } from '#shared/contracts/metadata.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import { RawJson, Reply } from '#main/kernel/reply.ts'
import { typeOfSegment } from './operations/type-words.ts'
import type { MetadataCore, VisibleItem } from './service.ts'
import { refusal } from './service/check-input.ts'
import { isUnchangedSince, matchesEtag } from './service/etag.ts'
import { objectView } from './service/object-view.ts'
import type { HistoryEntry } from './store.ts'
import type { QueryText } from './service/query-parameters.ts'
import { languageOf, lastText, parseFlag, parsePage, parseSeq, parseStates } from './service/query-parameters.ts'
import { unwrapItem } from './service/unwrap-item.ts'
import { typeEntries, typeEntry } from './types/type-entries.ts'
import { typeJsonSchema } from './types/json-schema.ts'

/** Packages of the program: what comes with it nobody else delivers, because nobody could take it away again. */
const programPrefix = 'cairn.'

/** Makes the handlers. */
export function metadataHandlers(service: MetadataCore, authorizer: () => Authorizer): Handlers<typeof metadataRoutes> {
  return {
    listMetadataTypes: () => ({ types: [...metadataTypes], entries: [...typeEntries] }),
    listMetadataTypeNames: () => [...metadataTypes],
    getMetadataType: (_ctx, { params }) => typeEntry(typeOfSegment(params.type)),
    getMetadataTypeSchema: (_ctx, { params }) => typeJsonSchema(typeOfSegment(params.type)),

    listMetadataItems(ctx, { params, query, headers }) {
      const type = typeOfSegment(params.type)
      const items = service.visibleList(ctx, type, { ...filterOf(query), ...languageOf(query, headers) })
      return { type, items: items.map((item) => ({ ...item })) }
    },

    getMetadataItem(ctx, { params, query, headers }) {
      const type = typeOfSegment(params.type)
      const item = service.visible(ctx, type, params.name, { ...filterOf(query), ...languageOf(query, headers) })
      service.noteUse(ctx, type, params.name)
      const head = cacheHeaders(item)
      if (isNotModified(item, headers)) return new Reply(new RawJson(''), { status: 304, headers: head })
      return new Reply({ type, name: params.name, item: item.body }, { headers: head })
    },

    async saveMetadataItem(ctx, { params, query, body, headers }) {
      const type = typeOfSegment(params.type)
      const { item, namespace } = unwrapItem(body, { type, name: params.name })
      const draft = isDraft('mode', lastText(query.mode))
      const language = languageOf(query, headers)
      const packageId = lastText(query.packageId) ?? lastText(query.package)
      if (packageId?.startsWith(programPrefix) === true) {
        throw refusal('packageId', 'not_allowed', 'Packages of this name come with the program.', { value: packageId })
      }
      const result = await service.save(ctx, {
        type,
        name: params.name,
        item: { ...service.withStoredLabels(type, params.name, item, language) },
        dryRun: parseFlag('dryRun', query.dryRun),
        draft,
        namespace,
        packageId,
        confirm: lastText(query.confirm),
        ifMatch: headers['if-match'],
        ifNoneMatch: headers['if-none-match'],
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
      const type = typeOfSegment(params.type)
      // As for GET, `state=draft` means the draft alone (D-110); the active item stays.
      if (isDraft('state', lastText(query.state))) {
        const { deleted } = await service.discardDraft(ctx, { type, name: params.name })
        return { success: true as const, type, name: params.name, deleted, ...(deleted ? {} : { reset: true }) }
      }
      const { deleted, reset } = await service.remove(ctx, {
        type,
        name: params.name,
        force: parseFlag('force', query.force),
        confirm: lastText(query.confirm),
        ifMatch: headers['if-match'],
      })
      return { success: true as const, type, name: params.name, deleted, ...(reset ? { reset: true } : {}) }
    },

    listMetadataHistory(ctx, { params, query }) {
      const { entries, hasMore } = service.history(ctx, typeOfSegment(params.type), params.name, parsePage(query))
      return { events: entries.map(toEvent), hasMore }
    },

    getMetadataHistoryItem(ctx, { params }) {
      const type = typeOfSegment(params.type)
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

/** Which items a request means. @throws validation_error */
function filterOf(query: Readonly<Partial<Record<'packageId' | 'package' | 'namespace' | 'state', QueryText>>>) {
  return {
    packageId: lastText(query.packageId) ?? lastText(query.package),
    namespace: lastText(query.namespace),
    state: parseStates(query.state),
  }
}

/** @throws validation_error for another word than `draft` */
function isDraft(field: 'mode' | 'state', value: string | undefined): boolean {
  if (value === undefined || value === 'draft') return value === 'draft'
  const message = field === 'mode' ? 'A save stores an item or a draft.' : 'A delete takes an item or its draft.'
  throw refusal(field, 'invalid_option', message, { value, constraint: ['draft'] })
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
  return isUnchangedSince(modifiedAt, headers['if-modified-since'])
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
