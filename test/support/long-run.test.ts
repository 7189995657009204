// The list of what a commit leaves out names files and tests there are.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { longFiles, longTests } from './long-run.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const textOf = (file: string): string => readFileSync(`${root}${file}`, 'utf8')

describe('what is left to the long run', () => {
  it('is files there are', () => {
    expect([...longFiles, ...Object.keys(longTests)].filter((file) => !existsSync(`${root}${file}`))).toEqual([])
  })

  it('is tests there are, and checks there are', () => {
    const folder = 'test/safety/checks/'
    const checks = readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => textOf(`${folder}${file}`))
      .join('\n')
    const lost = Object.entries(longTests).flatMap(([file, titles]) =>
      titles.filter((title) =>
        file.startsWith('test/safety/')
          ? !checks.includes(`id: '${title.trim()}'`)
          : !new RegExp(`['\`]${title.replaceAll(/[.*+?^$()[\]{}|\\]/g, String.raw`\$&`)}`).test(textOf(file)),
      ),
    )
    expect(lost).toEqual([])
  })
})
