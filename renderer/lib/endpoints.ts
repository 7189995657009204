// Owns the list of operations the screens call, as method, mount and path. The types come from the contracts, so a path
// that drifts from its contract does not compile; the values stay here so that no schema library is shipped.
import type { z } from 'zod'
import type { analyticsRoutes } from '#shared/contracts/analytics.ts'
import type { dataRoutes } from '#shared/contracts/data.ts'
import type { discoveryRoutes } from '#shared/contracts/discovery.ts'
import type { importRoutes } from '#shared/contracts/import.ts'
import type { metadataOperationRoutes } from '#shared/contracts/metadata-operations.ts'
import type { metadataRoutes } from '#shared/contracts/metadata.ts'
import type { schemaBackupRoutes } from '#shared/contracts/schema-backups.ts'
import type { viewRoutes } from '#shared/contracts/views.ts'
import type { AnyRoute } from '#shared/route.ts'

type Contracts = typeof dataRoutes &
  typeof metadataRoutes &
  typeof metadataOperationRoutes &
  typeof schemaBackupRoutes &
  typeof importRoutes &
  typeof discoveryRoutes &
  typeof viewRoutes &
  typeof analyticsRoutes

/** `METHOD mount path` of a contract. */
type EndpointText<R extends AnyRoute> = `${R['method']} ${R['mount']} ${R['path']}`

type EndpointTable = { readonly [K in keyof Contracts]?: EndpointText<Contracts[K]> }

/** Every operation the screens use. */
export const endpoints = {
  getDiscovery: 'GET versioned ',
  listRecords: 'GET versioned /data/:object',
  queryRecords: 'POST versioned /data/:object/query',
  getRecord: 'GET versioned /data/:object/:id',
  createRecord: 'POST versioned /data/:object',
  updateRecord: 'PATCH versioned /data/:object/:id',
  restoreRecord: 'POST versioned /data/:object/:id/restore',
  updateManyRecords: 'POST versioned /data/:object/updateMany',
  deleteManyRecords: 'POST versioned /data/:object/deleteMany',
  createImportJob: 'POST versioned /data/:object/import/jobs',
  listImportJobs: 'GET versioned /data/import/jobs',
  getImportJob: 'GET versioned /data/import/jobs/:jobId',
  getImportResults: 'GET versioned /data/import/jobs/:jobId/results',
  cancelImportJob: 'POST versioned /data/import/jobs/:jobId/cancel',
  pauseImportJob: 'POST versioned /data/import/jobs/:jobId/pause',
  resumeImportJob: 'POST versioned /data/import/jobs/:jobId/resume',
  undoImportJob: 'POST versioned /data/import/jobs/:jobId/undo',
  exportRecords: 'GET versioned /data/:object/export',
  listMetadataItems: 'GET versioned /meta/:type',
  getMetadataItem: 'GET versioned /meta/:type/:name',
  saveMetadataItem: 'PUT versioned /meta/:type/:name',
  deleteMetadataItem: 'DELETE versioned /meta/:type/:name',
  validateMetadata: 'POST versioned /meta/validate',
  listSchemaBackups: 'GET versioned /meta/object/:name/backups',
  restoreSchemaBackup: 'POST versioned /meta/object/:name/backups/:id/restore',
  revealSecret: 'POST versioned /data/:object/:id/reveal',
  listViews: 'GET versioned /ui/views',
  createView: 'POST versioned /ui/views',
  updateView: 'PATCH versioned /ui/views/:viewId',
  deleteView: 'DELETE versioned /ui/views/:viewId',
  queryAnalytics: 'POST versioned /analytics/query',
} as const satisfies EndpointTable

/** An operation of {@link endpoints}. */
export type OperationId = keyof typeof endpoints

/** The contract of an operation. */
export type Contract<K extends OperationId> = Contracts[K]

type Scalar = string | number | boolean

// A query string is text on the wire; numbers and booleans are accepted here and written as text.
type QueryValue<T> = T extends string ? Scalar : T
type QueryInput<T> = { [K in keyof T]?: QueryValue<Exclude<T[K], undefined>> | undefined }

type PartInput<R, P extends 'params' | 'query' | 'body'> =
  R extends Readonly<Record<P, infer S extends z.ZodType>> ? z.input<S> : never

/** What a call of an operation is given; parts the contract does not have are refused by the type. */
export type CallInput<K extends OperationId> = ([PartInput<Contract<K>, 'params'>] extends [never]
  ? { params?: undefined }
  : { params: PartInput<Contract<K>, 'params'> }) &
  ([PartInput<Contract<K>, 'query'>] extends [never]
    ? { query?: undefined }
    : { query?: QueryInput<PartInput<Contract<K>, 'query'>> }) &
  ([PartInput<Contract<K>, 'body'>] extends [never]
    ? { body?: undefined }
    : undefined extends PartInput<Contract<K>, 'body'>
      ? { body?: PartInput<Contract<K>, 'body'> }
      : { body: PartInput<Contract<K>, 'body'> }) & {
    headers?: Record<string, string>
    signal?: AbortSignal
  }

/** What an operation answers; the envelope of D-05 is already removed. */
export type CallResult<K extends OperationId> = z.output<Contract<K>['response']>
