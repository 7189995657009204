// What a machine has stored: its documents, their hashes, how far it has each log. Reads rows, merges nothing.
import { statement } from '#main/kernel/database.ts'
import type { RegisterEntry } from '#main/replication/core/types.ts'
import type { Machine } from './machine.ts'

/** How far each log is stored, by incarnation. */
export function vectorOf(machine: Machine): unknown {
  return [...machine.engine.replica.vector()].sort(([a], [b]) => a - b)
}

/** The digest of all documents; null while something lies aside. */
export function digestOf(machine: Machine): unknown {
  const digest = machine.engine.replica.digest()
  return digest === null ? null : hex(digest.buckets)
}

/** The logical hash of each document, by name. */
export function hashesOf(machine: Machine): unknown {
  const rows = machine.plugin.read.all(
    statement<{ name: string; lhash: Uint8Array }>('SELECT name, lhash FROM sync_doc ORDER BY name'),
  )
  return rows.map(({ name, lhash }) => [name, hex(lhash)])
}

/** Names of all documents, in order. */
export function docNames(machine: Machine): string[] {
  return machine.plugin.read
    .all(statement<{ name: string }>('SELECT name FROM sync_doc'))
    .map(({ name }) => name)
    .sort()
}

/** The state of a document; null where there is none. */
export function stateOf(machine: Machine, name: string): Uint8Array | null {
  const sql = 'SELECT state FROM sync_doc WHERE name = ?'
  return machine.plugin.read.get(statement<{ state: Uint8Array }>(sql, [name]))?.state ?? null
}

/** The logical hash of a document that is stored. */
export function hashOf(machine: Machine, name: string): string {
  const sql = 'SELECT lhash FROM sync_doc WHERE name = ?'
  return hex(machine.plugin.read.get(statement<{ lhash: Uint8Array }>(sql, [name]))!.lhash)
}

/** Whether a value marks a deletion. */
export function isMark(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

/** The stamp of an entry as a key. */
export function stampOf([, , ms, ctr, inc]: RegisterEntry): string {
  return `${ms}.${ctr}.${inc}`
}

/** Bytes as hexadecimal digits. */
export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
