// Finding items over all types (D-108). Reads memory only; every item passes the caller's rights first.
import { metadataTypes } from '#shared/contracts/metadata.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { MetadataItem } from '../api.ts'
import type { MetadataCore } from '../service.ts'
import type { Answer, RequestBody } from './contract-forms.ts'
import { typesOfWords } from './type-words.ts'

/** Every condition narrows, lists are any-of. */
type MetadataQuery = RequestBody<'queryMetadata'>

/** Where an item comes from: delivered, made or changed here, changed by the caller for itself (D-109). */
type Scope = NonNullable<MetadataQuery['scope']>

type Summary = Answer<'queryMetadata'>['items'][number]

/** One page of what the caller may see. @throws validation_error for a type nobody knows */
export function queryItems(service: MetadataCore, ctx: RequestContext, query: MetadataQuery): Answer<'queryMetadata'> {
  const types = typesOfWords('types', query.types) ?? metadataTypes
  const found = [...types].flatMap((type) =>
    service.items(type).flatMap((item): Summary[] => {
      if (!fitsOrigin(item, query)) return []
      const body = service.seen(ctx, item)
      if (body === null || !fitsBody(item.name, body, query)) return []
      const scopes = service.scopes(ctx, item)
      return query.scope === undefined || scopes.has(query.scope) ? [summarise(item, body, scopes)] : []
    }),
  )
  const direction = query.sortOrder === 'asc' ? 1 : -1
  found.sort(
    (a, b) =>
      direction * compare(a[query.sortBy], b[query.sortBy]) || compare(a.type, b.type) || compare(a.name, b.name),
  )
  const { page, pageSize } = query
  return { items: found.slice((page - 1) * pageSize, page * pageSize), total: found.length, page, pageSize }
}

function fitsOrigin(item: MetadataItem, { state, packageId, namespaces }: MetadataQuery): boolean {
  if (state === undefined ? item.state === 'archived' : item.state !== state) return false
  if (packageId !== undefined && item.packageId !== packageId) return false
  return namespaces === undefined || (item.namespace !== null && namespaces.includes(item.namespace))
}

function fitsBody(name: string, body: Readonly<Record<string, unknown>>, { search, tags }: MetadataQuery): boolean {
  if (tags !== undefined && !tags.some((tag) => tagsOf(body).includes(tag))) return false
  const wanted = search?.trim().toLowerCase() ?? ''
  if (wanted === '') return true
  return [name, body['label'], body['description']].some(
    (text) => typeof text === 'string' && text.toLowerCase().includes(wanted),
  )
}

function summarise(item: MetadataItem, body: Readonly<Record<string, unknown>>, scopes: ReadonlySet<Scope>): Summary {
  const { type, name, state, version, updatedAt, createdAt, namespace, packageId } = item
  const tags = tagsOf(body)
  return {
    type,
    name,
    ...(typeof body['label'] === 'string' ? { label: body['label'] } : {}),
    ...(namespace === null ? {} : { namespace }),
    scope: scopes.has('user') ? 'user' : scopes.has('platform') ? 'platform' : 'system',
    state,
    ...(packageId === null ? {} : { packageId }),
    ...(tags.length === 0 ? {} : { tags }),
    version,
    updatedAt,
    createdAt,
  }
}

function tagsOf(body: Readonly<Record<string, unknown>>): string[] {
  const tags = Object.hasOwn(body, 'tags') ? body['tags'] : undefined
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : []
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
