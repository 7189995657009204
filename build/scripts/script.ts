// What every tool of this folder needs: where the repository is, whether the file is the program, and a walk over its
// files. Knows no check.
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Absolute path of the repository, without a slash at its end. */
export function repositoryRoot(): string {
  return fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '')
}

/** True when the module with this `import.meta.url` was started as the program, false when a test imports it. */
export function isProgram(moduleUrl: string): boolean {
  const script = process.argv[1]
  return script !== undefined && existsSync(script) && realpathSync(script) === realpathSync(fileURLToPath(moduleUrl))
}

const SKIPPED_FOLDERS = new Set(['node_modules', 'dist', 'coverage', '.git'])

/** Every file below `folder`, as paths relative to `root` with forward slashes, sorted. A missing folder is empty. */
export function listFiles(root: string, folder: string): string[] {
  const full = join(root, folder)
  if (!existsSync(full)) return []
  return readdirSync(full, { withFileTypes: true })
    .flatMap((entry) => {
      if (entry.isDirectory()) {
        return SKIPPED_FOLDERS.has(entry.name) ? [] : listFiles(root, `${folder}/${entry.name}`)
      }
      return [`${folder}/${entry.name}`]
    })
    .toSorted()
}
