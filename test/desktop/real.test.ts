// The shell in a real Electron, wherever its binary and a display exist; elsewhere one skipped line says what is
// missing. CAIRN_REQUIRE_ELECTRON=1 turns the skip into a failure.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { _electron } from 'playwright-core'
import type { ElectronApplication } from 'playwright-core'
import { afterEach, describe, expect, it } from 'vitest'
import { buildApp, findElectron, root } from './launcher.ts'

const binary = findElectron()

function whatIsMissing(): string {
  if (binary === '') return 'no Electron binary (npx install-electron fetches it)'
  const hasDisplay = process.platform !== 'linux' || Boolean(process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY'])
  if (!hasDisplay) return 'no display (xvfb-run gives one)'
  if (process.getuid?.() === 0) return 'Chromium refuses its sandbox to root'
  return ''
}

const missing = whatIsMissing()
const required = process.env['CAIRN_REQUIRE_ELECTRON'] === '1'

describe('real Electron', () => {
  let application: ElectronApplication | undefined

  afterEach(async () => {
    await application?.close()
    application = undefined
  })

  it('shows the screens and ends cleanly', { timeout: 60_000 }, async ({ skip }) => {
    skip(missing !== '' && !required, missing)
    expect(missing).toBe('')
    buildApp()
    const dataDir = mkdtempSync(join(tmpdir(), 'cairn-electron-'))
    application = await _electron.launch({
      executablePath: binary,
      args: [root, '--data', dataDir, '--port', '0'],
    })
    const page = await application.firstWindow()
    await page.waitForSelector('h1')
    expect(page.url()).toMatch(/^app:\/\/cairn\//)
    expect(await page.evaluate(() => typeof (globalThis as { process?: unknown }).process)).toBe('undefined')
    const answer = await page.evaluate(async () => {
      const { cairn } = globalThis as unknown as {
        cairn: { getConnection(): Promise<{ url: string; token: string }> }
      }
      const { url, token } = await cairn.getConnection()
      const reply = await fetch(`${url}/api/v1/meta`, { headers: { authorization: `Bearer ${token}` } })
      return reply.status
    })
    expect(answer).toBe(200)
    await application.close()
    application = undefined
    expect(existsSync(join(dataDir, 'connection.json'))).toBe(false)
    rmSync(dataDir, { recursive: true, force: true })
  })
})
