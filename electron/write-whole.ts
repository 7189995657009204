// Stores a small file of the shell whole or not at all.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Writes a file beside its place and renames it; only its owner may read it. */
export function writeWhole(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const next = `${file}.next`
  writeFileSync(next, text, { mode: 0o600 })
  renameSync(next, file)
}
