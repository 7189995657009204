// The types of one object: its records and pages of them, filters, orders and what writes take (D-181). Fields are thunks:
// an object nobody asks for costs its name.
import type {
  GraphQLFieldConfig,
  GraphQLFieldConfigMap,
  GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
} from 'graphql'
import { graphqlTypeName } from '#shared/graphql-names.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { declaredTypeOf, fieldTypeOf } from '#shared/field-types/registry.ts'
import { userDirectory } from '#shared/user-directory.ts'
import type { PlatformRecord } from '#main/plugins/data/api.ts'
import type { VisibleObject, VisibleObjects } from '#main/plugins/permissions/api.ts'
import type { DirectField } from './direct-answers.ts'
import { directKey } from './direct-answers.ts'
import { costKey } from './limits.ts'
import { createNamePool } from './names.ts'
import type { RunContext } from './run-context.ts'
import { selectedFields } from './selection.ts'
import type { TypeBook } from './type-book.ts'
import { filterKindOf, idFilterKindOf, valueKindOf } from './value-kinds.ts'
import type { ValueKind } from './value-kinds.ts'
import type { WhereMember, WhereShape } from './where.ts'
import { filterOf } from './where.ts'

/** Most children of a record, and as many as there are without `top`, as in expansions (D-87). */
const maxChildren = 50

/** Input of a write: field names of the input type to fields of the record. */
export type InputNames = ReadonlyMap<string, string>

/** The types of one object. */
export interface ObjectTypes {
  readonly record: GraphQLObjectType
  readonly page: GraphQLObjectType
  readonly where: GraphQLInputObjectType
  readonly order: GraphQLInputObjectType
  readonly create: GraphQLInputObjectType
  readonly update: GraphQLInputObjectType
  readonly inputNames: InputNames
  whereShape(): WhereShape
  /** Fields of the record behind those of the type; null for all of them. */
  selectOf(names: readonly string[]): readonly string[] | null
}

/** What object types lead to; known once all are made. */
export interface TypeLinks {
  readonly objects: VisibleObjects
  typesOf(object: string): ObjectTypes
  readonly person: Pick<ObjectTypes, 'record' | 'where' | 'whereShape'>
}

