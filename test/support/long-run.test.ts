// The lists of what a commit, and a run through the door of a hub, leave out name files and tests there are.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { filesBesideDoor, testsBesideDoor, testsBesideHandovers } from './door-exceptions.ts'
import { filesInTurns, longFiles, longTests } from './long-run.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const textOf = (file: string): string => readFileSync(`${root}${file}`, 'utf8')
const isThere = (file: string): boolean => existsSync(`${root}${file}`)
const hasTest = (file: string, title: string): boolean =>
  new RegExp(`['\`]${title.replaceAll(/[.*+?^$()[\]{}|\\]/g, String.raw`\$&`)}`).test(textOf(file))

describe('what is left to the long run', () => {
  it('is files there are', () => {
    expect([...filesInTurns, ...longFiles, ...Object.keys(longTests)].filter((file) => !isThere(file))).toEqual([])
  })

  it('is tests there are, and checks there are', () => {
    const folder = 'test/safety/checks/'
    const checks = readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => textOf(`${folder}${file}`))
      .join('\n')
    const lost = Object.entries(longTests).flatMap(([file, titles]) =>
      titles.filter((title) =>
        file.startsWith('test/safety/') ? !checks.includes(`id: '${title.trim()}'`) : !hasTest(file, title),
      ),
    )
    expect(lost).toEqual([])
  })
})

describe('what is beside the door of a hub', () => {
  it('is files and tests there are', () => {
    expect(Object.keys(filesBesideDoor).filter((file) => !isThere(file))).toEqual([])
    const lost = [testsBesideDoor, testsBesideHandovers]
      .flatMap(Object.entries)
      .flatMap(([file, titles]) => Object.keys(titles).filter((title) => !hasTest(file, title)))
    expect(lost).toEqual([])
  })
})
