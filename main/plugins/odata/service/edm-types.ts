// The type of a field in the model of the protocol.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'

/** The namespace of all types. */
export const namespace = 'Cairn'

/** A property's type with what the model says of its values. */
export interface EdmType {
  /** With its namespace. */
  readonly name: string
  readonly isCollection: boolean
  readonly nullable: boolean
  readonly maxLength?: number
  readonly precision?: number
  readonly scale?: number | 'variable'
  /** Inner fields of a type that is made for this field alone. */
  readonly inner?: readonly FieldSchema[]
}

/** Types of values with parts that several fields share, by name; they are open to further parts. */
export const sharedTypes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Money: { value: 'Edm.Decimal', currency: 'Edm.String' },
  Address: {
    street: 'Edm.String',
    city: 'Edm.String',
    state: 'Edm.String',
    postalCode: 'Edm.String',
    country: 'Edm.String',
    countryCode: 'Edm.String',
    formatted: 'Edm.String',
  },
  Location: { latitude: 'Edm.Double', longitude: 'Edm.Double', altitude: 'Edm.Double', accuracy: 'Edm.Double' },
  File: { fileId: 'Edm.String', name: 'Edm.String', mimeType: 'Edm.String', size: 'Edm.Int64' },
  Link: { object: 'Edm.String', id: 'Edm.Guid' },
}

const named: Readonly<Record<string, string>> = {
  id: 'Edm.Guid',
  address: `${namespace}.Address`,
  location: `${namespace}.Location`,
  record: `${namespace}.Link`,
  json: 'Edm.Untyped',
  user: 'Edm.String',
}

/** The type of a field of an object. Names of types made for a field have a capital, which no object and no field has. */
export function edmTypeOf(owner: string, field: FieldSchema): EdmType {
  const type = fieldTypeOf(field)
  const base = { isCollection: field.multiple, nullable: !isNeverNull(field) }
  if (field.type === 'composite' || field.type === 'repeater')
    return { ...base, name: `${namespace}.${owner}Value_${field.name}`, inner: field.inner }
  if (field.type === 'vector') return { ...base, name: 'Edm.Double', isCollection: true }
  if (type.file === true) return { ...base, name: `${namespace}.File` }
  const known = named[field.type]
  if (known !== undefined) return { ...base, name: known }
  if (type.relation === true) return { ...base, name: 'Edm.Guid' }
  if (type.calendar === 'date') return { ...base, name: 'Edm.Date' }
  if (type.calendar === 'time') return { ...base, name: 'Edm.TimeOfDay', precision: 0 }
  if (type.calendar === 'datetime') return { ...base, name: 'Edm.DateTimeOffset', precision: 3 }
  if (type.storage === 'boolean') return { ...base, name: 'Edm.Boolean' }
  if (field.type === 'currency') {
    if (field.extraColumns.length > 0) return { ...base, name: `${namespace}.Money` }
    return { ...base, name: 'Edm.Decimal', scale: 'variable' }
  }
  if (field.sqlType === 'INTEGER') return { ...base, name: 'Edm.Int64' }
  if (field.sqlType === 'REAL') return { ...base, name: 'Edm.Double' }
  const { maxLength } = type.jsonSchema(field)
  return { ...base, name: 'Edm.String', ...(typeof maxLength === 'number' ? { maxLength } : {}) }
}

/** Whether numbers of the type are written as texts for clients that cannot hold them. */
export function isWideNumber(type: EdmType): boolean {
  return type.name === 'Edm.Int64' || type.name === 'Edm.Decimal'
}

/** Always there is what the server itself writes alone: what an object demands today, older records may lack (D-375). */
function isNeverNull(field: FieldSchema): boolean {
  return field.system && ['id', 'created_at', 'updated_at'].includes(field.name)
}
