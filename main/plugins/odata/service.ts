// OData over the data service: finds what a path names and hands it to reads and writes.
import type { Filter } from '#shared/filter/filter.ts'
import { PlatformError, platformError } from '#shared/errors.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { odataVersionOf } from '#shared/odata-version.ts'
import { userDirectory } from '#shared/user-directory.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireOpenRecords } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { PermissionsService } from '#main/plugins/permissions/api.ts'
import type { ODataAnswer, ODataRequest, ODataService } from './api.ts'
import { createBatch } from './service/batch.ts'
import { describeModel } from './service/csdl.ts'
import { writeJson } from './service/csdl-json.ts'
import { writeXml } from './service/csdl-xml.ts'
import type { EntityModel, Navigation } from './service/model.ts'
import { createEntityModels } from './service/model.ts'
import { readOptions } from './service/query-options.ts'
import type { ReadRequest } from './service/reading.ts'
import { createReads } from './service/reading.ts'
import { formOf, mediaTypeOf, preferencesOf, wantsJson } from './service/request-words.ts'
import type { ResourcePath } from './service/resource-path.ts'
import { parsePath, unknownPath } from './service/resource-path.ts'
import { unsupported } from './service/token-reader.ts'
import { createWrites } from './service/writing.ts'

/** What the service is made from. */
export interface ODataParts {
  readonly data: DataService
  readonly metadata: MetadataService
  readonly permissions: Pick<PermissionsService, 'visibleObjects'>
  readonly authorizer: () => Authorizer
  /** Address of the service, without a slash at its end. */
  readonly base: () => string
}

/** Makes the service. @source D-183, D-275 to D-279 */
export function createODataService(parts: ODataParts): ODataService {
  const { data } = parts
  const models = createEntityModels(parts)
  const reads = createReads(data)
  const writes = createWrites({ ...parts, reads })

  const readOf = (
    ctx: RequestContext,
    request: ODataRequest,
    model: EntityModel,
    schema: ObjectSchema,
  ): ReadRequest => {
    const options = readOptions(request.query)
    return {
      ctx,
      model,
      schema,
      options,
      preferences: preferencesOf(request.headers),
      writing: { base: parts.base(), form: formOf(request.headers, options.given.format) },
      path: request.path,
      within: null,
    }
  }

  const answer: ODataService['answer'] = async (ctx, request) => {
    requireOpenRecords(parts.authorizer(), ctx)
    const allowed = Object.hasOwn(ownMethods, request.path) ? ownMethods[request.path] : undefined
    if (allowed !== undefined) throw platformError('method_not_allowed', { allowed })
    const path = parsePath(request.path)
    const model = models(ctx)
    if (path === null) return inItsForm(request, serviceDocument(ctx, request, model))
    const answering =
      request.method === 'GET' ? readPath(ctx, request, model, path) : writePath(ctx, request, model, path)
    const result = await answering.catch((error: unknown) => {
      throw namingMethods(error, path)
    })
    return inItsForm(request, result)
  }

  const serviceDocument = (ctx: RequestContext, request: ODataRequest, model: EntityModel): ODataAnswer => {
    if (request.method !== 'GET') throw platformError('method_not_allowed', { allowed: ['GET'] })
    const { given } = readOptions(request.query)
    const form = formOf(request.headers, given.format)
    const value = model
      .objects()
      .map(({ name, label }) => ({ name, kind: 'EntitySet', url: name, ...(label === name ? {} : { title: label }) }))
    const context = form.metadata === 'none' ? {} : { '@odata.context': `${parts.base()}/$metadata` }
    return { status: 200, body: { ...context, value }, headers: {} }
  }

  const readPath = async (
    ctx: RequestContext,
    request: ODataRequest,
    model: EntityModel,
    path: ResourcePath,
  ): Promise<ODataAnswer> => {
    const schema = model.require(path.set, 'read')
    const read = readOf(ctx, request, model, schema)
    const [first, ...more] = path.rest
    if (path.key === null) {
      if (first === undefined) return reads.list(read)
      if (first === '$count' && more.length === 0) return reads.count(read)
      throw refusePath(first, request.path)
    }
    if (first === undefined) return reads.entity(read, path.key)
    if (first.startsWith('$')) throw refusePath(first, request.path)
    if (model.fields(schema).some(({ name }) => name === first)) {
      if (more.length === 0) return reads.value(read, path.key, first, false)
      if (more[0] === '$value' && more.length === 1) return reads.value(read, path.key, first, true)
      throw refusePath(more[0]!, request.path)
    }
    const navigation = model.navigation(schema, first)
    if (navigation === undefined) throw unknownPath(request.path)
    return readNavigation(read, path.key, navigation, more)
  }

  /** What an entity leads to: one other entity, or the set of those that refer to it. */
  const readNavigation = async (
    read: ReadRequest,
    key: string,
    { source, target, many, field, isChildren }: Navigation,
    more: readonly string[],
  ): Promise<ODataAnswer> => {
    const { record } = await data.get(read.ctx, { object: read.schema.name, id: key, select: 'id' })
    const id = String(record['id'])
    if (target === userDirectory) throw unsupported('path', 'A path to a person')
    if (isChildren) {
      const operator = field.multiple ? '$contains' : '$eq'
      const within: Filter = { kind: 'condition', path: [field.name], operator, operand: id }
      const inner: ReadRequest = { ...read, schema: target, within }
      if (more.length === 0) return reads.list(inner)
      if (more[0] === '$count' && more.length === 1) return reads.count(inner)
      throw refusePath(more[0]!, read.path)
    }
    const { record: whole } = await data.get(read.ctx, { object: read.schema.name, id, select: source })
    const value = whole[source]
    if (many) {
      const ids = Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
      const within: Filter =
        ids.length === 0
          ? { kind: 'or', children: [] }
          : { kind: 'condition', path: ['id'], operator: '$in', operand: ids }
      if (more.length === 0) return reads.list({ ...read, schema: target, within })
      throw refusePath(more[0]!, read.path)
    }
    if (more.length > 0) throw refusePath(more[0]!, read.path)
    if (typeof value !== 'string') return { status: 204, headers: {} }
    return reads.entity({ ...read, schema: target }, value)
  }

  const writePath = async (
    ctx: RequestContext,
    request: ODataRequest,
    model: EntityModel,
    path: ResourcePath,
  ): Promise<ODataAnswer> => {
    const { method } = request
    if (path.rest.length > 0) {
      if (path.rest[0]!.startsWith('$')) throw refusePath(path.rest[0]!, request.path)
      throw unsupported('path', 'Writing parts of an entity')
    }
    if (path.key === null) {
      if (method !== 'POST') throw platformError('method_not_allowed', { allowed: Object.keys(setMethods) })
      const schema = model.require(path.set, 'create')
      return writes.create(readOf(ctx, request, model, schema), request)
    }
    if (method === 'POST') throw platformError('method_not_allowed', { allowed: Object.keys(entityMethods) })
    const schema = model.require(path.set, method === 'DELETE' ? 'delete' : 'edit')
    const read = readOf(ctx, request, model, schema)
    return method === 'DELETE' ? writes.remove(read, request, path.key) : writes.change(read, request, path.key)
  }

  const describe = (ctx: RequestContext, request: Pick<ODataRequest, 'query' | 'headers'>): ODataAnswer => {
    requireOpenRecords(parts.authorizer(), ctx)
    const { given } = readOptions(request.query)
    const { version } = formOf(request.headers, undefined)
    const csdl = describeModel(models(ctx))
    if (wantsJson(request.headers, given.format))
      return withVersion(request, { status: 200, body: writeJson(csdl), headers: {} })
    return withVersion(request, {
      status: 200,
      body: writeXml(csdl, version),
      contentType: 'application/xml; charset=utf-8',
      headers: {},
    })
  }

  return {
    answer,
    metadata: async (ctx, request) => describe(ctx, request),
    batch: createBatch({ ...parts, answer }),
  }
}

