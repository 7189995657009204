// Walks a field path over relations into JSON values, as far as the caller may read. Pure.
import { relationTarget } from './relation-target.ts'
import { invalidQuery } from '#shared/errors.ts'
import type { PlatformError } from '#shared/errors.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { QueryEnv } from './query-env.ts'

/** Most relation hops of one path (D-86). */
export const maxHops = 3

/** One step over a relation field to the object it references. */
export interface Hop {
  readonly field: FieldSchema
  readonly target: ObjectSchema
}

/** A path that leads to a field the caller may read. */
export interface ResolvedPath {
  readonly hops: readonly Hop[]
  readonly field: FieldSchema
  /** Keys inside the field's JSON value; empty for the field itself. */
  readonly inner: readonly string[]
}

/** What an error about a path names. */
export interface PathPlace {
  readonly parameter: string
  readonly path: string
}

/**
 * Resolves a path from an object on.
 * @throws invalid_query for a field that is unknown or unreadable: both have the same message (D-25)
 * @source D-86
 */
export function resolvePath(
  schema: ObjectSchema,
  path: readonly string[],
  env: QueryEnv,
  place: PathPlace,
): ResolvedPath {
  const hops: Hop[] = []
  let at = schema
  for (let index = 0; ; index++) {
    const field = readableField(at, path[index]!, env)
    if (!field) throw unknownField(place, path)
    const rest = path.slice(index + 1)
    if (rest.length === 0) return { hops, field, inner: [] }
    const type = fieldTypeOf(field)
    if (type.innerPaths === true || isLinkPart(field, rest)) {
      if (rest.some((key) => /["\\\p{Cc}]/u.test(key))) throw unknownField(place, path)
      return { hops, field, inner: rest }
    }
    const target = relationTarget(field, env)
    if (!target) throw unknownField(place, path)
    if (hops.length === maxHops) {
      throw invalidQuery(place.parameter, `A path crosses at most ${maxHops} relations.`, { path: place.path })
    }
    hops.push({ field, target })
    at = target
  }
}

/** The two parts of a link to a record of any object. */
function isLinkPart(field: FieldSchema, rest: readonly string[]): boolean {
  return field.type === 'record' && rest.length === 1 && (rest[0] === 'object' || rest[0] === 'id')
}

/** The field of that name when the object has it and the caller may read it; deletion marks are not shown. */
export function readableField(schema: ObjectSchema, name: string, env: QueryEnv): FieldSchema | undefined {
  const field = schema.byName.get(name)
  const isOpen = field?.system === true || schema === env.users
  if (!field || (env.canRead && !isOpen && !env.canRead(schema.name, name))) return undefined
  return field
}

/** The error of an unknown field, in the words that an unreadable one gets too. */
export function unknownField(place: PathPlace, path: readonly string[]): PlatformError {
  const name = path.join('.').slice(0, 200)
  return invalidQuery(place.parameter, `There is no field "${name}".`, { path: place.path, field: name })
}
