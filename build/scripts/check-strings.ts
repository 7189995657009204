// Checks that every English text of the screens has a German one with the same parameters, and prints those that have
// none, by area. Knows the tables, not where their texts are shown.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isProgram, listFiles, repositoryRoot } from './script.ts'

type Words = Readonly<Record<string, string>>

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

async function wordsOf(path: string): Promise<Words> {
  const tables = (await import(pathToFileURL(path).href)) as Record<string, Words>
  return Object.assign({}, ...Object.values(tables)) as Words
}

async function main(): Promise<number> {
  const root = repositoryRoot()
  const folder = 'renderer/lib/strings/en'
  const areas = listFiles(root, folder).filter((path) => !path.endsWith('/index.ts'))
  const problems: string[] = []
  let count = 0
  for (const path of areas) {
    const area = path.slice(folder.length + 1)
    const english = await wordsOf(join(root, path))
    const translated = join(root, 'renderer/lib/strings/de', area)
    count += Object.keys(english).length
    problems.push(...stringProblems(area, english, existsSync(translated) ? await wordsOf(translated) : {}))
  }
  for (const problem of problems) console.error(problem)
  console.log(`strings: ${count} texts, ${problems.length} problems`)
  return count > 0 && problems.length === 0 ? 0 : 1
}

if (isProgram(import.meta.url)) process.exitCode = await main()
