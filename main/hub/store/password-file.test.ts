import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withPassword } from './password-file.ts'

let folder: string
let file: string
const at = (url: string, env: NodeJS.ProcessEnv = {}): string => withPassword(url, { PGPASSFILE: file, ...env })

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-pgpass-'))
  file = join(folder, 'pgpass')
  writeFileSync(
    file,
    String.raw`# host:port:database:user:password
db.example:5432:cairn:ann:a\:b\\c
db.example:5432:cairn:ann:later
*:6000:*:cairn:s/p@ce
`,
    { mode: 0o600 },
  )
})
afterAll(() => rmSync(folder, { recursive: true }))

// reason: modes of files are those of POSIX
describe.skipIf(process.platform === 'win32')('withPassword', () => {
  it('takes the first line that fits, with its signs as they are meant', () => {
    expect(decodeURIComponent(new URL(at('postgres://ann@db.example/cairn')).password)).toBe(String.raw`a:b\c`)
    expect(decodeURIComponent(new URL(at('postgres://cairn@other:6000/x')).password)).toBe('s/p@ce')
  })

  it('leaves an address that has one, that nothing fits, or whose password is elsewhere', () => {
    for (const url of ['postgres://ann:own@db.example/cairn', 'postgres://bob@db.example/cairn'])
      expect(at(url)).toBe(url)
    expect(at('postgres://ann@db.example/cairn', { PGPASSWORD: 'x' })).toBe('postgres://ann@db.example/cairn')
    expect(at('postgres://ann@db.example/cairn', { PGPASSFILE: join(folder, 'none') })).not.toContain(':a')
  })

  it('reads no file that others may read', () => {
    chmodSync(file, 0o644)
    expect(at('postgres://ann@db.example/cairn')).toBe('postgres://ann@db.example/cairn')
    chmodSync(file, 0o600)
  })
})
