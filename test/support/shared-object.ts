// Makes machines that exchange only records know the same object, field by field. Knows metadata, no log.
import { internalContext } from '#main/kernel/context.ts'
import type { SyncMachine } from './sync-machine.ts'

/** Gives other machines an object of one of them, under the same uids. @throws PlatformError for an object nobody knows */
export async function shareObject(from: SyncMachine, to: readonly SyncMachine[], object = 'part'): Promise<void> {
  const schema = from.metadata.objectSchema(object)!
  const item = from.metadata.get('object', object)!.item as Record<string, unknown>
  const returningUids = {
    object: schema.uid,
    fields: Object.fromEntries(schema.fields.map(({ name, uid }) => [name, uid])),
  }
  for (const { metadata } of to) {
    const save = { type: 'object', name: object, item: structuredClone(item), returningUids } as const
    await metadata.save(internalContext('share'), save)
  }
}
