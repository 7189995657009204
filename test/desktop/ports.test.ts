import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createNotifier, createUtilitySpawner, openOutside, openSecretStore } from '../../electron/ports.ts'
import { callNames, fake, lastCall, resetFake } from './fake-electron.ts'
import type { Notification } from './fake-electron.ts'

vi.mock('electron', () => import('./fake-electron.ts'))

const bootstrap = fileURLToPath(new URL('../../electron/child-bootstrap.ts', import.meta.url))

const work = mkdtempSync(join(tmpdir(), 'cairn-child-'))
let entries = 0

function writeEntry(source: string): string {
  const file = join(work, `entry-${entries++}.mjs`)
  writeFileSync(file, source)
  return file
}

beforeEach(() => {
  resetFake()
})

afterAll(() => {
  rmSync(work, { recursive: true, force: true })
})

describe('process spawner', () => {
  it('gives a child the channel and arguments it has under Node, and no secret of the environment', async () => {
    vi.stubEnv('CAIRN_TEST_SECRET', 'hidden')
    const entry = writeEntry(`process.on('message', (message) => process.send({
      echo: message, args: process.argv.slice(2), secret: process.env.CAIRN_TEST_SECRET ?? null }))`)
    const child = createUtilitySpawner(bootstrap)(entry, { name: 'cairn-test', args: ['one', 'two'] })
    const answer = new Promise((resolve) => {
      child.onMessage(resolve)
    })
    child.send({ hello: 1 })
    expect(await answer).toEqual({ echo: { hello: 1 }, args: ['one', 'two'], secret: null })
    expect(lastCall('utilityProcess.fork')).toMatchObject([
      bootstrap,
      [entry, 'one', 'two'],
      { serviceName: 'cairn-test' },
    ])
    const exited = new Promise((resolve) => {
      child.onExit(resolve)
    })
    child.kill()
    await exited
    vi.unstubAllEnvs()
  })

  it('kills a child whose thread is busy for ever within a second', async () => {
    const entry = writeEntry(`process.send('started'); for (;;);`)
    const child = createUtilitySpawner(bootstrap)(entry, { name: 'cairn-test' })
    await new Promise((resolve) => {
      child.onMessage(resolve)
    })
    const startedAt = performance.now()
    const exited = new Promise((resolve) => {
      child.onExit(resolve)
    })
    child.kill()
    await exited
    expect(performance.now() - startedAt).toBeLessThan(1_000)
    child.kill()
  })
})

describe('secret store', () => {
  it('seals with the key store of the system', async () => {
    const store = await openSecretStore()
    expect(store?.backend).toBe('os')
    const sealed = await store!.seal('word')
    expect(sealed).not.toContain('word')
    expect(await store!.open(sealed)).toBe('word')
  })

  it.runIf(process.platform === 'linux')('is left to the host where the keyring is a known key', async () => {
    for (const backend of ['basic_text', 'unknown']) {
      resetFake({ backend })
      expect(await openSecretStore()).toBeUndefined()
    }
  })

  it('is left to the host where encryption is not available', async () => {
    resetFake({ encryption: false })
    expect(await openSecretStore()).toBeUndefined()
  })
})

describe('notices', () => {
  it('show title and body, and a click tells the address', () => {
    const clicked = vi.fn()
    createNotifier(clicked)({ title: 'Import', body: 'Done', actionUrl: 'cairn://open/o/task' })
    const [options, notice] = lastCall('notification.show') as [unknown, Notification]
    expect(options).toEqual({ title: 'Import', body: 'Done' })
    notice.emit('click')
    expect(clicked).toHaveBeenCalledWith('cairn://open/o/task')
  })

  it('are left out where the desktop has none', () => {
    resetFake({ notifications: false })
    createNotifier(() => {})({ title: 'Import', body: 'Done' })
    expect(callNames()).toEqual([])
  })
})

describe('opening outside', () => {
  it('opens https pages and existing folders', () => {
    openOutside('https://example.org/a')
    openOutside(tmpdir())
    expect(fake().calls).toEqual([
      { name: 'shell.openExternal', args: ['https://example.org/a'] },
      { name: 'shell.openPath', args: [tmpdir()] },
    ])
  })

  it('opens no program, no file, no other scheme and no relative path', () => {
    const file = writeEntry('')
    for (const target of [file, 'file:///etc', 'http://example.org', 'calculator:', 'x', '.', '/no/such/folder']) {
      openOutside(target)
    }
    expect(callNames()).toEqual([])
  })
})
