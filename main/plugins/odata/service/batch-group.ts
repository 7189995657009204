// Groups of a batch as one write of the data service, and its results as answers.
import { PlatformError, platformError } from '#shared/errors.ts'
import { requireApiMethods } from '#shared/object-api.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { BulkResult, WriteItem } from '#main/plugins/data/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { PartAnswer } from './batch-answers.ts'
import { failureOf, resolveReference, versionOfPart } from './batch-answers.ts'
import type { BatchPart } from './batch-request.ts'
import { entityUrl, etagOf, writeEntity } from './entities.ts'
import { readEntity } from './payload.ts'
import { formOf, mediaTypeOf, preferencesOf } from './request-words.ts'
import { parsePath, unknownPath } from './resource-path.ts'
import { unsupported } from './token-reader.ts'
import { versionOf } from './writing.ts'

/**
 * The steps of a group. A path or a bound value `$id` names the entity of an earlier request, of the group too.
 * @throws not_implemented for what is no write of an entity, resource_not_found, validation_error
 */
export function stepsOfGroup(
  group: readonly BatchPart[],
  made: ReadonlyMap<string, string>,
  metadata: MetadataService,
): WriteItem[] {
  const objects: string[] = []
  return group.map((part): WriteItem => {
    const { method, headers } = part
    // What an answer cannot be written for is refused before anything is stored.
    formOf(headers, undefined)
    if (method === 'GET' || method === 'PUT') throw unsupported('atomicityGroup', `${method} in a group`)
    const earlier = group.findIndex(({ id }) => part.path === `$${id}`)
    const inGroup = earlier >= 0 && objects[earlier] !== undefined
    const path = inGroup ? { set: objects[earlier]!, key: '', rest: [] } : parsePath(resolveReference(part.path, made))
    if (path === null || path.rest.length > 0 || (method === 'POST') !== (path.key === null))
      throw unknownPath(part.path)
    objects.push(path.set)
    const schema = metadata.objectSchema(path.set)
    const action = method === 'POST' ? 'create' : method === 'PATCH' ? 'update' : 'delete'
    requireApiMethods(schema, action)
    const expectedVersion = versionOf(headers['if-match'])
    const id = inGroup ? { $ref: earlier } : path.key
    return {
      object: path.set,
      action,
      ...(id === null ? {} : { id }),
      ...(action === 'delete' || schema === undefined
        ? {}
        : { data: withReferences(readEntity(schema, boundBody(part.body, group)), group) }),
      ...(expectedVersion === undefined ? {} : { expectedVersion }),
    }
  })
}

/** The answers to a group: entities that were written, or what is wrong with one and that the others were taken back. */
export function answersOfGroup(
  ctx: RequestContext,
  group: readonly BatchPart[],
  result: BulkResult,
  parts: { readonly base: string; readonly metadata: MetadataService },
): PartAnswer[] {
  return group.map((part, index) => {
    const atomicityGroup = part.group!
    const item = result.results[index]!
    if (!item.success) {
      const [first] = item.errors ?? []
      const error =
        first === undefined
          ? platformError('conflict', { reason: 'rolled_back' })
          : new PlatformError(first.code, first, first.details)
      return { ...failureOf(ctx, part, error), atomicityGroup }
    }
    const schema = parts.metadata.objectSchema(item.object!)!
    const url = entityUrl(parts.base, schema, item.id)
    const version = versionOfPart(part.headers)
    if (item.operation === 'delete' || item.record === undefined || preferencesOf(part.headers).returns === 'minimal')
      return { id: part.id, status: 204, headers: { ...version, 'odata-entityid': url }, atomicityGroup }
    const form = formOf(part.headers, undefined)
    const isNew = item.operation === 'create'
    return {
      id: part.id,
      status: isNew ? 201 : 200,
      headers: {
        ...version,
        etag: etagOf(item.record['updated_at']),
        ...(isNew ? { location: url } : {}),
        'content-type': mediaTypeOf(form),
      },
      body: {
        ...(form.metadata === 'none' ? {} : { '@odata.context': `${parts.base}/$metadata#${schema.name}/$entity` }),
        ...writeEntity({ base: parts.base, form }, schema, item.record, { select: null, expansions: [] }),
      },
      atomicityGroup,
    }
  })
}

const mark = 'cairn-reference:'

/** Bound values `$id` as words that reading an entity leaves alone. */
function boundBody(body: unknown, group: readonly BatchPart[]): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  return Object.fromEntries(
    Object.entries(body).map(([key, value]: [string, unknown]) => {
      const index = key.includes('@') ? group.findIndex(({ id }) => value === `$${id}`) : -1
      return [key, index < 0 ? value : `entity(${mark}${index})`]
    }),
  )
}

function withReferences(data: Record<string, unknown>, group: readonly BatchPart[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => {
      const index = typeof value === 'string' && value.startsWith(mark) ? Number(value.slice(mark.length)) : -1
      return [name, Number.isInteger(index) && index >= 0 && index < group.length ? { $ref: index } : value]
    }),
  )
}
