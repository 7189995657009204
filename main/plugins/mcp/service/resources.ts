// Resources: the objects, one object and one record, under addresses of their own.
import { notFound } from '#shared/errors.ts'
import { requireApiMethods } from '#shared/object-api.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import { dataNotice } from './tool.ts'
import type { ObjectDescriptions } from './object-descriptions.ts'

/** What is listed of a resource. */
export interface ListedResource {
  readonly uri: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly mimeType: string
}

/** The resources as a caller sees them. */
export interface Resources {
  list(ctx: RequestContext): ListedResource[]
  readonly templates: readonly { uriTemplate: string; name: string; description: string; mimeType: string }[]
  /** @throws resource_not_found also for what the caller may not see, and for addresses that mean nothing */
  read(ctx: RequestContext, uri: string): Promise<unknown>
}

const mimeType = 'application/json'

/** Makes them. */
export function createResources(parts: {
  readonly objects: ObjectDescriptions
  readonly data: DataService
  readonly metadata: Pick<MetadataService, 'objectSchema'>
}): Resources {
  const { objects, data, metadata } = parts
  return {
    list: (ctx) => [
      {
        uri: 'cairn://objects',
        name: 'objects',
        title: 'Objects',
        description: 'The objects whose records the caller may read.',
        mimeType,
      },
      ...objects.list(ctx).map(({ name, label }) => ({
        uri: `cairn://objects/${name}`,
        name,
        title: label,
        description: `Fields of ${label}.`,
        mimeType,
      })),
    ],
    templates: [
      { uriTemplate: 'cairn://objects/{name}', name: 'object', description: 'One object with its fields.', mimeType },
      {
        uriTemplate: 'cairn://records/{object}/{id}',
        name: 'record',
        description: `One record with the fields the caller may read. ${dataNotice}`,
        mimeType,
      },
    ],
    async read(ctx, uri) {
      const parsed = /^cairn:\/\/(objects|records)(?:\/([^/?#]+))?(?:\/([^/?#]+))?$/.exec(uri)
      const [kind, first, second] = (parsed ?? []).slice(1).map((part: string | undefined) => decoded(part))
      if (kind === 'objects' && first === undefined) return { objects: objects.list(ctx) }
      if (kind === 'objects' && first !== undefined && second === undefined) return objects.describe(ctx, first)
      if (kind === 'records' && first !== undefined && second !== undefined) {
        requireApiMethods(metadata.objectSchema(first), 'get')
        const { object, id, record } = await data.get(ctx, { object: first, id: second })
        return { object, id, record }
      }
      throw notFound('resource', uri.slice(0, 200))
    },
  }
}

/** @throws resource_not_found for a broken escape */
function decoded(part: string | undefined): string | undefined {
  if (part === undefined) return undefined
  try {
    return decodeURIComponent(part)
  } catch {
    throw notFound('resource', part.slice(0, 200))
  }
}
