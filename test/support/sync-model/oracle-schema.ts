// What must have become of definitions: the fields that documents speak of are there on each machine under the names that
// follow from who asked first, with the labels that count. Knows registers, nothing of how items are stored.
import { canonicalJson } from '#main/kernel/canonical-json.ts'
import { statement } from '#main/kernel/database.ts'
import { compareHlc } from '#main/replication/core/hlc.ts'
import type { Register } from '#main/replication/core/register.ts'
import type { RegisterEntry } from '#main/replication/core/types.ts'
import type { Machine } from './machine.ts'
import { same } from './oracle-marks.ts'
import { takeSchemas } from './schema-image.ts'

/** What a machine knows of the definitions, for comparison with the others. */
export function schemaDump(machine: Machine): unknown {
  const sql = 'SELECT type, uid, wanted, stamp, deleted, due, reason, shown FROM sync_metadata ORDER BY type, uid'
  const rows = machine.plugin.read.all(statement<Record<string, unknown>>(sql))
  const schemas = machine.metadata.objectSchemas()
  const named = [...schemas, ...schemas.flatMap(({ fields }) => fields)].map(({ uid, name }) => [uid, name] as const)
  const nameOf = new Map(named)
  // Where what a definition refers to was not there yet, it is noted by its name.
  const byName = (shown: string): string =>
    shown.replaceAll(/uid_([0-9a-f]{32})/g, (all, uid) => nameOf.get(uid) ?? all)
  return {
    items: takeSchemas(machine.metadata)
      .map((item) => canonicalJson(item))
      .sort(),
    rows: rows.map((row) => ({
      ...row,
      shown: row['shown'] === null ? null : canonicalJson(JSON.parse(byName(row['shown'] as string))),
    })),
  }
}

/** Compares an object with its register. */
export function assertSchema(machine: Machine, doc: string, register: Register): void {
  const uid = doc.slice('m/object/'.length)
  const schema = machine.metadata.objectSchemas().find((one) => one.uid === uid)
  const isRemoved = (register.get('_del')?.winner[1] ?? null) !== null && register.get('_del')?.winner[1] !== false
  if (isRemoved) return same(`the removed object ${uid} on ${machine.name}`, schema?.name, undefined)
  if (schema === undefined) throw new Error(`The object ${uid} is gone on ${machine.name} and nobody removed it.`)
  const said = fieldsOf(register)
  const expected = [...said].filter(([, { isGone }]) => !isGone)
  same(
    `fields of ${schema.name} on ${machine.name}`,
    schema.fields.map((field) => field.uid).sort(),
    expected.map(([field]) => field).sort(),
  )
  const byName = Map.groupBy(expected, ([, { name }]) => name![1])
  for (const [name, claims] of byName) {
    const [first, ...later] = claims.toSorted(([, a], [, b]) => compareClaims(a.name!, b.name!))
    const nameOf = (field: string): string => schema.fields.find((one) => one.uid === field)!.name
    same(`name of ${first![0]} on ${machine.name}`, nameOf(first![0]), name)
    for (const [field] of later) {
      if (!nameOf(field).startsWith(`${String(name)}_`))
        throw new Error(`${field}, which asked for ${String(name)}, is called ${nameOf(field)} on ${machine.name}.`)
    }
  }
  const stored = machine.metadata.get('object', schema.name)!.item['fields'] as Record<string, Record<string, unknown>>
  for (const [field, { label }] of expected) {
    const definition = Object.values(stored).find((one) => one['uid'] === field)!
    same(`label of ${field} on ${machine.name}`, definition['label'] ?? null, label?.[1] ?? null)
  }
}

/** Two people changed the same of a definition, as `field <doc> <key>`; whoever removes it says what others do who remove it. */
export function schemaConflicts(doc: string, register: Register): string[] {
  const isOther = ([key, value]: RegisterEntry, [, other]: RegisterEntry): boolean =>
    key === '_del' && value !== null ? other === null : JSON.stringify(other) !== JSON.stringify(value)
  return [...register]
    .filter(([key]) => !key.includes('._limit.'))
    .filter(([, { winner, losers }]) => losers.some((one) => isOther(winner, one)))
    .map(([key]) => `field ${doc} ${key}`)
}

interface SaidField {
  name?: RegisterEntry
  label?: RegisterEntry
  isGone: boolean
}

function fieldsOf(register: Register): ReadonlyMap<string, SaidField> {
  const fields = new Map<string, SaidField>()
  for (const [key, { winner }] of register) {
    const [, uid, property] = /^field\.([^.]+)\.(.+)$/.exec(key) ?? []
    if (uid === undefined) continue
    const field = fields.get(uid) ?? { isGone: false }
    fields.set(uid, field)
    if (property === '_name') field.name = winner
    if (property === 'label' && winner[1] !== null) field.label = winner
    if (property === '_del') field.isGone = winner[1] === true
  }
  return fields
}

function compareClaims(a: RegisterEntry, b: RegisterEntry): number {
  return compareHlc({ ms: a[2], ctr: a[3] }, { ms: b[2], ctr: b[3] }) || a[4] - b[4]
}
