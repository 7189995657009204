// Owns narrowing the OpenAPI document of the host to one object: its operations under its own name, and the fields the
// caller may read and write in place of "any field". Pure.
import type { FieldDefinition } from '../../fields/index.ts'

/** JSON Schema as far as it is shown. */
export type Schema = { readonly [key: string]: unknown }

/** A parameter as it is shown. */
export interface ShownParameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly description: string
}

/** An operation of an object. */
export interface ShownOperation {
  readonly id: string
  readonly method: string
  /** Below the host, with names in braces where something is to be filled in. */
  readonly path: string
  readonly summary: string
  readonly parameters: readonly ShownParameter[]
  /** Example of the body as JSON; undefined where there is none. */
  readonly body: string | undefined
  /** Refusals by their status. */
  readonly refusals: readonly { readonly status: string; readonly codes: string }[]
}

/** The document as far as it is read. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}

/** What decides which operations there are, and with which fields. */
export interface DocumentScope {
  readonly object: string
  /** Operations the object's API offers (D-71); null for all. */
  readonly methods: readonly string[] | null
  /** What the caller may do with its records. */
  readonly may: { readonly create: boolean; readonly edit: boolean; readonly delete: boolean }
  /** Fields the caller may write. */
  readonly writable: readonly FieldDefinition[]
}

/** What an operation needs: the word of the object's API, and the right. */
const needs: Readonly<Record<string, readonly [method: string, right: keyof DocumentScope['may'] | null]>> = {
  listRecords: ['list', null],
  queryRecords: ['list', null],
  getRecord: ['get', null],
  createRecord: ['create', 'create'],
  updateRecord: ['update', 'edit'],
  deleteRecord: ['delete', 'delete'],
  restoreRecord: ['restore', 'delete'],
  batchRecords: ['bulk', 'edit'],
  createManyRecords: ['bulk', 'create'],
  updateManyRecords: ['bulk', 'edit'],
  deleteManyRecords: ['bulk', 'delete'],
  cloneRecord: ['clone', 'create'],
  exportRecords: ['export', null],
}

/** The operations of an object, in the order of the document. */
export function operationsOf(document: ApiDocument, scope: DocumentScope): ShownOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]): ShownOperation[] => {
      const id = String(operation['operationId'])
      const need = Object.hasOwn(needs, id) ? needs[id] : undefined
      if (need === undefined || !path.includes('{object}')) return []
      const [word, right] = need
      if (scope.methods !== null && !scope.methods.includes(word)) return []
      if (right !== null && !scope.may[right]) return []
      return [
        {
          id,
          method: method.toUpperCase(),
          path: path.replace('{object}', scope.object),
          summary: String(operation['summary'] ?? ''),
          parameters: parametersOf(operation),
          body: bodyOf(id, operation, scope),
          refusals: refusalsOf(operation),
        },
      ]
    }),
  )
}

function parametersOf(operation: Readonly<Record<string, unknown>>): ShownParameter[] {
  const list = (operation['parameters'] ?? []) as readonly (Omit<ShownParameter, 'description'> & {
    readonly description?: string
  })[]
  return list
    .filter(({ name }) => name !== 'object')
    .map(({ name, in: place, required, description = '' }) => ({ name, in: place, required, description }))
}

function refusalsOf(operation: Readonly<Record<string, unknown>>): ShownOperation['refusals'] {
  const responses = (operation['responses'] ?? {}) as Readonly<Record<string, Readonly<Record<string, unknown>>>>
  return Object.entries(responses).flatMap(([status, response]) => {
    const codes = response['x-error-codes']
    return Array.isArray(codes) ? [{ status, codes: codes.join(', ') }] : []
  })
}

const bodies: Readonly<Record<string, (values: Record<string, unknown>) => unknown>> = {
  queryRecords: () => ({ top: 20, count: true }),
  createRecord: (values) => values,
  updateRecord: (values) => values,
  createManyRecords: (values) => [values],
  updateManyRecords: (values) => ({ records: [{ id: '', data: values }] }),
  deleteManyRecords: () => ({ ids: [''] }),
  batchRecords: (values) => ({ operation: 'create', records: [{ data: values }], options: { validateOnly: true } }),
}

function bodyOf(
  id: string,
  operation: Readonly<Record<string, unknown>>,
  { writable }: DocumentScope,
): string | undefined {
  if (operation['requestBody'] === undefined) return undefined
  const example = bodies[id]
  const values = Object.fromEntries(writable.map((field) => [field.name, exampleOf(field)]))
  return JSON.stringify(example === undefined ? {} : example(values), null, 2)
}

/** A value a field may take, from its own definition where that says one. */
function exampleOf(field: FieldDefinition): unknown {
  const option = field.options?.[0]
  const value = option === undefined ? null : typeof option === 'string' ? option : option.value
  return field.multiple === true ? (value === null ? [] : [value]) : value
}
