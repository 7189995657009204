// The analytics service: cubes from objects, semantic queries through the data service, restricted SQL. Knows no HTTP.
import { invalidQuery, notFound } from '#shared/errors.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireSystemPermission } from '#main/kernel/authorize.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Write } from '#main/kernel/database.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { SettingsService } from '#main/plugins/settings/api.ts'
import type { AnalyticsService } from './api.ts'
import { inCallersWords } from './service/callers-words.ts'
import { describeCube } from './service/cubes.ts'
import { findField } from './service/members.ts'
import { planQuery } from './service/plan-query.ts'
import type { QueryPlan } from './service/plan-query.ts'
import { readQuery } from './service/read-query.ts'
import type { AnalyticsQuery } from './service/read-query.ts'
import type { ReportParts } from './service/run-report.ts'
import { runReport } from './service/run-report.ts'
import type { SqlParts } from './service/sql-query.ts'
import { runSql } from './service/sql-query.ts'

/** What the service works with. */
export interface AnalyticsParts {
  readonly data: DataService
  readonly metadata: MetadataService
  readonly settings: SettingsService
  readonly clock: Clock
  readonly write: Write
  readonly authorizer: () => Authorizer
  readonly sql: Pick<SqlParts, 'tableNames' | 'run' | 'elapsed'>
}

/** Makes the service. */
export function createAnalyticsService(parts: AnalyticsParts): AnalyticsService {
  const { data, metadata, settings, clock, authorizer } = parts

  const readable = (ctx: RequestContext, object: string): ObjectSchema | undefined => {
    const schema = metadata.objectSchema(object)
    if (schema === undefined || schema.abstract || !authorizer().canObject(ctx, object, 'read')) return undefined
    return schema
  }

  const envFor = (ctx: RequestContext): QueryEnv => {
    const base = {
      timeZone: settings.get('timezone'),
      defaultCurrency: settings.get('currency'),
      now: clock.now(),
      userId: ctx.actor.id,
    }
    return {
      ...base,
      engine: { ...base, schemaOf: metadata.objectSchema },
      schemaOf: (object) => readable(ctx, object),
      canRead: (object, field) => authorizer().canField(ctx, object, field, 'readable'),
    }
  }

  const plan = (ctx: RequestContext, asked: AnalyticsQuery): QueryPlan => {
    const schema = readable(ctx, asked.cube)
    if (schema === undefined) throw notFound('cube', asked.cube)
    if (schema.enable.apiEnabled === false) throw notFound('cube', asked.cube)
    return planQuery({ schema, env: envFor(ctx) }, asked, asked.timezone ?? settings.get('timezone'))
  }

  const canRead =
    (ctx: RequestContext, schema: ObjectSchema) =>
    (field: FieldSchema): boolean =>
      field.system || authorizer().canField(ctx, schema.name, field.name, 'readable')

  const cubeOf = (ctx: RequestContext, schema: ObjectSchema) => describeCube(schema, canRead(ctx, schema))

  const ask: AnalyticsService['query'] = async (ctx, body) => {
    const asked = readQuery(body)
    const { query, annotation, origins, rows } = plan(ctx, asked)
    const page = await data.find(ctx, asked.cube, query).catch((error: unknown) => {
      throw inCallersWords(error, origins)
    })
    return {
      data: rows(page.records),
      annotation,
      query: { ...asked.given, cube: asked.cube, limit: asked.limit },
      ...(page.total === undefined ? {} : { total: page.total }),
      lastRefreshTime: clock.iso(),
    }
  }

  const reports: ReportParts = {
    data,
    metadata,
    query: ask,
    schemaOf(ctx, object) {
      const schema = readable(ctx, object)
      return schema?.enable.apiEnabled === false ? undefined : schema
    },
    describe(ctx, schema, path) {
      const field = findField({ schema, env: envFor(ctx) }, path)
      return { label: field?.label ?? path, type: field?.type ?? 'text' }
    },
    fieldsOf: (ctx, schema) =>
      schema.visibleFields
        .filter((field) => !field.system && !field.hidden && canRead(ctx, schema)(field))
        .map(({ name }) => name),
  }

  return {
    query: ask,
    report: (ctx, name, input) => runReport(reports, ctx, name, input),
    explain(ctx, body) {
      const asked = readQuery(body)
      const { query, origins } = plan(ctx, asked)
      try {
        return { ...data.explain(ctx, asked.cube, query), cube: asked.cube }
      } catch (error) {
        throw inCallersWords(error, origins)
      }
    },
    async sql(ctx, input) {
      requireSystemPermission(authorizer(), ctx, 'run_sql')
      if (input.sql.length > 100_000) throw invalidQuery('sql', 'The statement is too long.', { path: '' })
      // The use is on record before the statement runs, whatever becomes of it.
      await parts.write(
        'analytics.sql',
        (tx) => tx.emit(ctx, { type: 'analytics.sql.run', payload: { sql: input.sql } }),
        { whenFull: true },
      )
      const { sql } = parts
      return runSql({ authorizer, schemas: metadata.objectSchemas, envFor, ...sql }, ctx, input)
    },
    cubes: (ctx) =>
      metadata
        .objectSchemas()
        .filter((schema) => readable(ctx, schema.name) !== undefined && schema.enable.apiEnabled)
        .map((schema) => cubeOf(ctx, schema)),
    cube(ctx, name) {
      const schema = readable(ctx, name)
      if (schema === undefined || schema.enable.apiEnabled === false) throw notFound('cube', name)
      return cubeOf(ctx, schema)
    },
  }
}
