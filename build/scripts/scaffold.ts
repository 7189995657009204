// What the generators share: names derived from an id, edits of the lists that name new things, and writing the result
// formatted. Text in, text out, except writeFiles; knows no template.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Files to write by path relative to the repository. */
export type FilePlan = ReadonlyMap<string, string>

const KEBAB = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/

/** `audit-log` -> `auditLog`. */
export function camelCase(id: string): string {
  return id.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** `audit-log` -> `AuditLog`. */
export function pascalCase(id: string): string {
  const name = camelCase(id)
  return name.slice(0, 1).toUpperCase() + name.slice(1)
}

/** @throws Error when the text is no kebab-case id; `what` names it in the message. */
export function requireId(id: string | undefined, what: string): string {
  if (id === undefined || !KEBAB.test(id)) throw new Error(`${what} must be kebab-case, for example audit-log`)
  return id
}

/** Adds an import line after the last import of the source. */
export function addImport(source: string, line: string): string {
  const lines = source.split('\n')
  const last = lines.findLastIndex((text) => /^(import .* from '|import '|\} from ')/.test(text))
  // Without an import the line goes below the comment that opens the module.
  const at =
    last >= 0
      ? last + 1
      : Math.max(
          0,
          lines.findIndex((text) => !text.startsWith('//')),
        )
  return lines.toSpliced(at, 0, line).join('\n')
}

/**
 * Appends a name to the array literal assigned to `list`.
 * @throws Error when the source has no such array.
 */
export function appendToList(source: string, list: string, name: string): string {
  const pattern = new RegExp(`(\\bconst ${list}\\b[^=]*= \\[)([^\\]]*)(\\])`)
  if (!pattern.test(source)) throw new Error(`there is no array ${list} to append to`)
  return source.replace(pattern, (_, head: string, items: string, tail: string) => {
    const before = items.trim().replace(/,$/, '')
    return `${head}${before ? `${before}, ` : ''}${name}${tail}`
  })
}

/** Reads a file of the repository, or `undefined` when it does not exist. */
export function readIfPresent(root: string, path: string): string | undefined {
  const full = join(root, path)
  return existsSync(full) ? readFileSync(full, 'utf8') : undefined
}

/** Writes the files and formats them. */
export function writeFiles(root: string, plan: FilePlan): void {
  for (const [path, text] of plan) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const oxfmt = join(root, 'node_modules', 'oxfmt', 'bin', 'oxfmt')
  const files = [...plan.keys()].filter((path) => /[.](ts|tsx|json)$/.test(path))
  spawnSync(process.execPath, [oxfmt, ...files], { cwd: root })
}
