// What the pages for people name exists: commands, their options, pictures and files.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listFiles, repositoryRoot } from './script.ts'

const root = repositoryRoot()
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const pages = ['README.md', 'CONTRIBUTING.md', ...listFiles(root, 'docs').filter((path) => path.endsWith('.md'))]
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }

describe.each(pages)('%s', (page) => {
  const text = read(page)

  it('names commands that there are', () => {
    const named = [...text.matchAll(/\bnpm run (?:--silent |-s )?([a-z][\w:-]*)/g)].map((match) => match[1]!)
    expect(named.filter((name) => !(name in scripts))).toEqual([])
  })

  it('names options that the relay has', () => {
    const usage = read('main/relay/program/relay-command.ts')
    const commands = [...text.matchAll(/npm run relay -- ([^`\n]*)/g)].map((match) => match[1]!)
    const options = commands.flatMap((command) => command.match(/--[a-z-]+/g) ?? [])
    expect(options.filter((option) => !usage.includes(`  ${option} `))).toEqual([])
  })

  it('leads to files that there are', () => {
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map((match) => match[1]!)
    expect(links.filter((link) => !existsSync(join(root, dirname(page), link)))).toEqual([])
  })
})
