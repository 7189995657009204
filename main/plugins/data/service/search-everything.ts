// Finds records of all objects by their words: a list of each object with the caller's rights, put into one order (D-310).
// Knows no SQL: what a caller may find is what the lists show.
import type { z } from 'zod'
import type { searchRoutes } from '#shared/contracts/search.ts'
import type { SearchHit } from '#shared/contracts/search.ts'
import { PlatformError, notFound } from '#shared/errors.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { declaredTypeOf } from '#shared/field-types/registry.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RouteInput } from '#shared/route.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireOpenRecords } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { DataService, PlatformRecord } from '../api.ts'
import { excerptOf, matchRanges, titleClass, wantedTokens } from './search-words.ts'

type Hit = z.output<typeof SearchHit>
type Answer = z.output<typeof searchRoutes.searchEverything.response>

/** What the search works with. */
export interface SearchEverythingParts {
  readonly data: Pick<DataService, 'find' | 'canReadField'>
  readonly metadata: Pick<MetadataService, 'objectSchema' | 'objectSchemas'>
  readonly authorizer: () => Authorizer
}

interface Ranked {
  readonly hit: Hit
  readonly class: number
  readonly place: number
}

/** After this long an object is told as incomplete; the others have answered. */
const patienceMs = 1_500
/** Most records of one object among several: no object fills the list alone. */
const shareOfOne = 10
/** Objects that are asked at once; between two rounds others are served. */
const atOnce = 8

/** Makes the search. @throws resource_not_found for an object that is named and cannot be searched by the caller */
export function createSearchEverything(parts: SearchEverythingParts) {
  const { data, metadata, authorizer } = parts

  const canSearch = (ctx: RequestContext, schema: ObjectSchema): boolean =>
    !schema.abstract &&
    schema.searchFields.length > 0 &&
    schema.enable.apiEnabled &&
    (schema.enable.apiMethods?.includes('search') ?? true) &&
    authorizer().canObject(ctx, schema.name, 'read')

  const schemasOf = (ctx: RequestContext, names: string | undefined): ObjectSchema[] => {
    if (names === undefined) return metadata.objectSchemas().filter((schema) => canSearch(ctx, schema))
    return names.split(',').map((name) => {
      const schema = metadata.objectSchema(name.trim())
      if (schema === undefined || !canSearch(ctx, schema)) throw notFound('object', name.trim())
      return schema
    })
  }

  return async (
    ctx: RequestContext,
    query: RouteInput<typeof searchRoutes.searchEverything>['query'],
  ): Promise<Answer> => {
    requireOpenRecords(authorizer(), ctx)
    const schemas = schemasOf(ctx, query.object ?? query.objects)
    const tokens = wantedTokens(query.q)
    const top = schemas.length === 1 ? query.limit : Math.min(query.limit, shareOfOne)
    const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(patienceMs)])
    const ranked: Ranked[] = []
    const objects: Answer['objects'] = []
    const incomplete: string[] = []

    const searchOne = async (schema: ObjectSchema): Promise<void> => {
      const readable = (field: FieldSchema): boolean => field.system || data.canReadField(ctx, schema.name, field.name)
      const shown = [...new Set([schema.displayField, ...schema.searchFields])].filter(readable)
      const select = [...new Set(['id', 'updated_at', ...shown.map(({ name }) => name)])].join(',')
      const asked = { search: query.q, select, top, count: query.count === true }
      try {
        const page = await data.find({ ...ctx, signal }, schema.name, asked)
        if (page.records.length === 0) return
        const { total } = page
        objects.push({ object: schema.name, hasMore: page.hasMore, ...(total === undefined ? {} : { total }) })
        page.records.forEach((record, place) => ranked.push({ ...hitOf(schema, record, shown, tokens), place }))
      } catch (error) {
        if (!isPassing(error) && !signal.aborted) throw error
        ctx.signal.throwIfAborted()
        incomplete.push(schema.name)
      }
    }

    for (let at = 0; at < schemas.length; at += atOnce) {
      await Promise.all(schemas.slice(at, at + atOnce).map(searchOne))
    }
    const results = ranked.toSorted(byRank).slice(0, query.limit)
    return {
      results: results.map(({ hit }) => hit),
      objects: objects.toSorted((a, b) => (a.object < b.object ? -1 : 1)),
      incomplete: incomplete.toSorted(),
    }
  }
}

/** What another try may not meet again. */
function isPassing(error: unknown): boolean {
  return error instanceof PlatformError && (error.code === 'timeout' || error.code === 'service_unavailable')
}

function byRank(a: Ranked, b: Ranked): number {
  if (a.class !== b.class) return a.class - b.class
  if (a.place !== b.place) return a.place - b.place
  return a.hit.updatedAt < b.hit.updatedAt ? 1 : -1
}

function hitOf(
  schema: ObjectSchema,
  record: PlatformRecord,
  shown: readonly FieldSchema[],
  tokens: readonly string[],
): Omit<Ranked, 'place'> {
  const { displayField } = schema
  const title = shown.includes(displayField) ? textOf(displayField, record[displayField.name]) || null : null
  const rank = title === null ? 3 : titleClass(title, tokens)
  const match = rank === 3 ? matchOf(shown, displayField, record, tokens) : undefined
  const hit = {
    object: schema.name,
    id: record['id'] as string,
    title,
    titleRanges: title === null ? [] : matchRanges(title, tokens),
    updatedAt: record['updated_at'] as string,
    ...(match === undefined ? {} : { match }),
  }
  return { hit, class: rank }
}

function matchOf(
  shown: readonly FieldSchema[],
  displayField: FieldSchema,
  record: PlatformRecord,
  tokens: readonly string[],
): Hit['match'] {
  for (const field of shown) {
    if (field === displayField || field.system) continue
    const found = excerptOf(textOf(field, record[field.name]), tokens)
    if (found !== null) return { field: field.name, ...found }
  }
  return undefined
}

/** The words of a value as people read them: labels for options, no marks of markup. */
function textOf(field: FieldSchema, value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map((each) => textOf(field, each)).join(', ')
  if (typeof value === 'object')
    return Object.values(value)
      .filter((each) => typeof each === 'string')
      .join(', ')
  const text = String(value as string | number)
  if (declaredTypeOf(field).markup) return text.replaceAll(/<[^>]*>/g, ' ')
  return field.options.find((option) => option.value === text)?.label ?? text
}
