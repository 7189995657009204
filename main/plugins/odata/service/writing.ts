// Answers writes: entities are made, changed, replaced and deleted through the data service.
import { requireApiMethods } from '#shared/object-api.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { DataService, StoredRecord } from '#main/plugins/data/api.ts'
import type { ODataAnswer, ODataRequest } from '../api.ts'
import type { DeepInsert } from './deep-insert.ts'
import { failureOfInsert, readDeepInsert } from './deep-insert.ts'
import { entityUrl, etagOf } from './entities.ts'
import { readEntity, readWholeEntity } from './payload.ts'
import type { ODataReads, ReadRequest } from './reading.ts'

/** Answers writes of entity sets. */
export interface ODataWrites {
  create(read: ReadRequest, request: ODataRequest): Promise<ODataAnswer>
  /** PATCH merges, PUT replaces. */
  change(read: ReadRequest, request: ODataRequest, id: string): Promise<ODataAnswer>
  remove(read: ReadRequest, request: ODataRequest, id: string): Promise<ODataAnswer>
}

/** Makes the writes over the data service. */
export function createWrites({
  data,
  authorizer,
  reads,
}: {
  readonly data: DataService
  readonly authorizer: () => Authorizer
  readonly reads: ODataReads
}): ODataWrites {
  /** The entity as it is stored now, or nothing where the client wants nothing; who may not read it gets nothing too. */
  const answerStored = async (read: ReadRequest, stored: StoredRecord, status: 200 | 201): Promise<ODataAnswer> => {
    const { schema, preferences, writing, ctx } = read
    const url = entityUrl(writing.base, schema, stored.id)
    const applied: Record<string, string> =
      preferences.returns === null ? {} : { 'Preference-Applied': `return=${preferences.returns}` }
    const headers: Record<string, string> = {
      ...applied,
      ...(status === 201 ? { Location: url } : {}),
      ETag: etagOf(stored.record['updated_at']),
    }
    const isSeen = data.readable(ctx, schema.name, [stored.id]).has(stored.id)
    if (preferences.returns === 'minimal' || !isSeen)
      return { status: 204, headers: { ...headers, 'OData-EntityId': url } }
    const answer = await reads.entity(read, stored.id, 201)
    return { ...answer, status, headers: { ...answer.headers, ...headers } }
  }

  /** What was made together is answered together, unless the request says what it wants to see. */
  const createTogether = async (read: ReadRequest, deep: DeepInsert): Promise<ODataAnswer> => {
    const options = { atomic: true, returnRecords: true, continueOnError: false, validateOnly: false }
    const result = await data.write(read.ctx, deep.steps, options)
    const failure = failureOfInsert(deep, result)
    if (failure !== null) throw failure
    const { id, record } = result.results[deep.main]!
    const given = { expand: deep.expand, ...read.options.given }
    return answerStored(
      { ...read, options: { ...read.options, given } },
      { object: read.schema.name, id: id!, record: record ?? {} },
      201,
    )
  }

  return {
    async create(read, { body }) {
      requireApiMethods(read.schema, 'create')
      const deep = readDeepInsert(read.schema, read.model, body)
      if (deep !== null) return createTogether(read, deep)
      const stored = await data.create(read.ctx, { object: read.schema.name, data: readEntity(read.schema, body) })
      return answerStored(read, stored, 201)
    },
    async change(read, { method, body, headers }, id) {
      const { schema, ctx } = read
      requireApiMethods(schema, 'update')
      const isOpen = (field: string): boolean => authorizer().canField(ctx, schema.name, field, 'editable')
      const values = method === 'PUT' ? readWholeEntity(schema, body, isOpen) : readEntity(schema, body)
      const { id: given, ...fields } = values
      const stored = await data.update(ctx, {
        object: schema.name,
        id,
        data: given === undefined || given === id ? fields : values,
        expectedVersion: versionOf(headers['if-match']),
      })
      return answerStored(read, stored, 200)
    },
    async remove({ schema, ctx, preferences }, { headers }, id) {
      requireApiMethods(schema, 'delete')
      const removed = await data.remove(ctx, {
        object: schema.name,
        id,
        expectedVersion: versionOf(headers['if-match']),
      })
      const body = { object: removed.object, id: removed.id, success: true, deleted: true }
      const answer: ODataAnswer =
        preferences.returns === 'minimal'
          ? { status: 204, headers: { 'Preference-Applied': 'return=minimal' } }
          : { status: 200, body, headers: {} }
      return answer
    },
  }
}

/** The version in If-Match, which a client repeats as it was told. @source D-55 */
export function versionOf(ifMatch: string | undefined): string | undefined {
  return ifMatch
    ?.trim()
    .replace(/^W\//, '')
    .replace(/^"(.*)"$/, '$1')
}