/** An answer with the media type of the form it is written in. */
function inItsForm(request: ODataRequest, answer: ODataAnswer): ODataAnswer {
  const { body, contentType } = answer
  if (body === undefined || contentType !== undefined) return withVersion(request, answer)
  const form = formOf(request.headers, readOptions(request.query).given.format)
  return withVersion(request, { ...answer, contentType: mediaTypeOf(form) })
}

function withVersion({ headers }: Pick<ODataRequest, 'headers'>, answer: ODataAnswer): ODataAnswer {
  return { ...answer, headers: { ...answer.headers, 'OData-Version': odataVersionOf(headers) } }
}

/** The methods of a set and of an entity, with what the object's API must offer for each: one of these (D-71). */
const setMethods: Methods = { GET: ['list', 'search'], POST: ['create'] }
const entityMethods: Methods = { GET: ['get'], PATCH: ['update'], PUT: ['update'], DELETE: ['delete'] }
type Methods = Readonly<Record<string, readonly string[]>>

/** What an object's API does not offer, told with the methods that are left for the path. */
function namingMethods(error: unknown, { key, rest }: ResourcePath): unknown {
  if (!(error instanceof PlatformError) || error.code !== 'method_not_allowed') return error
  const offered = error.details['allowed'] as readonly string[]
  const methods = rest.length > 0 ? {} : key === null ? setMethods : entityMethods
  if (offered.some((word) => Object.hasOwn(methods, word))) return error
  const left = Object.entries(methods).filter(([, any]) => any.some((operation) => offered.includes(operation)))
  return platformError('method_not_allowed', { allowed: left.map(([method]) => method) })
}

/** Paths with routes of their own, and the methods those take. */
const ownMethods: Readonly<Record<string, readonly string[] | undefined>> = {
  $metadata: ['GET', 'HEAD'],
  $batch: ['POST'],
}

const knownSegments: ReadonlySet<string> = new Set(['$ref', '$value', '$count', '$query', '$filter', '$each', '$all'])

/** Parts of the protocol there are none of are told apart from what is no path. */
function refusePath(segment: string, path: string): Error {
  return knownSegments.has(segment) || segment.includes('(')
    ? unsupported('path', `"${segment.slice(0, 50)}" here`)
    : unknownPath(path)
}
