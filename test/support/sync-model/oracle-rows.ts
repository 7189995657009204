// Rows as they must be: the same on machines that know the same, and what the documents say. Knows nothing of who wrote it.
import { canonicalJson } from '#main/kernel/canonical-json.ts'
import { statement } from '#main/kernel/database.ts'
import { syncedFields } from '#main/plugins/sync/write/synced-fields.ts'
import { mergeValues } from '#main/replication/core/merge-values.ts'
import { loadDoc } from '#main/replication/core/record-doc.ts'
import { readRegister } from '#main/replication/core/register.ts'
import { readText } from '#main/replication/core/text-doc.ts'
import type { Machine } from './machine.ts'
import type { Rows } from './oracle-derived.ts'
import { shownIn } from './oracle-derived.ts'
import { same } from './oracle-marks.ts'
import { docNames, isMark, stateOf } from './stored-docs.ts'
import { isAside } from './table-image.ts'

/**
 * Rows of all objects as every machine must have them. Left out are `updated_at`, the version token, which may differ by
 * milliseconds, `updated_by`: a machine that merges two changes names the one whose envelope came last there, `rowid`,
 * which counts the rows as they came, and summaries of records in the trash, which nobody counts there.
 */
export function dumpOf(machine: Machine): ReadonlyMap<string, Rows> {
  return new Map(
    machine.metadata.objectSchemas().map((schema) => {
      const rows = machine.plugin.read.all(statement<Record<string, unknown>>(`SELECT * FROM "${schema.table}"`))
      const kept = rows.map(
        ({ rowid: _row, updated_at: _at, updated_by: _by, ...rest }) =>
          [rest['id'] as string, shownIn(schema, ordered(rest))] as const,
      )
      return [schema.name, new Map(kept.toSorted(([a], [b]) => (a < b ? -1 : 1)))]
    }),
  )
}

/** Columns by name, since tables have them in the order in which they came; without what is put aside. */
function ordered(row: Record<string, unknown>): Record<string, unknown> {
  const columns = Object.entries(row).filter(([name]) => !isAside(name))
  return Object.fromEntries(columns.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Rows of feeds as every machine must have them: all but the number, which counts them as they came. */
export function talkDump(machine: Machine): unknown {
  return ['feed_item', 'feed_reaction', 'feed_pin'].map((table) =>
    machine.plugin.read
      .all(statement<Record<string, unknown>>(`SELECT * FROM ${table}`))
      .map(({ number: _number, data, ...row }) =>
        canonicalJson({ ...row, data: typeof data === 'string' ? JSON.parse(data) : null }),
      )
      .sort(),
  )
}

/** Values that do not fit, or moved, are in rows what the field makes of them. */
const noFields: Pick<ReturnType<typeof syncedFields>, 'merged' | 'byUid' | 'texts'> = {
  merged: [],
  byUid: new Map(),
  texts: [],
}

/** Rows are what the documents say, and there is none without a document. */
export function assertProjection(machine: Machine, dump: ReadonlyMap<string, Rows>): void {
  for (const schema of machine.metadata.objectSchemas()) {
    const rows = dump.get(schema.name)!
    const { merged, byUid, texts } = schema.uid === machine.uidOf('memo') ? noFields : syncedFields(schema)
    const prefix = `r/${schema.uid}/`
    const names = docNames(machine).filter((name) => name.startsWith(prefix))
    const live = new Set<string>()
    for (const name of names) {
      const id = name.slice(prefix.length)
      const register = readRegister(loadDoc(stateOf(machine, name)))
      const row = rows.get(id)
      if (isMark(register.get('_purge')?.winner[1])) {
        same(`${schema.name} ${id} on ${machine.name} after it was purged`, row, undefined)
        continue
      }
      live.add(id)
      if (row === undefined) throw new Error(`${schema.name} ${id} is gone on ${machine.name} and nobody deleted it.`)
      const { values } = mergeValues(register, merged)
      for (const { uid } of merged) {
        const field = byUid.get(uid)!
        same(
          `${field.name} of ${id} on ${machine.name}`,
          plain(row[field.column], Array.isArray(values.get(uid))),
          values.get(uid) ?? null,
        )
      }
      for (const field of texts) {
        const text = stateOf(machine, `t/${schema.uid}/${id}/${field.uid}`)
        same(
          `${field.name} of ${id} on ${machine.name}`,
          row[field.column] ?? '',
          text === null ? '' : readText(loadDoc(text)),
        )
      }
      const deleted = register.get('_del')?.winner[1] as { at: string; by: string } | null | undefined
      same(
        `deletion of ${id} on ${machine.name}`,
        [row['deleted_at'], row['deleted_by']],
        [deleted?.at ?? null, deleted?.by ?? null],
      )
      const created = register.get('_created')?.winner[1] as { at: string; by: string }
      same(
        `creation of ${id} on ${machine.name}`,
        [row['created_at'], row['created_by'], row['owner']],
        [created.at, created.by, register.get('_owner')?.winner[1]],
      )
    }
    same(
      `rows of ${schema.name} without documents on ${machine.name}`,
      [...rows.keys()].filter((id) => !live.has(id)),
      [],
    )
  }
}

function plain(value: unknown, isList: boolean): unknown {
  return isList && typeof value === 'string' ? JSON.parse(value) : value
}

/** Compares rows by their ids. @throws Error for the first difference */
export function sameRows(what: string, actual: Rows, expected: Rows): void {
  same(`ids of ${what}`, [...actual.keys()], [...expected.keys()])
  for (const [id, row] of actual) same(`row ${id} in ${what}`, row, expected.get(id))
}
