// The schemas that are in use: one for every set of rights, made at first use, gone with the next change of metadata.
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql'
import type { RequestContext } from '#main/kernel/context.ts'
import { createRecentMap } from '#main/kernel/recent-map.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { PermissionsService } from '#main/plugins/permissions/api.ts'
import type { DirectAnswer } from './direct-answers.ts'
import { compileDirect } from './direct-answers.ts'
import type { RootServices } from './query-fields.ts'
import type { GraphqlLibrary } from './scalars.ts'
import { buildSchemaOf } from './schema-builder.ts'

/** Schemas kept at the same time; one of 5,000 fields takes about 16 MB. */
const maxSchemas = 8

/** Checked documents kept per schema. */
const maxDocuments = 32

/** A valid document. */
export interface KnownDocument {
  readonly document: DocumentNode
  /** Texts of variables with which it stays within its limits. */
  readonly fitting: { get(variables: string): true | undefined; set(variables: string, fits: true): void }
}

/** A schema with what was worked out for it. */
export interface CallerSchema {
  readonly library: GraphqlLibrary
  readonly schema: GraphQLSchema
  /** Documents that are valid, by their text. */
  readonly documents: { get(text: string): KnownDocument | undefined; set(text: string, known: KnownDocument): void }
  /** How an operation of such a document is answered without running it; null where it has to be run. */
  direct(document: DocumentNode, operation: OperationDefinitionNode): DirectAnswer | null
  /** The schema as text, once somebody asked. */
  sdl(): string
}

/** What the cache works with. */
export interface SchemaCacheParts {
  readonly metadata: Pick<MetadataService, 'epoch'>
  readonly permissions: Pick<PermissionsService, 'visibleObjects'>
  readonly services: () => RootServices
}

/** Makes the cache. */
export function createSchemaCache({ metadata, permissions, services }: SchemaCacheParts) {
  let library: Promise<GraphqlLibrary> | undefined
  let epoch = -1
  let built = createRecentMap<CallerSchema>(maxSchemas)

  return {
    /** The schema of a caller at this moment. */
    async of(ctx: RequestContext): Promise<CallerSchema> {
      library ??= import('graphql')
      const loaded = await library
      if (metadata.epoch() !== epoch) {
        epoch = metadata.epoch()
        built = createRecentMap(maxSchemas)
      }
      const { analytics, hasRealtime } = services()
      const hasOrganizations = ctx.organizationId !== null
      const objects = permissions.visibleObjects(ctx)
      const key = `${objects.digest()} ${hasOrganizations} ${analytics === undefined} ${hasRealtime}`
      const found = built.get(key)
      if (found !== undefined) return found
      const schema = buildSchemaOf(loaded, services(), objects, hasOrganizations)
      let text: string | undefined
      const direct = new WeakMap<OperationDefinitionNode, DirectAnswer | null>()
      const made: CallerSchema = {
        library: loaded,
        schema,
        documents: createRecentMap<KnownDocument>(maxDocuments),
        direct(document, operation) {
          const known = direct.get(operation)
          if (known !== undefined) return known
          const compiled = compileDirect({ library: loaded, schema }, document, operation, services().data)
          direct.set(operation, compiled)
          return compiled
        },
        sdl: () => (text ??= loaded.printSchema(schema)),
      }
      built.set(key, made)
      return made
    },
  }
}

/** The schemas of callers. */
export type SchemaCache = ReturnType<typeof createSchemaCache>
