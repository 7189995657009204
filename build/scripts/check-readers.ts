// Checks that whatever the program declares is acted on somewhere: an option, a permission or an error code that nothing
// reads promises what does not happen. Goes by the text of the sources, so a name that is common elsewhere passes.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { declaredNames } from '../../test/support/declared-names.ts'
import type { DeclaredName, NameKind } from '../../test/support/declared-names.ts'
import { withoutComments } from './plugin-sources.ts'
import { keptNames } from './kept-names.ts'
import { isProgram, listFiles, repositoryRoot } from './script.ts'

/** A source file without its comments. */
export interface SourceText {
  readonly path: string
  readonly text: string
}

/** Words that are only listed in a file are not read there. */
const wordLists = [/^main\/plugins\/i18n\/locales\//, /\/permissions[.]ts$/, /\/errors[.]ts$/, /delivered-profiles/]
/** What judges a definition, follows names in it, copies it or lets people edit it does not act on it. */
const definitionWork = [
  /^main\/plugins\/metadata\/(types|references)\//,
  /^main\/plugins\/metadata\/operations\/concepts[.]ts$/,
  /^main\/plugins\/sync\/metadata\//,
  /^shared\/object-definition/,
  /^shared\/formulas\/check-definition-expressions/,
  /^renderer\/features\/objects\/.*(settings|draft|item)[.]tsx?$/,
  /^renderer\/lib\/strings/,
]
/** What lets people set an option does not act on it. */
const optionWork = [/^renderer\/features\/settings\//, /^renderer\/lib\/strings/]
const isContract = (path: string): boolean => path.startsWith('shared/contracts/')

/** Where a reader of the kind may stand. */
const places: Readonly<Record<NameKind, (path: string) => boolean>> = {
  'workspace option': (path) => !isContract(path) && !optionWork.some((one) => one.test(path)),
  setting: (path) => path.startsWith('main/'),
  'object flag': (path) => !isContract(path),
  'metadata key': (path) => !isContract(path) && !definitionWork.some((one) => one.test(path)),
  permission: (path) => path.startsWith('main/') || isContract(path),
  error: (path) => path.startsWith('main/') || (path.startsWith('shared/') && !isContract(path)),
  'field error': (path) => path.startsWith('main/') || (path.startsWith('shared/') && !isContract(path)),
}

/** The text of a reader: a member that is looked at, a name taken out of an object, or the word itself. */
function patternOf({ kind, name }: DeclaredName): RegExp {
  const word = name.replaceAll('.', String.raw`\.`)
  const quoted = String.raw`['"]${word}['"](?!\??:)`
  if (kind === 'object flag') return new RegExp(String.raw`\benable\??\.${word}\b`)
  if (kind === 'permission' || kind === 'error' || kind === 'field error') return new RegExp(quoted)
  return new RegExp(String.raw`${quoted}|[.]${word}\b|[{,]\s*${word}\s*(?=[,}=]|:\s*[a-z]\w*\s*[,}=])`)
}

/**
 * The declared names nothing reads, and kept ones that need no keeping, as sentences.
 * @param kept reasons by `kind path`; a path that ends in `.*` stands for all below it
 */
export function unreadNames(
  declared: readonly DeclaredName[],
  sources: readonly SourceText[],
  kept: Readonly<Record<string, string>>,
): string[] {
  const types = new Map<string, boolean>([
    ['object', true],
    ['field', true],
  ])
  const isNamed = (type: string): boolean => {
    const quoted = new RegExp(`['"]${type}['"]`)
    const known = types.get(type) ?? sources.some(({ path, text }) => places['metadata key'](path) && quoted.test(text))
    types.set(type, known)
    return known
  }
  const verdicts = new Map<string, boolean>()
  const isRead = (one: DeclaredName): boolean => {
    // Words as common as `tools` are found anywhere; whoever acts on a definition names its type somewhere.
    if (one.kind === 'metadata key' && !isNamed(one.path.slice(0, one.path.indexOf('.')))) return false
    const key = `${one.kind} ${one.name}`
    let read = verdicts.get(key)
    if (read === undefined) {
      const pattern = patternOf(one)
      read = sources.some(({ path, text }) => places[one.kind](path) && text.includes(one.name) && pattern.test(text))
      verdicts.set(key, read)
    }
    return read
  }
  const unread = [...new Set(declared.filter((one) => !isRead(one)).map(({ kind, path }) => `${kind} ${path}`))]
  const keeps = (entry: string, key: string): boolean =>
    entry.endsWith('.*') ? key.startsWith(entry.slice(0, -1)) : key === entry
  const entries = Object.keys(kept)
  return [
    ...unread
      .filter((key) => !entries.some((entry) => keeps(entry, key)))
      .map((key) => `${key}: nothing reads it. Give it a reader, remove it, or say in kept-names.ts why it stays.`),
    ...entries
      .filter((entry) => !unread.some((key) => keeps(entry, key)))
      .map(
        (entry) => `${entry}: is kept without need, since it has a reader or is gone. Remove it from kept-names.ts.`,
      ),
  ]
}

/** Every source that may hold a reader. */
export function readSources(root: string): SourceText[] {
  return ['main', 'shared', 'renderer', 'electron']
    .flatMap((folder) => listFiles(root, folder))
    .filter((path) => /[.]tsx?$/.test(path) && !/[.]test(-d)?[.]tsx?$/.test(path))
    .filter((path) => !wordLists.some((list) => list.test(path)))
    .map((path) => ({ path, text: withoutComments(readFileSync(join(root, path), 'utf8')) }))
}

function main(): number {
  const declared = declaredNames()
  const problems = unreadNames(declared, readSources(repositoryRoot()), keptNames)
  for (const problem of problems) console.error(problem)
  console.log(`readers: ${declared.length} declared names, ${problems.length} problems`)
  return declared.length > 0 && problems.length === 0 ? 0 : 1
}

if (isProgram(import.meta.url)) process.exitCode = main()
