// Checks the texts of the screens: every English one has a German one with the same parameters, every one is asked for by
// some screen, and no screen shows a text that is not looked up. Knows the tables, not where their texts are shown.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isProgram, listFiles, repositoryRoot } from './script.ts'
import { textsOf } from './visible-text.ts'

type Words = Readonly<Record<string, string>>

/** What is the same in every language: names, commands, and words of formulas. */
const sameEverywhere = new Set(['Cairn', 'Apache License 2.0', 'npm run open', 'record.'])
/** Their messages are for developers: screens word a problem by its code (lib/problem-text.ts). */
const notShown = /^renderer\/lib\/(api-client|api-error)\.ts$/

/** What is wrong with the German words of an area, as sentences. */
export function stringProblems(area: string, english: Words, german: Words): string[] {
  return Object.entries(english).flatMap(([key, text]) => {
    const translated = german[key]
    if (translated === undefined) return [`${area}: ${key} has no German: ${text}`]
    return parametersOf(text) === parametersOf(translated)
      ? []
      : [`${area}: ${key} has other parameters in German: ${parametersOf(translated)} for ${parametersOf(text)}`]
  })
}

function parametersOf(text: string): string {
  return (text.match(/\{\w+\}/g) ?? []).toSorted().join(' ')
}

/** What is wrong with how files use the texts, as sentences. */
export function useProblems(english: Words, files: readonly { path: string; source: string }[]): string[] {
  const problems: string[] = []
  const literals = new Set<string>()
  const beginnings = new Set<string>()
  for (const { path, source } of files) {
    const texts = textsOf(path, source)
    for (const literal of texts.literals) literals.add(literal)
    // One of less than a part would ask for all there is.
    for (const beginning of texts.beginnings) if (/^\w+\.|^\w{4,}/.test(beginning)) beginnings.add(beginning)
    for (const { line, text } of texts.shown)
      if (!(text in english) && !sameEverywhere.has(text) && !notShown.test(path))
        problems.push(`${path}:${line} shows a text that is not looked up: ${text}`)
  }
  const all = [...beginnings]
  for (const key of Object.keys(english)) {
    const plain = key.replace(/\.(one|other)$/, '')
    if (!literals.has(key) && !literals.has(plain) && !all.some((beginning) => key.startsWith(beginning)))
      problems.push(`${key} is asked for by no screen: ${english[key]}`)
  }
  return problems
}

async function wordsOf(path: string, name: string): Promise<Words> {
  return ((await import(pathToFileURL(path).href)) as Record<string, Words>)[name]!
}

async function main(): Promise<number> {
  const root = repositoryRoot()
  const words = 'renderer/lib/strings'
  // Those of the hub are loaded with its part.
  const tables = async (...parts: readonly (readonly [file: string, name: string])[]): Promise<Words> =>
    Object.assign(
      {},
      ...(await Promise.all(parts.map(([file, name]) => wordsOf(join(root, words, file), name)))),
    ) as Words
  const english = await tables(['en/index.ts', 'english'], ['hub/en.ts', 'hubStrings'])
  const german = await tables(['de/index.ts', 'german'], ['hub/de.ts', 'hubGerman'])
  const files = listFiles(root, 'renderer')
    .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path) && !path.startsWith(`${words}/`))
    .map((path) => ({ path, source: readFileSync(join(root, path), 'utf8') }))
  const problems = [...stringProblems('German', english, german), ...useProblems(english, files)]
  for (const problem of problems) console.error(problem)
  const count = Object.keys(english).length
  console.log(`strings: ${count} texts in ${files.length} files, ${problems.length} problems`)
  return count > 0 && files.length > 0 && problems.length === 0 ? 0 : 1
}

if (isProgram(import.meta.url)) process.exitCode = await main()