/** Makes the types of an object under a name it has claimed. */
export function createObjectTypes(
  book: TypeBook,
  links: TypeLinks,
  object: VisibleObject,
  name: string,
  hasOrganizations: boolean,
): ObjectTypes {
  const { library } = book
  const base = graphqlTypeName(object.schema.name)
  const { enable, systemFields } = object.schema
  // Those of the trash come last, where there is one.
  const fields = enable.trash ? [...object.fields, ...systemFields.slice(6)] : object.fields
  const inputs = fields.filter((field) => !field.computed || field.name === 'id' || field.name === 'owner')
  const isRelation = (field: FieldSchema): boolean => fieldTypeOf(field).relation === true
  const relationsOf = (fields: readonly FieldSchema[]) => fields.filter(isRelation)
  const targetTypes = (field: FieldSchema) => {
    const target = links.objects.targetOf(field)
    if (target === undefined) return null
    return target === userDirectory ? links.person : links.typesOf(target.name)
  }
  let shape: Map<string, WhereMember> | undefined
  let columns: ReadonlyMap<string, string | null> | undefined

  const recordFields = (): GraphQLFieldConfigMap<PlatformRecord, RunContext> => {
    const pool = createNamePool()
    const shown: GraphQLFieldConfigMap<PlatformRecord, RunContext> = {}
    const found = new Map<string, string | null>()
    for (const field of fields) {
      const relation = isRelation(field)
      const types = relation ? targetTypes(field) : null
      if (relation && types === null) continue
      const key = pool.claim(field.name)
      found.set(key, field.name)
      const config = types === null ? plainField(book, field, valueKindOf(field)) : relationField(field, types.record)
      const told = saidOf(object.schema.definition.fields[field.name])
      shown[key] = told === undefined ? config : { ...config, description: told }
    }
    for (const field of relationsOf(fields)) {
      const key = pool.claim(`${field.name}Id`)
      found.set(key, field.name)
      shown[key] = {
        type: valueType(book, valueKindOf(field)),
        extensions: {
          [directKey]: { kind: field.multiple ? 'value' : 'key', column: field.name } satisfies DirectField,
        },
        resolve: (record) => record[field.name],
      }
    }
    for (const { name: child, schema: childSchema } of object.children) {
      const own = object.schema.byName.get(child)
      if (own !== undefined && declaredTypeOf(own).relation === true) continue
      const key = pool.claim(child)
      found.set(key, 'id')
      shown[key] = childrenField(child, childSchema.name)
    }
    if (hasOrganizations) {
      const key = pool.claim('organization_id')
      found.set(key, null)
      shown[key] = { type: book.scalar('ID'), resolve: (record) => record['organization_id'] }
    }
    columns = found
    return shown
  }

  const relationField = (
    field: FieldSchema,
    type: GraphQLObjectType,
  ): GraphQLFieldConfig<PlatformRecord, RunContext> => {
    const target = links.objects.targetOf(field)!.name
    const read = (id: unknown, { related }: RunContext, select: readonly string[] | null) => {
      if (typeof id !== 'string') return undefined
      return target === userDirectory.name ? related.person(id) : related.record(target, id, select)
    }
    const selectFor = (names: readonly string[]) =>
      target === userDirectory.name ? null : links.typesOf(target).selectOf(names)
    if (!field.multiple) {
      return {
        type,
        extensions: { [directKey]: { kind: 'relation', column: field.name } satisfies DirectField },
        resolve: (record, _args, run, info) => read(record[field.name], run, selectFor(selectedFields(info))),
      }
    }
    return {
      type: listOf(book, type),
      async resolve(record, _args, run, info) {
        const ids = record[field.name]
        if (!Array.isArray(ids)) return null
        const select = selectFor(selectedFields(info))
        const found = await Promise.all(ids.map((id) => read(id, run, select)))
        return found.filter((one) => one !== undefined)
      },
    }
  }

  const childrenField = (child: string, childObject: string): GraphQLFieldConfig<PlatformRecord, RunContext> => {
    const types = links.typesOf(childObject)
    return {
      type: new library.GraphQLNonNull(listOf(book, types.record)),
      args: {
        where: { type: types.where },
        orderBy: { type: listOf(book, types.order) },
        top: { type: book.scalar('Int'), default: { value: maxChildren } },
      },
      extensions: { [costKey]: { top: maxChildren, most: maxChildren } },
      resolve: (record, { where, orderBy, top }, { related }, info) =>
        related.children(object.schema.name, record, {
          name: child,
          fields: types.selectOf(selectedFields(info)),
          query: {
            ...(where == null ? {} : { where: filterOf(where, types.whereShape()) }),
            ...(orderBy == null ? {} : { orderBy }),
            limit: (top as number | null) ?? maxChildren,
          },
        }),
    }
  }

  const whereShape = (): WhereShape => {
    if (shape !== undefined) return shape
    shape = new Map(connectives.map((kind) => [kind, { kind }]))
    const pool = createNamePool(connectives)
    for (const field of fields) {
      if (isRelation(field)) {
        const types = targetTypes(field)
        if (types !== null)
          shape.set(pool.claim(field.name), { kind: 'relation', field: field.name, where: types.whereShape })
      } else if (filterKindOf(field) !== null) {
        shape.set(pool.claim(field.name), { kind: 'field', field: field.name })
      }
    }
    for (const { name: relation } of relationsOf(fields))
      shape.set(pool.claim(`${relation}Id`), { kind: 'field', field: relation })
    return shape
  }

  const where: GraphQLInputObjectType = new library.GraphQLInputObjectType({
    name: book.names.claim(`${base}Where`),
    fields: () =>
      whereFields(book, where, whereShape(), (member) => {
        const field = object.schema.byName.get(member.field)!
        if (member.kind === 'relation') return targetTypes(field)!.where
        return book.filter(isRelation(field) ? idFilterKindOf(field.multiple) : filterKindOf(field)!)
      }),
  })

  const inputFields = (fields: readonly FieldSchema[]) => (): GraphQLInputFieldConfigMap => {
    const config: GraphQLInputFieldConfigMap = {}
    const known = new Set(fields.map((field) => field.name))
    for (const [key, field] of inputNames) {
      if (known.has(field)) config[key] = { type: valueType(book, valueKindOf(object.schema.byName.get(field)!)) }
    }
    return config
  }
  const inputNames = new Map([
    ...inputs.map(({ name: field }) => [field, field] as const),
    ...relationsOf(inputs).map(({ name: field }) => [`${field}Id`, field] as const),
  ])

  const { description } = object.schema.definition
  const record = new library.GraphQLObjectType<PlatformRecord, RunContext>({
    name,
    ...(typeof description === 'string' ? { description } : {}),
    fields: recordFields,
  })
  const sortable = fields.filter((field) => field.sortable && fieldTypeOf(field).flags.sortable)
  return {
    record,
    where,
    whereShape,
    inputNames,
    page: pageType(book, `${base}Page`, record),
    order: orderType(book, base, sortable),
    create: new library.GraphQLInputObjectType({
      name: book.names.claim(`${base}Create`),
      fields: inputFields(inputs),
    }),
    update: new library.GraphQLInputObjectType({
      name: book.names.claim(`${base}Update`),
      fields: inputFields(inputs.filter((field) => field.name !== 'id')),
    }),
    selectOf(names) {
      const select = new Set(['id'])
      record.getFields()
      for (const one of names) {
        const column = columns!.get(one)
        if (column === null) return null
        if (column !== undefined) select.add(column)
      }
      return [...select]
    },
  }
}

