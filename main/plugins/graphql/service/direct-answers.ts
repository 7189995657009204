// Answers the documents that clients send most, lists of records with what they lead to one by one, without running every
// field of every record: each list is one read of the data service, related records included, and what was compiled of the
// document once writes the records as text. Everything else, and what its arguments refuse, is left to the library; a list
// that fails while it is read is told here, so that nothing is read twice.
import type {
  DocumentNode,
  FieldNode,
  FragmentDefinitionNode,
  GraphQLError,
  GraphQLField,
  GraphQLObjectType,
  GraphQLOutputType,
  OperationDefinitionNode,
  SelectionNode,
} from 'graphql'
import { createRecentMap } from '#main/kernel/recent-map.ts'
import { RawJson } from '#main/kernel/reply.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { RowMember } from '#main/database/query/json-rows.ts'
import type { DataService, PlatformRecord, RecordPage, RecordQuery, ShapedRead } from '#main/plugins/data/api.ts'
import { maxExpandDepth, maxExpandPaths } from '#shared/filter/select.ts'
import type { CallerSchema } from './schema-cache.ts'

/** Key of {@link DirectField} in the extensions of a field. */
export const directKey = 'direct'

/** What a field stands for where nothing has to be run for it. */
export type DirectField =
  | { readonly kind: 'value' | 'key' | 'relation'; readonly column: string }
  | {
      readonly kind: 'page'
      readonly object: string
      /** Null where the arguments ask for more than a plain list. @throws what refuses the list */
      query(args: Readonly<Record<string, unknown>>): RecordQuery | null
    }

/** An answer whose data is JSON text. */
export interface DirectResult {
  readonly data: string
  readonly errors: readonly GraphQLError[]
}

/** Answers an operation; null where the library has to. */
export type DirectAnswer = (
  ctx: RequestContext,
  variables: Readonly<Record<string, unknown>>,
  /** The variables as JSON: what they ask for is remembered by it. */
  variablesText: string,
) => Promise<DirectResult> | null

/** Writes JSON text. @throws notDirect for a value its type does not have */
type Write<Value = unknown> = (value: Value) => string

/** What one level of records is read with, and how it is written. */
interface Level {
  readonly select: readonly string[]
  readonly expand: Readonly<Record<string, unknown>>
  readonly write: Write<PlatformRecord>
  /** The same written by the database; null where a value has to be looked at. */
  readonly members: readonly RowMember[] | null
}

interface List {
  readonly key: string
  readonly field: GraphQLField<unknown, unknown>
  readonly node: FieldNode
  readonly plan: Extract<DirectField, { kind: 'page' }>
  /** What its records are written from. */
  readonly query: ShapedRead['query']
  readonly counts: boolean
  /** Null where the database cannot write the records. */
  readonly shaped: ShapedRead | null
  /** A page with its records as they were read, or as text. */
  readonly write: Write<WrittenPage>
}

type WrittenPage = RecordPage | (Omit<RecordPage, 'records' | 'object'> & { readonly records: string })

/** The lists of an operation, each with what its arguments ask for. */
type Asked = readonly { readonly list: List; readonly query: RecordQuery }[]

/** Texts of variables remembered per operation, and the longest. */
const maxKnown = 32
const maxKnownText = 400

/** Thrown while compiling: the document is none of these. */
const notDirect = Symbol('not direct')

