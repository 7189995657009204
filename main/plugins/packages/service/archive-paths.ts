// Judges the names of files in an archive before anything of them is read (D-129). Pure.
import { normalForm } from '#shared/normal-form.ts'

/** What is wrong with a name of an archive, as the reason of a refusal. */
export type PathProblem =
  | 'path_empty'
  | 'path_too_long'
  | 'path_absolute'
  | 'path_escapes'
  | 'path_not_portable'
  | 'path_duplicate'
  | 'path_case_collision'

const maxLength = 255
const maxSegments = 16
/** Names that Windows takes for devices, with any extension. */
const devicePattern = /^(con|prn|aux|nul|clock\$|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?$/i

/** Judges the names of one archive, one after the other. */
export interface PathJudge {
  /** What is wrong with the next name; null for a good one. A name may come once. */
  judge(path: string): PathProblem | null
}

/** Makes a judge that has seen no name yet. */
export function createPathJudge(): PathJudge {
  const exact = new Set<string>()
  const folded = new Set<string>()
  /** Folders that files lie in: a file of the same name would be hidden by them. */
  const folders = new Set<string>()
  return {
    judge(path) {
      const problem = problemOf(path)
      if (problem !== null) return problem
      if (exact.has(path)) return 'path_duplicate'
      exact.add(path)
      const key = fold(path)
      if (folded.has(key) || folders.has(key)) return 'path_case_collision'
      folded.add(key)
      const parts = key.split('/')
      for (let depth = 1; depth < parts.length; depth += 1) {
        const folder = parts.slice(0, depth).join('/')
        if (folded.has(folder)) return 'path_case_collision'
        folders.add(folder)
      }
      return null
    },
  }
}

function problemOf(path: string): PathProblem | null {
  if (path === '') return 'path_empty'
  if (Buffer.byteLength(path) > maxLength) return 'path_too_long'
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path) || path.startsWith('\\')) return 'path_absolute'
  const parts = path.split(/[/\\]/)
  if (parts.includes('..')) return 'path_escapes'
  // Control characters and what some file systems read as something else.
  if (/[\\\u0000-\u001f\u007f:*?"<>|]/.test(path) || !path.isWellFormed() || path.includes('\ufffd')) {
    return 'path_not_portable'
  }
  if (parts.length > maxSegments) return 'path_too_long'
  const isOdd = parts.some((part) => part === '' || part === '.' || /[. ]$/.test(part) || devicePattern.test(part))
  return isOdd ? 'path_not_portable' : null
}

/** Names that a file system without case, or with another normal form, takes for the same. */
function fold(path: string): string {
  return normalForm(normalForm(path, 'NFKC').toLowerCase(), 'NFKC')
}
