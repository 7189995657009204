// Records inside of a transaction somebody else has begun (D-135): the way of a write without what takes time before it.
import { validationError } from '#shared/errors.ts'
import { readCell } from '#shared/field-types/read-cell.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import { runSteps } from '#main/kernel/database.ts'
import type { BulkItem, DataService, PlatformRecord, RecordsWithin } from '../api.ts'
import type { Row } from './codec.ts'
import { codecOf } from './codec.ts'
import { findUpsertMatch } from './upsert.ts'
import type { WriteParts } from './write-parts.ts'
import { findRow } from './write-parts.ts'
import type { WriteRun } from './write-run.ts'
import { rightOf, stepOf } from './write-run.ts'
import { createWriteSteps } from './write-steps.ts'

/** Makes the door. */
export function createRecordsWithin(parts: WriteParts): DataService['within'] {
  const steps = createWriteSteps(parts)

  return (tx: Tx, ctx: RequestContext): RecordsWithin => {
    const write = (action: 'create' | 'update' | 'delete', object: string, asked: BulkItem) => {
      const schema = parts.schemaFor(ctx, object, rightOf[action])
      // Sealing a value takes time.
      const sealed = codecOf(schema).sealed.filter(({ name }) => Object.hasOwn(asked.data ?? {}, name))
      if (sealed.length > 0) {
        const message = 'Concealed values cannot be written here.'
        throw validationError(sealed.map(({ name }) => ({ field: name, code: 'not_allowed', message })))
      }
      const step = { ...stepOf(action, schema, parts.envFor(ctx, schema), asked), found: { item: asked } }
      const run: WriteRun = { ctx, steps: [step], isLone: false, isLastTry: true, written: undefined }
      const { written } = tx.savepoint(() =>
        parts.summaries.scope(tx, ctx, () => runSteps(steps.write(run, tx, 0))),
      ).value
      return { id: written.id, record: written.record }
    }

    return {
      find(object, key) {
        const schema = parts.schemaFor(ctx, object, 'read')
        const row = 'id' in key ? findRow(tx, schema, key.id) : matchOf(parts, tx, ctx, object, key)
        if (row === undefined) return undefined
        const record = parts.rules.toRecord(schema, row) as PlatformRecord
        return { id: row['id'] as string, record, isDeleted: row['deleted_at'] !== null }
      },
      valuesOf(object, cells) {
        const schema = parts.schemaFor(ctx, object, 'read')
        const env = parts.envFor(ctx, schema)
        return Object.fromEntries(
          Object.entries(cells).map(([name, cell]) => {
            const field = schema.byName.get(name)
            return [name, field === undefined ? cell : readCell(cell, field, env)]
          }),
        )
      },
      create: (object, data) => write('create', object, { data: { ...data } }),
      update: (object, id, data) => write('update', object, { id, data: { ...data } }),
      remove: (object, id) => void write('delete', object, { id }),
    }
  }
}

function matchOf(
  parts: WriteParts,
  tx: Tx,
  ctx: RequestContext,
  object: string,
  { field, value }: { readonly field: string; readonly value: unknown },
): Row | undefined {
  const schema = parts.schemaFor(ctx, object, 'read')
  const env = { ...parts.queryEnv(), organizationId: ctx.organizationId }
  const externalId = { field, value: value as string }
  return findUpsertMatch(tx, schema, { externalId }, parts.envFor(ctx, schema), env).row
}
