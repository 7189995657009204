import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFileSecrets } from './file-secrets.ts'

let dir: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cairn-secrets-'))
})

afterEach(() => rmSync(dir, { recursive: true }))

describe('createFileSecrets', () => {
  it('opens what it sealed, also in a later process, and never seals alike', async () => {
    const file = join(dir, 'secret.key')
    const sealed = await createFileSecrets(file).seal('hunter2 ünïcode')
    expect(sealed).not.toContain('hunter2')
    expect(await createFileSecrets(file).open(sealed)).toBe('hunter2 ünïcode')
    expect(await createFileSecrets(file).seal('hunter2 ünïcode')).not.toBe(sealed)
  })

  it('keeps the key private', async () => {
    const file = join(dir, 'secret.key')
    await createFileSecrets(file).seal('x')
    expect(statSync(file).mode & 0o077).toBe(0)
    expect(Buffer.from(readFileSync(file, 'utf8'), 'base64')).toHaveLength(32)
  })

  it('refuses altered values, another key and a damaged key file', async () => {
    const store = createFileSecrets(join(dir, 'secret.key'))
    const sealed = await store.seal('value')
    const altered = `${sealed.slice(0, -3)}AAA`
    await expect(async () => store.open(altered)).rejects.toThrow()
    await expect(async () => createFileSecrets(join(dir, 'other.key')).open(sealed)).rejects.toThrow(/is missing/)
    writeFileSync(join(dir, 'short.key'), 'AAAA', { mode: 0o600 })
    await expect(async () => createFileSecrets(join(dir, 'short.key')).seal('x')).rejects.toThrow(/is damaged/)
  })
})
