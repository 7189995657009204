// What a leader keeps for the next one, and for how long it takes it for its own.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createSharedFiles } from './shared-files.ts'

it('sweeps what it could not drop, and nothing that it has begun to keep', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-shared-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'rows')
  writeFileSync(path, 'rows')
  const kept = new Map<string, Buffer>()
  let isAway = false
  const files = createSharedFiles(
    {
      putFile: async (_epoch, name, body) => kept.set(name, body).size > 0,
      file: async (name) => kept.get(name) ?? null,
      sharedNames: async () => [...new Set([...kept.keys()].map((name) => name.split('/')[1]!))],
      async dropShared(_epoch, name) {
        if (isAway) throw new Error('PostgreSQL does not answer.')
        for (const key of [...kept.keys()].filter((one) => one.split('/')[1] === name)) kept.delete(key)
      },
    },
    1,
  )
  await files.keep('ended.rows', path)
  await files.keep('begun.rows', path)
  kept.set('shared/before.archive', Buffer.from('0'))
  isAway = true
  await expect(files.drop('ended.rows')).rejects.toThrow('does not answer')
  isAway = false
  expect(await files.sweep('.rows', new Set())).toEqual(new Set(['begun.rows']))
  expect([...kept.keys()]).toEqual(['shared/begun.rows/0', 'shared/begun.rows', 'shared/before.archive'])
})
