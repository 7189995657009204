// Collects what the program declares and somebody is meant to act on: options, permissions, error codes. Reads the
// declarations themselves, so that a new one is checked without being listed again. Knows no reader.
import { z } from 'zod'
import { optionSchemas } from '#shared/contracts/settings.ts'
import { baseErrors, fieldErrorCodes } from '#shared/errors.ts'
import { fieldTypes } from '#shared/field-types/registry.ts'
import { commonFieldZod, objectZod } from '#shared/object-definition.ts'
import { accessSchemas } from '#main/http/access-config.ts'
import { authErrors } from '#main/plugins/auth/errors.ts'
import { AuthSettings } from '#main/plugins/auth/service/auth-config.ts'
import { feedErrors } from '#main/plugins/feed/errors.ts'
import { metadataTypes } from '#shared/contracts/metadata.ts'
import { systemPermissions } from '#shared/system-permissions.ts'
import { realtimeErrors } from '#main/plugins/realtime/errors.ts'
import { scriptErrors } from '#main/plugins/scripts/errors.ts'
import { syncErrors } from '#main/plugins/sync/errors.ts'
import { itemShape } from '#main/plugins/metadata/types/type-schemas.ts'

/** What a name is; it decides what counts as a reader. */
export type NameKind =
  | 'workspace option'
  | 'setting'
  | 'object flag'
  | 'metadata key'
  | 'permission'
  | 'error'
  | 'field error'

/** One declared name. `path` says where it stands, for people: `auth.session.expiresIn`. */
export interface DeclaredName {
  readonly kind: NameKind
  readonly name: string
  readonly path: string
}

/** Every declared name of the program. */
export function declaredNames(): DeclaredName[] {
  const plain = (kind: NameKind, names: readonly string[]): DeclaredName[] =>
    names.map((name) => ({ kind, name, path: name }))
  const tables = [baseErrors, authErrors, feedErrors, realtimeErrors, scriptErrors, syncErrors]
  const { enable, ...object } = objectZod.shape
  return [
    ...plain('workspace option', Object.keys(optionSchemas)),
    ...keysOf('setting', 'auth', AuthSettings),
    ...Object.entries(accessSchemas).flatMap(([path, schema]) => keysOf('setting', path, schema)),
    ...keysOf('object flag', 'object.enable', enable),
    ...keysOf('metadata key', 'object', z.object(object)),
    ...keysOf('metadata key', 'field', commonFieldZod),
    ...Object.values(fieldTypes).flatMap(({ settings }) => keysOf('metadata key', 'field', z.object(settings))),
    ...metadataTypes.flatMap((type) => {
      const shape = itemShape(type)
      return [shape?.schema, ...(shape?.variants?.cases.values() ?? [])].flatMap((part) =>
        keysOf('metadata key', type, part),
      )
    }),
    ...plain('permission', systemPermissions),
    ...plain(
      'error',
      tables.flatMap((table) => Object.keys(table)),
    ),
    ...plain('field error', fieldErrorCodes),
  ]
}

/** The keys of every object inside of a schema. */
function keysOf(kind: NameKind, path: string, schema: unknown, seen = new Set<unknown>()): DeclaredName[] {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return []
  seen.add(schema)
  const definition = (schema as { def?: Record<string, unknown> }).def ?? {}
  const shape = definition['type'] === 'object' ? (schema as z.ZodObject).shape : {}
  const inner = ['innerType', 'element', 'valueType', 'in', 'out'].map((part) => definition[part])
  const options = Array.isArray(definition['options']) ? (definition['options'] as unknown[]) : []
  return [
    ...Object.entries(shape).flatMap(([key, value]) => [
      { kind, name: key, path: `${path}.${key}` },
      ...keysOf(kind, `${path}.${key}`, value, seen),
    ]),
    ...[...inner, ...options].flatMap((part) => keysOf(kind, path, part, seen)),
  ]
}
