// Tools that write one record. Rights, hooks, rules and history are those of every other door; what takes a record away asks first.
import { z } from 'zod'
import { requireApiMethods } from '#shared/object-api.ts'
import type { DataService, RecordWarning } from '#main/plugins/data/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { Confirmations } from './confirmations.ts'
import { ConfirmToken, Confirmation } from './confirmations.ts'
import { ExpectedVersion, ObjectName, RecordId, ShownRecord, Values, Warnings } from './shapes.ts'
import type { Tool } from './tool.ts'
import { adds, changes, defineTool } from './tool.ts'

/** What the tools work with. */
export interface RecordParts {
  readonly data: DataService
  readonly metadata: Pick<MetadataService, 'objectSchema'>
  readonly confirmations: Confirmations
}

const Stored = z.object({ object: z.string(), id: z.string(), record: ShownRecord, warnings: Warnings })

/** Makes the tools. */
export function recordTools({ data, metadata, confirmations }: RecordParts): Tool[] {
  return [
    defineTool({
      name: 'create_record',
      title: 'Create a record',
      description: 'Creates a record of an object and answers it as it is stored.',
      hints: adds,
      showsRecords: true,
      input: z.strictObject({ object: ObjectName, data: Values }),
      output: Stored,
      async run(ctx, { object, data: values }) {
        requireApiMethods(metadata.objectSchema(object), 'create')
        return stored(await data.create(ctx, { object, data: values }))
      },
    }),
    defineTool({
      name: 'update_record',
      title: 'Update a record',
      description: 'Changes the named fields of a record and answers it as it is stored; other fields stay.',
      hints: changes,
      showsRecords: true,
      input: z.strictObject({ object: ObjectName, id: RecordId, data: Values, expectedVersion: ExpectedVersion }),
      output: Stored,
      async run(ctx, { object, id, data: values, expectedVersion }) {
        requireApiMethods(metadata.objectSchema(object), 'update')
        return stored(await data.update(ctx, { object, id, data: values, expectedVersion }))
      },
    }),
    defineTool({
      name: 'delete_record',
      title: 'Delete a record',
      description:
        'Puts a record into the trash, or removes it for good with purge. Answers with a plan first; acts when called again with the confirmToken.',
      hints: changes,
      showsRecords: true,
      input: z.strictObject({
        object: ObjectName,
        id: RecordId,
        purge: z.boolean().default(false).meta({ description: 'Removes it for good: nobody can bring it back.' }),
        confirmToken: ConfirmToken,
      }),
      output: z.object({
        ...Confirmation,
        object: z.string(),
        id: z.string(),
        purged: z.boolean().optional(),
        warnings: Warnings,
      }),
      async run(ctx, { confirmToken, ...args }) {
        const { object, purge } = args
        const schema = metadata.objectSchema(object)
        requireApiMethods(schema, purge ? 'purge' : 'delete')
        const call = { tool: 'delete_record', args }
        const action = purge ? 'purge' : 'delete'
        if (confirmToken === undefined) {
          const { id } = data.requireRecord(ctx, { object, id: args.id, action, deletedToo: purge })
          const shown = await shownRecord(ctx, object, id, purge)
          const isForGood = purge || schema?.enable.trash === false
          const plan = {
            action: isForGood
              ? 'remove the record for good'
              : 'move the record to the trash, from where it can be restored',
            reversible: !isForGood,
            ...(shown === null ? {} : { record: shown }),
          }
          return { ...confirmations.ask(ctx, call, plan, shown?.['updated_at'] ?? null), object, id }
        }
        const version = confirmations.redeem(ctx, call, confirmToken)
        const removed = await data.remove(ctx, {
          object,
          id: args.id,
          purge,
          // What was agreed to is this very record: one that changed meanwhile is asked about again.
          ...(typeof version === 'string' ? { expectedVersion: version } : {}),
        })
        const { id, purged, warnings } = removed
        return { status: 'done' as const, object, id, purged, ...noted(warnings) }
      },
    }),
  ]

  /** The record a plan is about; null for one in the trash. */
  async function shownRecord(
    ctx: Parameters<DataService['get']>[0],
    object: string,
    id: string,
    mayBeDeleted: boolean,
  ): Promise<Record<string, unknown> | null> {
    if (mayBeDeleted && !data.readable(ctx, object, [id]).has(id)) return null
    return (await data.get(ctx, { object, id })).record
  }
}

function stored(found: {
  object: string
  id: string
  record: Record<string, unknown>
  warnings?: RecordWarning[]
}): z.input<typeof Stored> {
  const { object, id, record, warnings } = found
  return { object, id, record, ...noted(warnings) }
}

function noted(warnings: RecordWarning[] | undefined): { warnings?: z.input<typeof Warnings> } {
  return warnings === undefined ? {} : { warnings: warnings.map((one) => ({ ...one })) }
}
