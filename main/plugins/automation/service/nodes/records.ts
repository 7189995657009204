// Nodes over records. Everything goes through the data service with the rights of the run; what a node writes and the
// end of its step are one transaction.
import { z } from 'zod'
import { PlatformError, validationError } from '#shared/errors.ts'
import { plainOperand } from '#shared/filter/filter-templates.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { BulkItem, BulkOperation, DataService, PlatformRecord } from '#main/plugins/data/api.ts'
import type { ConfigCheck, ConfigProblem, NodeCall, NodeOutcome, NodeType } from '../../api.ts'
import { FreeMap, defineNodeType } from './node-type.ts'

/** Records one node may change by a filter; more are refused rather than changed in part. */
const maxRecords = 1_000

const object = z.string().min(1)
const id = z.string().min(1)
const filter = z.unknown()
const data = FreeMap

/** An id or a filter, and not both. */
const oneOf = (config: { id?: string | undefined; filter?: unknown }): boolean =>
  (config.id === undefined) !== (config.filter === undefined || config.filter === null)

const oneOfMessage = 'The node has either an id or a filter.'

/** Makes the node types over records. */
export function recordNodes(records: Pick<DataService, 'get' | 'find' | 'bulk'>): NodeType[] {
  /** Writes records in one transaction, which also ends the step. */
  const writeAll = async (
    call: Pick<NodeCall, 'ctx' | 'finish'>,
    input: { object: string; operation: BulkOperation; records: BulkItem[] },
    outcomeOf: (results: readonly { id?: string; record?: PlatformRecord }[]) => NodeOutcome,
  ): Promise<NodeOutcome> => {
    let outcome: NodeOutcome = {}
    const result = await records.bulk(call.ctx, {
      ...input,
      options: { atomic: true, returnRecords: true, continueOnError: false, validateOnly: false },
      maxRecords,
      alongside(tx, results) {
        outcome = outcomeOf(results)
        call.finish(tx, outcome)
      },
    })
    const { error } = result
    if (error !== undefined) throw new PlatformError(error.code, error, error.details)
    return outcome
  }

  /** The ids a filter finds. @throws validation_error when there are more than one node changes */
  const found = async (ctx: RequestContext, objectName: string, wanted: unknown): Promise<string[]> => {
    const page = await records.find(ctx, objectName, { filter: wanted, select: ['id'], top: maxRecords })
    if (!page.hasMore) return page.records.map((record) => String(record['id']))
    const message = `More than ${maxRecords} records match.`
    throw validationError([{ field: 'config.filter', code: 'not_allowed', message, constraint: maxRecords }])
  }

  const createRecord = defineNodeType({
    type: 'create_record',
    name: 'Create a record',
    description: 'Creates a record.',
    icon: 'square-plus',
    category: 'data',
    configSchema: z.looseObject({ object, data }),
    effect: 'transaction',
    check: checkObject,
    execute: (call) =>
      writeAll(
        call,
        { object: call.config.object, operation: 'create', records: [{ data: call.config.data }] },
        firstRecord,
      ),
  })

  const getRecord = defineNodeType({
    type: 'get_record',
    name: 'Get records',
    description: 'Reads a record by its id, or those a filter finds.',
    icon: 'search',
    category: 'data',
    configSchema: z
      .looseObject({
        object,
        id: id.optional(),
        filter: filter.optional(),
        select: z.unknown().optional(),
        sort: z.unknown().optional(),
        first: z.boolean().default(true),
        top: z.int().min(1).max(maxRecords).optional(),
      })
      .refine((config) => config.id === undefined || config.filter === undefined, oneOfMessage),
    effect: 'none',
    filters: ['filter'],
    check: checkObject,
    async execute({ ctx, config }) {
      if (config.id !== undefined) return { output: await recordOrNull(ctx, config.object, config.id, config.select) }
      const { filter: wanted, select, sort, first, top } = config
      const query = { ...(wanted === undefined ? {} : { filter: wanted }), select, sort, top: first ? 1 : (top ?? 20) }
      const page = await records.find(ctx, config.object, query)
      return { output: first ? (page.records[0] ?? null) : page.records }
    },
  })

  const recordOrNull = async (
    ctx: RequestContext,
    objectName: string,
    recordId: string,
    select: unknown,
  ): Promise<PlatformRecord | null> => {
    try {
      return (await records.get(ctx, { object: objectName, id: recordId, select })).record
    } catch (error) {
      // An object that is not there is a mistake of the flow; a record that is not there is an answer.
      if (error instanceof PlatformError && error.details['resource'] === 'record') return null
      throw error
    }
  }

  const updateRecord = defineNodeType({
    type: 'update_record',
    name: 'Update records',
    description: 'Changes a record, or all that a filter finds.',
    icon: 'edit',
    category: 'data',
    configSchema: z
      .looseObject({ object, id: id.optional(), filter: filter.optional(), data })
      .refine(oneOf, oneOfMessage),
    effect: 'transaction',
    filters: ['filter'],
    check: checkObject,
    async execute(call) {
      const { object: name, id: recordId, filter: wanted, data: values } = call.config
      const ids = recordId === undefined ? await found(call.ctx, name, wanted) : [recordId]
      if (ids.length === 0) return { output: { count: 0 } }
      const all = ids.map((one) => ({ id: one, data: values }))
      return writeAll(call, { object: name, operation: 'update', records: all }, (results) =>
        recordId === undefined ? { output: { count: results.length } } : firstRecord(results),
      )
    },
  })

  const deleteRecord = defineNodeType({
    type: 'delete_record',
    name: 'Delete records',
    description: 'Deletes a record, or all that a filter finds.',
    icon: 'trash',
    category: 'data',
    configSchema: z.looseObject({ object, id: id.optional(), filter: filter.optional() }).refine(oneOf, oneOfMessage),
    effect: 'transaction',
    filters: ['filter'],
    check: checkObject,
    async execute(call) {
      const { object: name, id: recordId, filter: wanted } = call.config
      const ids = recordId === undefined ? await found(call.ctx, name, wanted) : [recordId]
      if (ids.length === 0) return { output: { count: 0 } }
      const all = ids.map((one) => ({ id: one }))
      return writeAll(call, { object: name, operation: 'delete', records: all }, (results) => ({
        output: { count: results.length },
      }))
    },
  })

  const upsertRecord = defineNodeType({
    type: 'upsert_record',
    name: 'Create or update a record',
    description: 'Changes the record whose fields match, or creates one.',
    icon: 'copy-plus',
    category: 'data',
    configSchema: z.looseObject({ object, matchFields: z.array(z.string()).min(1).max(10), data }),
    effect: 'transaction',
    check: (config, ask) => [
      ...checkObject(config, ask),
      ...(Array.isArray(config['matchFields']) ? (config['matchFields'] as string[]) : []).flatMap((field) =>
        ask.hasField(String(config['object']), field)
          ? []
          : [{ path: 'matchFields', code: 'unknown_field', message: `There is no field "${field}".` }],
      ),
    ],
    async execute(call) {
      const { object: name, matchFields, data: values } = call.config
      const missing = matchFields.filter((field) => (values[field] ?? null) === null)
      if (missing.length > 0)
        throw validationError(
          missing.map((field) => ({
            field: `config.data.${field}`,
            code: 'required',
            message: 'The value to match is missing.',
          })),
        )
      // A map or a list of what comes with the data would be read as operators, and match another record.
      const operands = matchFields.map((field) => ({ field, operand: plainOperand(values[field]) }))
      const unfit = operands.filter(({ operand }) => operand === undefined)
      if (unfit.length > 0)
        throw validationError(
          unfit.map(({ field }) => ({
            field: `config.data.${field}`,
            code: 'invalid_type',
            message: 'Only a single value can be matched.',
          })),
        )
      const wanted = Object.fromEntries(operands.map(({ field, operand }) => [field, { $eq: operand }]))
      const page = await records.find(call.ctx, name, { filter: wanted, select: ['id'], top: 2 })
      if (page.records.length > 1)
        throw validationError([{ field: 'config.matchFields', code: 'not_unique', message: 'Several records match.' }])
      const [match] = page.records
      return match === undefined
        ? writeAll(call, { object: name, operation: 'create', records: [{ data: values }] }, firstRecord)
        : writeAll(
            call,
            { object: name, operation: 'update', records: [{ id: String(match['id']), data: values }] },
            firstRecord,
          )
    },
  })

  return [createRecord, getRecord, updateRecord, deleteRecord, upsertRecord]
}

function firstRecord(results: readonly { record?: PlatformRecord }[]): NodeOutcome {
  return { output: results[0]?.record ?? null }
}

function checkObject(
  { object: name, data: values }: Readonly<Record<string, unknown>>,
  ask: ConfigCheck,
): ConfigProblem[] {
  if (typeof name !== 'string' || name.includes('{{')) return []
  if (!ask.hasObject(name))
    return [{ path: 'object', code: 'unknown_object', message: `There is no object "${name}".` }]
  if (typeof values !== 'object' || values === null) return []
  return Object.keys(values).flatMap((field) =>
    ask.hasField(name, field)
      ? []
      : [{ path: `data.${field}`, code: 'unknown_field', message: `There is no field "${field}".` }],
  )
}