/** The people that user fields lead to: no object, so nothing but what is shown of them and filtered by. */
export function createPersonTypes(book: TypeBook): TypeLinks['person'] {
  const { library } = book
  const name = book.names.claim('User')
  const fields = userDirectory.visibleFields
  const shape: WhereShape = new Map<string, WhereMember>([
    ...connectives.map((kind) => [kind, { kind }] as const),
    ...fields.map((field) => [field.name, { kind: 'field', field: field.name }] as const),
  ])
  const where: GraphQLInputObjectType = new library.GraphQLInputObjectType({
    name: book.names.claim('UserWhere'),
    fields: () =>
      whereFields(book, where, shape, ({ field }) => book.filter(filterKindOf(userDirectory.byName.get(field)!)!)),
  })
  const record = new library.GraphQLObjectType<PlatformRecord, RunContext>({
    name,
    fields: () => Object.fromEntries(fields.map((field) => [field.name, plainField(book, field, valueKindOf(field))])),
  })
  return { record, where, whereShape: () => shape }
}

const connectives = ['and', 'or', 'not'] as const

/** Fields every record has a value of. */
const neverNull = new Set(['id', 'created_at', 'updated_at'])

function plainField(
  book: TypeBook,
  field: FieldSchema,
  kind: ValueKind,
): GraphQLFieldConfig<PlatformRecord, RunContext> {
  const type = valueType(book, kind)
  const { name } = field
  return {
    type: field.system && neverNull.has(name) ? new book.library.GraphQLNonNull(type) : type,
    extensions: { [directKey]: { kind: 'value', column: name } satisfies DirectField },
    // An own value, whatever the name of the field is.
    resolve: (record) => (Object.hasOwn(record, name) ? record[name] : null),
  }
}

/** What a definition tells people of a field. */
function saidOf(definition: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const told = definition?.['description'] ?? definition?.['help']
  return typeof told === 'string' && told !== '' ? told : undefined
}

/** The type of a value, read or written. */
function valueType(book: TypeBook, { scalar, isList }: ValueKind) {
  const type = book.scalar(scalar)
  return isList ? listOf(book, type) : type
}

function listOf<T extends GraphQLObjectType | GraphQLInputObjectType | GraphQLScalarType>(
  { library }: TypeBook,
  type: T,
): GraphQLList<GraphQLNonNull<T>> {
  return new library.GraphQLList(new library.GraphQLNonNull(type))
}

function whereFields(
  book: TypeBook,
  where: GraphQLInputObjectType,
  shape: WhereShape,
  typeOf: (member: Extract<WhereMember, { field: string }>) => GraphQLInputObjectType,
): GraphQLInputFieldConfigMap {
  const config: GraphQLInputFieldConfigMap = {}
  for (const [key, member] of shape) {
    const type = 'field' in member ? typeOf(member) : member.kind === 'not' ? where : listOf(book, where)
    config[key] = { type }
  }
  return config
}

function pageType({ library, names, scalar }: TypeBook, name: string, record: GraphQLObjectType): GraphQLObjectType {
  const { GraphQLNonNull: Required, GraphQLList: List } = library
  return new library.GraphQLObjectType({
    name: names.claim(name),
    fields: () => ({
      records: { type: new Required(new List(new Required(record))) },
      total: { type: scalar('Int') },
      hasMore: { type: new Required(scalar('Boolean')) },
      nextCursor: { type: scalar('String') },
    }),
  })
}

function orderType(book: TypeBook, base: string, sortable: readonly FieldSchema[]): GraphQLInputObjectType {
  const { library } = book
  // Words that stand for values cannot name one of an enumeration.
  const pool = createNamePool(['true', 'false', 'null'])
  const field = book.words(
    `${base}Field`,
    sortable.map(({ name }) => [pool.claim(name), name]),
  )
  return new library.GraphQLInputObjectType({
    name: book.names.claim(`${base}Order`),
    fields: () => ({
      field: { type: new library.GraphQLNonNull(field) },
      order: { type: book.sortOrder, default: { value: 'asc' } },
    }),
  })
}
