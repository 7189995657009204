// The definitions of objects as a backup of the model has them, and how they come back: the model restores rows into a
// host that runs, whose tables have to be those of the backup. Knows no rows.
import { canonicalJson } from '#main/kernel/canonical-json.ts'
import { internalContext } from '#main/kernel/context.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import { statement } from '#main/kernel/database.ts'
import type { PortableItem } from '#main/plugins/metadata/api.ts'
import type { Machine } from './machine.ts'
import { isAside } from './table-image.ts'

/** Objects in the form in which machines exchange them. */
export type SchemaImage = readonly PortableItem[]

/** The definitions of now. */
export function takeSchemas({ exchange }: Pick<Machine['metadata'], 'exchange'>): SchemaImage {
  return exchange
    .names('object')
    .filter(({ travels }) => travels)
    .map(({ name }) => exchange.committed.item('object', name)!)
}

/** Makes the definitions those of an image; to be called while nothing is recorded. */
export async function putSchemas(host: PluginHost, image: SchemaImage): Promise<void> {
  const { exchange } = host.service('metadata')
  const ctx = internalContext('model')
  const missing = { item: () => null, field: () => null }
  for (const { uid } of takeSchemas(host.service('metadata')))
    if (!image.some((one) => one.uid === uid)) await exchange.drop(ctx, { type: 'object', uid })
  for (const portable of image) {
    const name = exchange.nameOf({ type: 'object', uid: portable.uid })
    const now = name === undefined ? null : exchange.committed.item('object', name)
    if (canonicalJson(now) !== canonicalJson(portable)) await exchange.place(ctx, () => ({ portable, missing }))
  }
}

/** Removes for good what changes of definitions have put aside. */
export async function dropAside({ read, write }: PluginHost): Promise<void> {
  const backups = read.all(
    statement<{ kind: string; name: string }>('SELECT kind, table_name AS name FROM data_schema_backup'),
  )
  if (backups.length === 0) return
  await write('model.drop-aside', (tx) => {
    for (const { kind, name } of backups) {
      if (kind === 'object') {
        tx.ddl(`DROP TABLE IF EXISTS "${name}"`)
        continue
      }
      const columns = tx.all(statement<{ name: string }>('SELECT name FROM pragma_table_info(?)', [name]))
      for (const column of columns.filter((one) => isAside(one.name)))
        tx.ddl(`ALTER TABLE "${name}" DROP COLUMN "${column.name}"`)
    }
    tx.run(statement('DELETE FROM data_schema_backup'))
    tx.run(statement('DELETE FROM metadata_history'))
  })
}
