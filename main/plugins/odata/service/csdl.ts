// The model of a caller's entities, as both of its written forms need it.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { userDirectory } from '#shared/user-directory.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { EdmType } from './edm-types.ts'
import { edmTypeOf, namespace, sharedTypes } from './edm-types.ts'
import type { EntityModel } from './model.ts'

/** One property. */
export interface CsdlProperty {
  readonly name: string
  readonly type: EdmType
}

/** One way to other entities. */
export interface CsdlNavigation {
  readonly name: string
  /** The entity type, with its namespace. */
  readonly type: string
  readonly many: boolean
  /** The property that holds the key of the other entity; null where there is none of one value. */
  readonly foreignKey: string | null
  /** The navigation that leads back; null where there is none. */
  readonly partner: string | null
  /** The entity set of the others; null for people, who are none. */
  readonly set: string | null
}

/** One type with properties; without a key it is the type of values. */
export interface CsdlType {
  readonly name: string
  readonly isEntity: boolean
  readonly isOpen: boolean
  readonly properties: readonly CsdlProperty[]
  readonly navigations: readonly CsdlNavigation[]
}

/** Everything the model says. */
export interface Csdl {
  readonly types: readonly CsdlType[]
  /** Names of the entity sets; each has the type of its name. */
  readonly sets: readonly string[]
}

/** The name of the type of people. */
const person = 'User'

/** Describes the entities of a caller. @source D-183 */
export function describeModel(model: EntityModel): Csdl {
  const objects = model.objects()
  const types: CsdlType[] = []
  const inner: CsdlType[] = []
  for (const schema of objects) {
    const fields = model.fields(schema)
    types.push({
      name: schema.name,
      isEntity: true,
      isOpen: false,
      properties: fields.map((field) => property(schema.name, field, inner)),
      navigations: navigationsOf(schema, model),
    })
  }
  types.push({
    name: person,
    isEntity: true,
    isOpen: false,
    properties: userDirectory.visibleFields.map((field) =>
      field.name === 'id' ? idOfPerson : property(person, field, inner),
    ),
    navigations: [],
  })
  const shared = Object.entries(sharedTypes).map(([name, parts]): CsdlType => ({
    name,
    isEntity: false,
    isOpen: true,
    properties: Object.entries(parts).map(([part, type]) => ({
      name: part,
      type: { name: type, isCollection: false, nullable: true, ...(type === 'Edm.Decimal' ? variable : {}) },
    })),
    navigations: [],
  }))
  return { types: [...types, ...inner, ...shared], sets: objects.map(({ name }) => name) }
}

const variable = { scale: 'variable' } as const

/** Ids of people are texts wherever records name them. */
const idOfPerson: CsdlProperty = { name: 'id', type: { name: 'Edm.String', isCollection: false, nullable: false } }

function property(owner: string, field: FieldSchema, inner: CsdlType[]): CsdlProperty {
  const type = edmTypeOf(owner, field)
  if (type.inner !== undefined) {
    const name = type.name.slice(namespace.length + 1)
    inner.push({
      name,
      isEntity: false,
      isOpen: false,
      properties: type.inner.map((part) => property(name, part, inner)),
      navigations: [],
    })
  }
  return { name: field.name, type }
}

function navigationsOf(schema: ObjectSchema, model: EntityModel): CsdlNavigation[] {
  const all = model.navigations(schema)
  return all.map(({ name, target, many, field, isChildren }) => {
    const isPerson = target === userDirectory
    const back = isPerson
      ? undefined
      : model
          .navigations(target)
          .find((other) => other.isChildren !== isChildren && other.field === field && other.target === schema)
    return {
      name,
      type: `${namespace}.${isPerson ? person : target.name}`,
      many,
      foreignKey: isChildren || many ? null : field.name,
      partner: back?.name ?? null,
      set: isPerson ? null : target.name,
    }
  })
}
