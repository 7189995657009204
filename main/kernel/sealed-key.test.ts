import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SecretKeyMissing, createFileSecrets } from './file-secrets.ts'
import { makeSealedKey, openSealedKey } from './sealed-key.ts'

let dir: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cairn-sealed-key-'))
})

afterEach(() => rmSync(dir, { recursive: true }))

const store = (name = 'secret.key') => createFileSecrets(join(dir, name))

describe('a sealed key', () => {
  it('is opened as it was made, also later', async () => {
    const { key, sealed } = await makeSealedKey(store())
    expect(key).toHaveLength(32)
    expect(await openSealedKey(store(), sealed)).toEqual(key)
  })

  it('is none where nothing was stored, or what was stored is no key of this machine', async () => {
    const { sealed } = await makeSealedKey(store())
    await store('other.key').seal('x')
    const short = await store().seal('short')
    expect(await openSealedKey(store(), undefined)).toBeUndefined()
    expect(await openSealedKey(store('other.key'), sealed)).toBeUndefined()
    expect(await openSealedKey(store(), short)).toBeUndefined()
    expect(await openSealedKey(store(), 'edited')).toBeUndefined()
  })

  it('is asked for when only the key file is missing', async () => {
    const { sealed } = await makeSealedKey(store())
    rmSync(join(dir, 'secret.key'))
    await expect(openSealedKey(store(), sealed)).rejects.toThrow(SecretKeyMissing)
  })
})
