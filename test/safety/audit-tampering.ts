// Ways to change the table of the audit by hand. Each is a function of a connection that has no triggers in its way.
import { createHash } from 'node:crypto'
import type { Database } from 'better-sqlite3'

/** A row as it lies in the table. */
export type RawRow = Record<string, string | number | null>

/** Changes the table somehow; `random` says where and how. */
export type Tampering = (file: Database, random: () => number) => void

/** All rows in order. */
export function readRows(file: Database): RawRow[] {
  return file.prepare('SELECT * FROM audit_entry ORDER BY seq').all() as RawRow[]
}

/** Makes the table hold exactly these rows. */
export function writeRows(file: Database, rows: readonly RawRow[]): void {
  file.transaction(() => {
    file.exec('DELETE FROM audit_entry')
    for (const row of rows) insert(file, row)
  })()
}

function insert(file: Database, row: RawRow): void {
  const names = Object.keys(row)
  file
    .prepare(`INSERT INTO audit_entry (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`)
    .run(...Object.values(row))
}

const pick = <T>(list: readonly T[], random: () => number): T => list[Math.floor(random() * list.length)]!
const changed = (value: string | number | null, random: () => number): string => {
  const text = value === null ? '' : String(value)
  if (text === '') return pick([' ', 'x', '0'], random)
  const at = Math.floor(random() * text.length)
  return text.slice(0, at) + (text[at] === 'a' ? 'b' : 'a') + text.slice(at + 1)
}

const mayBeEmpty = [
  'real_user_id',
  'credential',
  'credential_digest',
  'organization_id',
  'object',
  'item_type',
  'item_name',
  'record_id',
] as const
const texts = ['at', 'kind', 'actor_type', 'actor_id', 'details', 'request_id', 'source', 'prev', 'hash'] as const

/** One column of one row. */
const edit: Tampering = (file, random) => {
  const row = pick(readRows(file), random)
  const column = pick([...texts, ...mayBeEmpty, 'outcome'] as const, random)
  let value: string | null = changed(row[column]!, random)
  if (column === 'outcome') value = row['outcome'] === 'ok' ? 'denied' : 'ok'
  else if ((mayBeEmpty as readonly string[]).includes(column) && row[column] !== null && random() < 0.5) value = null
  file.prepare(`UPDATE audit_entry SET ${column} = ? WHERE seq = ?`).run(value, row['seq'])
}

/** One column of one row, and plain hashes made again from there to the end, as somebody without the key would. */
const editAndHash: Tampering = (file, random) => {
  const rows = readRows(file)
  const from = Math.floor(random() * rows.length)
  rows[from]!['actor_id'] = changed(rows[from]!['actor_id']!, random)
  for (let at = from; at < rows.length; at += 1) {
    if (at > from) rows[at]!['prev'] = rows[at - 1]!['hash']!
    const { hash: _hash, ...rest } = rows[at]!
    rows[at]!['hash'] = createHash('sha256')
      .update(`${String(rest['prev'])}\n${JSON.stringify(rest)}`)
      .digest('hex')
  }
  writeRows(file, rows)
}

const remove: Tampering = (file, random) => {
  file.prepare('DELETE FROM audit_entry WHERE seq = ?').run(pick(readRows(file), random)['seq'])
}

/** A row goes and those after it close the gap. */
const removeAndRenumber: Tampering = (file, random) => {
  const rows = readRows(file)
  rows.splice(Math.floor(random() * (rows.length - 1)), 1)
  const first = Number(rows[0]!['seq'])
  writeRows(
    file,
    rows.map((row, at) => ({ ...row, seq: first + at })),
  )
}

const removeBeginning: Tampering = (file, random) => {
  const rows = readRows(file)
  file.prepare('DELETE FROM audit_entry WHERE seq <= ?').run(pick(rows.slice(0, -1), random)['seq'])
}

/** The beginning goes, and a cut that was never made is written. */
const forgeCut: Tampering = (file, random) => {
  const rows = readRows(file)
  const last = pick(rows.slice(0, -1), random)
  const end = rows.at(-1)!
  file.prepare('DELETE FROM audit_entry WHERE seq <= ?').run(last['seq'])
  const details = JSON.stringify({ through: last['seq'], removed: last['seq'], end: last['hash'] })
  insert(file, { ...end, seq: Number(end['seq']) + 1, kind: 'audit.cut', details, prev: end['hash']! })
}

const cutEnd: Tampering = (file, random) => {
  const rows = readRows(file)
  const from = 1 + Math.floor(random() * (rows.length - 1))
  file.prepare('DELETE FROM audit_entry WHERE seq > ?').run(rows[from - 1]!['seq'])
}

const empty: Tampering = (file) => {
  file.exec('DELETE FROM audit_entry')
}

/** A copy of a row, or a forged one, at the end or between two others. */
const add: Tampering = (file, random) => {
  const rows = readRows(file)
  const at = Math.floor(random() * (rows.length + 1))
  const before = rows[Math.max(0, at - 1)]!
  rows.splice(at, 0, { ...before, ...(random() < 0.5 ? {} : { prev: before['hash']!, actor_id: 'forged' }) })
  writeRows(
    file,
    rows.map((row, index) => ({ ...row, seq: Number(rows[0]!['seq']) + index })),
  )
}

/** Two rows change places, with or without their links. */
const reorder: Tampering = (file, random) => {
  const rows = readRows(file)
  const a = Math.floor(random() * rows.length)
  const b = (a + 1 + Math.floor(random() * (rows.length - 1))) % rows.length
  const place = ({ seq, prev, hash }: RawRow): RawRow => ({
    seq: seq!,
    ...(random() < 0.5 ? { prev: prev!, hash: hash! } : {}),
  })
  const [first, second] = [rows[a]!, rows[b]!]
  rows[a] = { ...second, ...place(first) }
  rows[b] = { ...first, ...place(second) }
  writeRows(file, rows)
}

/** Every way there is; truncation twice, because the chain alone cannot see it. */
export const tamperings: Readonly<Record<string, Tampering>> = {
  edit,
  editAndHash,
  remove,
  removeAndRenumber,
  removeBeginning,
  forgeCut,
  cutEnd,
  cutMore: cutEnd,
  empty,
  add,
  reorder,
}
