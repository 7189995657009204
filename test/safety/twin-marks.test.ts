// Twins run again once what they prove has changed: the mark follows the check, its helpers, its guards and the registry.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { loadChecks } from './registry.ts'
import { markOf, readTwinMarks, writeTwinMarks } from './twin-marks.ts'

it('every check knows the file it came with, and its mark is the same each time', async () => {
  const checks = await loadChecks()
  for (const { id, module } of checks) expect(module, id).toMatch(/safety\/checks\/[a-z-]+\.ts$/)
  for (const module of new Set(checks.map((check) => check.module))) expect(markOf(module)).toBe(markOf(module))
})

it('a mark changes with the file of the check and with what that file imports', () => {
  const folder = mkdtempSync(fileURLToPath(new URL('checks-', import.meta.url)))
  try {
    const [check, helper] = [join(folder, 'check.ts'), join(folder, 'helper.ts')]
    writeFileSync(check, "import { one } from './helper.ts'\nexport const two = one\n")
    writeFileSync(helper, 'export const one = 1\n')
    const before = markOf(check)
    writeFileSync(helper, 'export const one = 2\n')
    const after = markOf(check)
    expect(after).not.toBe(before)
    writeFileSync(check, "import { one } from './helper.ts'\nexport const two = one + 1\n")
    expect(markOf(check)).not.toBe(after)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

it('marks are added to those that are there, in order', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-marks-'))
  const file = join(folder, 'marks.json')
  try {
    expect(readTwinMarks(file)).toEqual({})
    writeTwinMarks({ W2: 'b', C1: 'a' }, file)
    writeTwinMarks({ W2: 'c' }, file)
    expect(readFileSync(file, 'utf8')).toBe('{\n  "C1": "a",\n  "W2": "c"\n}\n')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
