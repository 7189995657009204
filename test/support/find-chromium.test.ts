import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { chromiumInstallHint, findChromium, findHeadlessChromium } from './find-chromium.ts'

let home: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'cairn-chromium-'))
})

afterEach(() => {
  rmSync(home, { recursive: true, force: true })
})

function put(path: string, mode = 0o755): string {
  const full = join(home, path)
  mkdirSync(dirname(full), { recursive: true })
  writeFileSync(full, '', { mode })
  return full
}

describe.skipIf(process.platform === 'win32')('Chromium finder', () => {
  const platform = 'linux'

  it('prefers the variable CHROMIUM and refuses it when it names nothing', () => {
    const named = put('own/browser')
    put('bin/chromium')
    const env = { CHROMIUM: named, PATH: join(home, 'bin') }
    expect(findChromium({ env, home, platform })).toBe(named)
    expect(() => findChromium({ env: { CHROMIUM: join(home, 'gone') }, home, platform })).toThrow('not an executable')
  })

  it('searches PATH by name, and passes over a file that is not executable', () => {
    put('one/chromium', 0o644)
    const found = put('two/google-chrome')
    const env = { PATH: `${join(home, 'one')}:${join(home, 'two')}` }
    expect(findChromium({ env, home, platform })).toBe(found)
  })

  it('takes one without windows where it is enough, unless CHROMIUM names another', () => {
    const whole = put('bin/chromium')
    const env = { PATH: join(home, 'bin') }
    expect(findHeadlessChromium({ env, home, platform })).toBe(whole)
    const shell = put('bin/chromium-headless-shell')
    expect(findHeadlessChromium({ env, home, platform })).toBe(shell)
    expect(findChromium({ env, home, platform })).toBe(whole)
    expect(findHeadlessChromium({ env: { ...env, CHROMIUM: whole }, home, platform })).toBe(whole)
  })

  it("takes the newest build of Playwright's own folder last", () => {
    put('.cache/ms-playwright/chromium-999/chrome-linux/chrome')
    const newest = put('.cache/ms-playwright/chromium-1200/chrome-linux64/chrome')
    expect(findChromium({ env: {}, home, platform })).toBe(newest)
  })

  it('answers undefined when there is none, and the hint names the command', () => {
    expect(findChromium({ env: {}, home, platform })).toBeUndefined()
    expect(chromiumInstallHint('linux')).toContain('apt-get install -y chromium')
    expect(chromiumInstallHint('darwin')).toContain('playwright-core install chromium')
  })
})