/** Makes the answer of an operation of a valid document; null where it needs the library. */
export function compileDirect(
  { library, schema }: Pick<CallerSchema, 'library' | 'schema'>,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  data: Pick<DataService, 'list' | 'listShaped'>,
): DirectAnswer | null {
  if (operation.operation !== 'query') return null
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions)
    if (definition.kind === 'FragmentDefinition') fragments.set(definition.name.value, definition)
  const counter = { paths: 0 }

  /** The fields of a selection by the key of their answers. @throws notDirect */
  const fieldsOf = (type: GraphQLObjectType, selections: readonly SelectionNode[]): Map<string, FieldNode> => {
    const found = new Map<string, FieldNode>()
    const walk = (nodes: readonly SelectionNode[]): void => {
      for (const node of nodes) {
        if ((node.directives?.length ?? 0) > 0) throw notDirect
        if (node.kind === 'Field') {
          const key = (node.alias ?? node.name).value
          // What is asked for twice has to be merged.
          if (found.has(key)) throw notDirect
          found.set(key, node)
          continue
        }
        const inner = node.kind === 'InlineFragment' ? node : fragments.get(node.name.value)!
        if ((inner.directives?.length ?? 0) > 0) throw notDirect
        if (inner.typeCondition !== undefined && inner.typeCondition.name.value !== type.name) throw notDirect
        walk(inner.selectionSet.selections)
      }
    }
    walk(selections)
    return found
  }

  const defined = (type: GraphQLObjectType, node: FieldNode): GraphQLField<unknown, unknown> => {
    const field = type.getFields()[node.name.value]
    if (field === undefined) throw notDirect
    return field
  }

  const writeLeaf = (type: GraphQLOutputType): Write => {
    if (library.isNonNullType(type)) {
      const write = writeLeaf(type.ofType)
      return (value) => (value == null ? refuse() : write(value))
    }
    if (library.isListType(type)) {
      const write = writeLeaf(type.ofType)
      return (value) => (value == null ? 'null' : Array.isArray(value) ? writeArray(value, write) : refuse())
    }
    if (!library.isLeafType(type)) throw notDirect
    return (value) => (value == null ? 'null' : writeValue(type.coerceOutputValue(value)))
  }

  const compileLevel = (type: GraphQLObjectType, selections: readonly SelectionNode[], depth: number): Level => {
    const select = new Set(['id'])
    const expand: Record<string, unknown> = {}
    const writes: (readonly [string, Write<PlatformRecord>])[] = []
    const members: (RowMember | null)[] = []
    for (const [key, node] of fieldsOf(type, selections)) {
      if (node.name.value === '__typename') {
        writes.push([key, () => JSON.stringify(type.name)])
        members.push({ key, text: type.name })
        continue
      }
      const field = defined(type, node)
      const direct = field.extensions[directKey] as DirectField | undefined
      if (direct === undefined || direct.kind === 'page') throw notDirect
      const { column } = direct
      select.add(column)
      if (direct.kind === 'relation') {
        // A relation that is asked for twice needs two reads.
        if (Object.hasOwn(expand, column) || depth === maxExpandDepth || ++counter.paths > maxExpandPaths)
          throw notDirect
        const inner = compileLevel(field.type as GraphQLObjectType, node.selectionSet!.selections, depth + 1)
        const deeper = Object.keys(inner.expand).length === 0 ? {} : { expand: inner.expand }
        expand[column] = { fields: inner.select, ...deeper }
        writes.push([key, (record) => (isRecord(record[column]) ? inner.write(record[column]) : 'null')])
        members.push(inner.members && { key, field: column, related: inner.members })
        continue
      }
      const write = writeLeaf(field.type)
      members.push({ key, field: column })
      writes.push([
        key,
        direct.kind === 'key' ? (record) => write(keyOf(record[column])) : (record) => write(ownOf(record, column)),
      ])
    }
    const isPlain = members.every((member) => member !== null)
    return { select: [...select], expand, write: writerOf(writes), members: isPlain ? members : null }
  }

  const compileList = (key: string, node: FieldNode, field: GraphQLField<unknown, unknown>): List => {
    const plan = field.extensions[directKey] as DirectField | undefined
    if (plan?.kind !== 'page') throw notDirect
    const type = library.getNamedType(field.type) as GraphQLObjectType
    const parts = fieldsOf(type, node.selectionSet!.selections)
    const asked = [...parts.values()].filter(({ name }) => name.value === 'records')
    if (asked.length !== 1) throw notDirect
    const record = library.getNamedType(defined(type, asked[0]!).type) as GraphQLObjectType
    const records = compileLevel(record, asked[0]!.selectionSet!.selections, 0)
    const writeRecords = (given: WrittenPage['records']): string =>
      typeof given === 'string' ? given : writeArray(given, records.write)
    const writes = [...parts].map(([name, part]) => {
      const word = part.name.value
      if (word === 'records')
        return [name, (page: PlatformRecord) => writeRecords(page['records'] as WrittenPage['records'])] as const
      if (word === '__typename') return [name, () => JSON.stringify(type.name)] as const
      const write = writeLeaf(defined(type, part).type)
      return [name, (page: PlatformRecord) => write(page[word])] as const
    })
    const counts = [...parts.values()].some(({ name }) => name.value === 'total')
    const write = writerOf(writes)
    const query = {
      select: records.select,
      ...(Object.keys(records.expand).length === 0 ? {} : { expand: records.expand }),
    }
    const shaped = counts || records.members === null ? null : { query, shape: { members: records.members } }
    return { key, field, node, plan, query, counts, shaped, write: (page) => write(page as PlatformRecord) }
  }

  const compile = (): List[] | null => {
    try {
      const root = schema.getQueryType()!
      const fields = fieldsOf(root, operation.selectionSet.selections)
      if ((operation.directives?.length ?? 0) > 0) return null
      return [...fields].map(([key, node]) => compileList(key, node, defined(root, node)))
    } catch (error) {
      if (error === notDirect) return null
      throw error
    }
  }

  const lists = compile()
  if (lists === null) return null
  const readPage = async (ctx: RequestContext, list: List, asked: RecordQuery): Promise<WrittenPage> => {
    const { plan, query, counts, shaped } = list
    const written = shaped === null ? null : await data.listShaped(ctx, plan.object, asked, shaped)
    if (written !== null) return written
    const page = await data.list(ctx, plan.object, { ...asked, ...query, ...(counts ? { count: true } : {}) })
    return page instanceof RawJson ? (JSON.parse(page.text) as RecordPage) : page
  }
  /** Null for variables that are not valid, and for arguments that ask for more than plain lists. */
  const askedBy = (variables: Readonly<Record<string, unknown>>): Asked | null => {
    const given = library.getVariableValues(schema, operation.variableDefinitions ?? [], variables)
    if (given.errors !== undefined) return null
    const asked: Asked[number][] = []
    for (const list of lists) {
      const query = list.plan.query(library.getArgumentValues(list.field, list.node, given.variableValues))
      if (query === null) return null
      asked.push({ list, query })
    }
    return asked
  }
  const known = createRecentMap<Asked>(maxKnown)
  return (ctx, variables, variablesText) => {
    const asked = known.get(variablesText) ?? askedBy(variables)
    if (asked === null) return null
    if (variablesText.length <= maxKnownText) known.set(variablesText, asked)
    return Promise.allSettled(asked.map(({ list, query }) => readPage(ctx, list, query))).then(answerOf)
  }

  /** A list that failed is null, with its error at its place. @throws notDirect for a value its type does not have */
  function answerOf(pages: readonly PromiseSettledResult<WrittenPage>[]): DirectResult {
    const data: string[] = []
    const errors: GraphQLError[] = []
    for (const [index, page] of pages.entries()) {
      const { key, node, write } = lists![index]!
      data.push(`${JSON.stringify(key)}:${page.status === 'fulfilled' ? write(page.value) : 'null'}`)
      if (page.status === 'rejected') errors.push(library.locatedError(page.reason, node, [key]))
    }
    return { data: `{${data.join(',')}}`, errors }
  }
}

/** Writes objects with the same keys in the same order. */
function writerOf(given: readonly (readonly [string, Write<PlatformRecord>])[]): Write<PlatformRecord> {
  const writes = given.map(([key, write], at) => ({ lead: `${at === 0 ? '{' : ','}${JSON.stringify(key)}:`, write }))
  return (record) => {
    let text = ''
    for (const { lead, write } of writes) text += lead + write(record)
    return `${text}}`
  }
}

function writeValue(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined
  return text === undefined || text === 'null' ? refuse() : text
}

function writeArray<Value>(values: readonly Value[], write: Write<Value>): string {
  let text = ''
  for (let index = 0; index < values.length; index += 1) text += (index === 0 ? '' : ',') + write(values[index]!)
  return `[${text}]`
}

/** An own value, whatever the name of the field is. */
function ownOf(record: PlatformRecord, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : null
}

/** The id behind a relation, whether its record was read or not. */
function keyOf(value: unknown): unknown {
  return isRecord(value) ? value['id'] : value
}

function isRecord(value: unknown): value is PlatformRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function refuse(): never {
  throw notDirect
}
