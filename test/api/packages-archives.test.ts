// Archives of packages: what is taken, and everything that is refused before any of it is used (D-129, D-130).
import { readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { ArchiveFile } from '../support/package-archives.ts'
import { crmFolder, readCrmPackage } from '../support/crm.ts'
import { checksumsOf, createSigningKey, filesOf, sealed, sha256Of, tgzOf, zipOf } from '../support/package-archives.ts'

let host: TestHost
let serial = 0

beforeAll(async () => {
  host = await createTestHost()
}, 60_000)

afterAll(async () => host?.stop())

/** A package nobody has uploaded yet. */
const fresh = (more: object = {}) => ({ id: `org.test.p${(serial += 1)}`, name: 'Some', version: '1.0.0', ...more })
const base = (more: Record<string, unknown> = {}): ArchiveFile[] => filesOf({ 'manifest.json': fresh(), ...more })

const upload = (bytes: Buffer, format: 'zip' | 'tgz' = 'zip', more: object = {}) =>
  host.post('/packages/upload', { artifact: { format, content: bytes.toString('base64') }, ...more })

const stored = (): string[] => {
  try {
    return readdirSync(join(host.dataDir, 'packages'))
  } catch {
    return []
  }
}

const refused = async (bytes: Buffer, format: 'zip' | 'tgz' = 'zip') => {
  const before = stored()
  const { status, body } = await upload(bytes, format)
  expect(status, JSON.stringify(body)).toBe(400)
  expect(body.error.code).toBe('artifact_invalid')
  expect(stored()).toEqual(before)
  return body.error.details
}

describe('an upload', () => {
  const whole = (): ArchiveFile[] => {
    const manifest = fresh({ namespace: 'box' })
    return filesOf({
      'manifest.json': manifest,
      'metadata/object/box_thing.json': {
        fields: { title: { type: 'text', externalId: true }, size: { type: 'number' } },
      },
      'metadata/view/box_thing.all.yaml':
        'object: box_thing\nviewKind: list\nlabel: All\nconfig:\n  type: grid\n  columns: [{field: title}]\n',
      'data/box_thing.csv': 'title,size\nOne,1\nTwo,2\n',
      'translations/de.json': { objects: { box_thing: { label: 'Ding' } } },
      'functions/box_double.js': 'return input.value * 2',
      'assets/icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
      'README.md': '# Box',
    })
  }

  it.each(['zip', 'tgz'] as const)('of a %s is installed with everything in it', async (format) => {
    const files = sealed(whole())
    const bytes = format === 'zip' ? zipOf(files) : tgzOf(files)
    const { status, body } = await upload(bytes, format, { sha256: sha256Of(bytes), releaseNotes: 'First' })
    expect(status, JSON.stringify(body)).toBe(201)
    const { artifactRef, packageId } = body.data
    expect(body.data).toMatchObject({
      success: true,
      artifactRef: `sha256:${sha256Of(bytes)}`,
      version: '1.0.0',
      sha256: sha256Of(bytes),
      size: bytes.length,
      trust: 'unsigned',
    })
    expect(stored()).toContain(sha256Of(bytes))
    expect((await upload(bytes, format)).body.data.artifactRef).toBe(artifactRef)
    const made = await host.post('/packages/install', { artifactRef })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    expect(made.body.data.items).toEqual({ object: 1, view: 1, translation: 1, function: 1 })
    const { records } = (await host.get('/data/box_thing?sort=title')).body
    expect(records).toMatchObject([
      { title: 'One', size: 1 },
      { title: 'Two', size: 2 },
    ])
    expect((await host.get('/meta/object/box_thing?locale=de')).body.item.label).toBe('Ding')
    const gone = await host.delete(`/packages/${packageId}?keepData=false&confirm=true`)
    expect(gone.status, JSON.stringify(gone.body)).toBe(200)
  })

  it('comes in parts as well', async () => {
    const bytes = zipOf(sealed(base()))
    const form = new FormData()
    form.set('sha256', sha256Of(bytes))
    form.set('artifact', new Blob([new Uint8Array(bytes)], { type: 'application/zip' }), 'some.zip')
    form.set('releaseNotes', 'Notes')
    const response = await fetch(`${host.host.url}/api/v1/packages/upload`, {
      method: 'POST',
      headers: { authorization: `Bearer ${host.host.token}` },
      body: form,
    })
    const body = (await response.json()) as { data: Record<string, unknown> }
    expect(response.status, JSON.stringify(body)).toBe(201)
    expect(body.data).toMatchObject({ success: true, sha256: sha256Of(bytes) })
  })

  it('in parts without the file, or with parts that cannot be read, names what is wrong', async () => {
    const send = async (body: BodyInit, headers: Record<string, string> = {}) => {
      const response = await fetch(`${host.host.url}/api/v1/packages/upload`, {
        method: 'POST',
        headers: { authorization: `Bearer ${host.host.token}`, ...headers },
        body,
      })
      return {
        status: response.status,
        body: (await response.json()) as { error: { code: string; details: { fieldErrors: { field: string }[] } } },
      }
    }
    const empty = new FormData()
    empty.set('releaseNotes', 'only')
    const missing = await send(empty)
    expect(missing.status).toBe(400)
    expect(missing.body.error.details.fieldErrors).toMatchObject([{ field: 'artifact', code: 'required' }])
    const broken = await send('--x\r\nnonsense', { 'content-type': 'multipart/form-data; boundary=x' })
    expect(broken.status).toBe(400)
    const bare = await send('x', { 'content-type': 'multipart/form-data' })
    expect(bare.status).toBe(400)
    expect(stored().filter((name) => name.startsWith('incoming-'))).toEqual([])
  })

  it('is refused under another checksum, another identity, and a version others hold', async () => {
    const manifest = fresh()
    const bytes = zipOf(filesOf({ 'manifest.json': manifest }))
    const wrong = await upload(bytes, 'zip', { sha256: '0'.repeat(64) })
    expect(wrong.body.error).toMatchObject({ code: 'checksum_mismatch', httpStatus: 400 })
    const content = bytes.toString('base64')
    const other = await host.post('/packages/upload', { artifact: { format: 'zip', content, version: '2.0.0' } })
    expect(other.body.error.code).toBe('artifact_invalid')
    expect((await upload(bytes)).status).toBe(201)
    const changed = await upload(zipOf(filesOf({ 'manifest.json': { ...manifest, name: 'Changed' } })))
    expect(changed.body.error).toMatchObject({ code: 'conflict', httpStatus: 409 })
    const invalid = await host.post('/packages/upload', { artifact: { format: 'rar', content } })
    expect(invalid.body.error.code).toBe('validation_error')
    expect((await host.post('/packages/upload')).body.error.code).toBe('validation_error')
  })

  it('asks for the token of the workspace', async () => {
    await host.patch('/settings', { 'packages.publisherToken': 'let me' })
    const bytes = zipOf(base())
    expect((await upload(bytes)).status).toBe(403)
    expect((await upload(bytes, 'zip', { token: 'let you' })).status).toBe(403)
    expect((await upload(bytes, 'zip', { token: 'let me' })).status).toBe(201)
    await host.patch('/settings', { 'packages.publisherToken': null })
  })
})

describe('a store that fails', () => {
  it('keeps nothing, says so, and takes the upload again', async () => {
    const folder = join(host.dataDir, 'packages')
    const aside = `${folder}-aside`
    renameSync(folder, aside)
    writeFileSync(folder, '')
    const bytes = zipOf(base())
    const failed = await upload(bytes)
    expect(failed.body.error).toMatchObject({
      code: 'upload_failed',
      httpStatus: 500,
      category: 'server',
      retryable: true,
    })
    rmSync(folder)
    renameSync(aside, folder)
    expect((await upload(bytes)).status).toBe(201)
  })

  it('whose file is gone has no such version any more', async () => {
    const { artifactRef, sha256 } = (await upload(zipOf(base()))).body.data
    writeFileSync(join(host.dataDir, 'packages', sha256), 'other bytes')
    const changed = await host.post('/packages', { artifactRef })
    expect(changed.body.error).toMatchObject({ code: 'checksum_mismatch' })
    rmSync(join(host.dataDir, 'packages', sha256))
    expect((await host.post('/packages', { artifactRef })).body.error.code).toBe('version_not_found')
  })
})

describe('the example application', () => {
  it('is one archive, and installed as it is', async () => {
    const paths = readdirSync(crmFolder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const files = paths.map(({ parentPath, name }) => {
      const file = join(parentPath, name)
      return { path: relative(crmFolder, file).replaceAll('\\', '/'), content: readFileSync(file) }
    })
    const { body } = await upload(tgzOf(sealed(files)), 'tgz')
    const made = await host.post('/packages', { artifactRef: body.data.artifactRef })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const { objects, records } = readCrmPackage()
    expect(made.body.data.items.object).toBe(objects.length)
    for (const { name } of objects) {
      const { total } = (await host.get(`/data/${name}?count=true&top=1`)).body
      expect([name, total]).toEqual([name, records.get(name)?.length ?? 0])
    }
  })
})

describe('an archive is refused', () => {
  it.each<[string, string]>([
    ['../evil.json', 'path_escapes'],
    ['metadata/../../evil.json', 'path_escapes'],
    ['/etc/passwd', 'path_absolute'],
    ['C:/evil.json', 'path_absolute'],
    ['assets\\..\\evil', 'path_escapes'],
    ['assets/a\u0000b', 'path_not_portable'],
    ['assets/con', 'path_not_portable'],
    ['assets/trailing.', 'path_not_portable'],
    ['assets//double', 'path_not_portable'],
    ['assets/./dot', 'path_not_portable'],
    ['bin/tool.exe', 'path_unknown'],
    [`assets/${'x'.repeat(300)}`, 'path_too_long'],
  ])('for the name %j', async (path, reason) => {
    const files = [...base(), { path, content: 'x' }]
    const inZip = await refused(zipOf(files))
    expect(['zip_damaged', reason]).toContain(inZip.reason)
    if (Buffer.byteLength(path) <= 100 && !path.includes('\u0000')) {
      expect(await refused(tgzOf(files), 'tgz')).toMatchObject({ reason })
    }
  })

  it('for names that are the same, or the same to some file systems', async () => {
    const twice = (a: string, b: string) => [...base(), { path: a, content: '1' }, { path: b, content: '2' }]
    expect(await refused(zipOf(twice('assets/a', 'assets/a')))).toMatchObject({ reason: 'path_duplicate' })
    expect(await refused(zipOf(twice('assets/a', 'assets/A')))).toMatchObject({ reason: 'path_case_collision' })
    expect(await refused(tgzOf(twice('assets/é', 'assets/e\u0301')), 'tgz')).toMatchObject({
      reason: 'path_case_collision',
    })
    expect(await refused(zipOf(twice('assets/a', 'assets/a/b')))).toMatchObject({ reason: 'path_case_collision' })
  })

  it('for links and devices', async () => {
    expect(
      await refused(zipOf([...base(), { path: 'assets/l', content: '/etc/passwd', mode: 0o120777 }])),
    ).toMatchObject({
      reason: 'link',
    })
    expect(await refused(zipOf([...base(), { path: 'assets/p', content: '', mode: 0o010644 }]))).toMatchObject({
      reason: 'entry_special',
    })
    for (const [kind, reason] of [
      ['1', 'link'],
      ['2', 'link'],
      ['3', 'entry_special'],
      ['6', 'entry_special'],
    ] as const) {
      const files = [...base(), { path: 'assets/l', content: '', kind, linkTo: '../../etc/passwd' }]
      expect(await refused(tgzOf(files), 'tgz')).toMatchObject({ reason })
    }
  })

  it('for names and sizes that headers of their own say', async () => {
    const record = (key: string, value: string): string => {
      const rest = ` ${key}=${value}\n`
      const length = rest.length + String(rest.length + 2).length
      return `${length}${rest}`
    }
    const after = (kind: string, content: string): Promise<{ reason: string }> =>
      refused(
        tgzOf([...base(), { path: 'header', content, kind }, { path: 'assets/a', content: 'x', kind: '0' }]),
        'tgz',
      )
    expect(await after('x', record('path', '../evil.json'))).toMatchObject({ reason: 'path_escapes' })
    expect(await after('x', record('path', '/etc/cron.d/evil'))).toMatchObject({ reason: 'path_absolute' })
    expect(await after('L', '../evil.json\0')).toMatchObject({ reason: 'path_escapes' })
    expect((await after('x', record('size', '30000'))).reason).toBe('tar_cut_short')
    expect((await after('x', record('size', '-1'))).reason).toBe('tar_damaged')
    expect((await after('x', '999 path=a\n')).reason).toBe('tar_damaged')
    expect((await after('L', 'a/'.repeat(1_000_000))).reason).toBe('header_too_large')
  })

  it('never for an archive in it: that is carried as it is, and not opened', async () => {
    let inner = zipOf([{ path: '../evil', content: Buffer.alloc(20_000_000) }])
    for (let depth = 0; depth < 20; depth += 1) inner = zipOf([{ path: `${depth}.zip`, content: inner }])
    const files = base({ 'assets/inner.zip': inner })
    const { status, body } = await upload(zipOf([...files, ...filesOf({ 'checksums.json': checksumsOf(files) })]))
    expect([status, body.error]).toEqual([201, undefined])
  })

  it('for what comes out of it', async () => {
    const bomb = zipOf([...base(), { path: 'assets/zeros', content: Buffer.alloc(20_000_000) }])
    expect(await refused(bomb)).toMatchObject({ reason: 'ratio_too_high' })
    const packed = tgzOf([...base(), { path: 'assets/zeros', content: Buffer.alloc(20_000_000) }])
    expect(await refused(packed, 'tgz')).toMatchObject({ reason: 'ratio_too_high' })
    const liar = zipOf([...base(), { path: 'assets/zeros', content: Buffer.alloc(20_000_000), claims: 10 }])
    expect((await refused(liar)).reason).toMatch(/zip_damaged|ratio_too_high/)
    const many = Array.from({ length: 10_001 }, (_, index) => ({ path: `assets/${index}`, content: '' }))
    expect(await refused(zipOf([...base(), ...many]))).toMatchObject({ reason: 'too_many_entries' })
  })

  it('for damage, encryption and what is no archive', async () => {
    const good = zipOf(base())
    expect((await refused(good.subarray(0, good.length - 30))).reason).toBe('zip_damaged')
    expect((await refused(Buffer.from('not an archive at all'))).reason).toBe('format_unknown')
    expect((await refused(tgzOf(base()))).reason).toBe('format_unknown')
    const tar = tgzOf(base())
    expect((await refused(tar.subarray(0, tar.length - 40), 'tgz')).reason).toMatch(/gzip_damaged|tar_cut_short/)
    expect((await refused(zipOf(base().map((file) => ({ ...file, flags: 1 }))))).reason).toMatch(/encrypted|damaged/)
    const notBase64 = await host.post('/packages/upload', { artifact: { format: 'zip', content: '!!!' } })
    expect(notBase64.body.error.details.reason).toBe('base64_damaged')
  })

  it('for a manifest that is missing or none, and files that cannot be read', async () => {
    expect(await refused(zipOf(filesOf({ 'README.md': 'x' })))).toMatchObject({ reason: 'manifest_missing' })
    expect(await refused(zipOf(filesOf({ 'manifest.json': '{' })))).toMatchObject({ reason: 'file_unreadable' })
    const nameless = await refused(zipOf(filesOf({ 'manifest.json': { id: 'no', version: 'x' } })))
    const fields = nameless.fieldErrors.map(({ field }: { field: string }) => field)
    expect(fields).toEqual(expect.arrayContaining(['manifest.id', 'manifest.name', 'manifest.version']))
    const deep = `${'['.repeat(100)}${']'.repeat(100)}`
    expect(await refused(zipOf(base({ 'data/a.json': deep })))).toMatchObject({
      reason: 'nested_too_deep',
      path: 'data/a.json',
    })
    const alias = 'a: &a [1,2]\nb: [*a,*a]\n'
    expect(await refused(zipOf(base({ 'metadata/view/x.yaml': alias })))).toMatchObject({ reason: 'file_unreadable' })
    const stranger = base({ 'metadata/object/other_thing.json': { fields: {} } })
    expect(await refused(zipOf(stranger))).toMatchObject({ reason: 'manifest_invalid' })
  })
})

describe('checksums and signatures', () => {
  it('say so when a file is missing, altered or extra', async () => {
    const files = base({ 'assets/a': 'one', 'assets/b': 'two' })
    const sums = filesOf({ 'checksums.json': checksumsOf(files) })
    const altered = files.map((file) => (file.path === 'assets/a' ? { ...file, content: 'other' } : file))
    for (const [changed, details] of [
      [altered, { altered: ['assets/a'] }],
      [files.slice(0, -1), { missing: ['assets/b'] }],
      [[...files, { path: 'assets/c', content: '' }], { extra: ['assets/c'] }],
    ] as const) {
      const { body } = await upload(zipOf([...changed, ...sums]))
      expect(body.error).toMatchObject({ code: 'checksum_mismatch', httpStatus: 400, details })
    }
  })

  it('are worth what the key is worth', async () => {
    const key = createSigningKey('acme-2026')
    const signedBy = (by = key) => zipOf(sealed(base(), by))
    expect((await upload(signedBy())).body.data.trust).toBe('unknown_key')
    const { keyId, publicKey } = key
    const added = await host.post('/packages/trusted-keys', { keyId, publicKey, label: 'Acme' })
    expect(added.status, JSON.stringify(added.body)).toBe(201)
    expect((await host.post('/packages/trusted-keys', { keyId, publicKey })).status).toBe(409)
    expect((await host.post('/packages/trusted-keys', { keyId: 'x', publicKey: 'AAAA' })).status).toBe(400)
    const trusted = await upload(signedBy())
    expect(trusted.body.data.trust).toBe('signed')

    await host.patch('/settings', { 'packages.requireSigned': true })
    const unsigned = await upload(zipOf(sealed(base())))
    expect(unsigned.status).toBe(201)
    const stopped = await host.post('/packages/install', { artifactRef: unsigned.body.data.artifactRef })
    expect(stopped.body.error).toMatchObject({ code: 'signature_invalid', httpStatus: 400 })
    expect((await host.post('/packages', { manifest: fresh() })).body.error.code).toBe('signature_invalid')
    const made = await host.post('/packages/install', { artifactRef: trusted.body.data.artifactRef })
    expect(made.body.data, JSON.stringify(made.body)).toMatchObject({ trust: 'signed' })
    await host.patch('/settings', { 'packages.requireSigned': false })

    // Another publisher cannot take the package over.
    const { id } = made.body.data
    const manifest = { id, name: 'Other', version: '1.0.1' }
    const stranger = zipOf(sealed(filesOf({ 'manifest.json': manifest }), createSigningKey('stranger')))
    const ref = (await upload(stranger)).body.data.artifactRef
    const taken = await host.post('/packages/upgrade', { packageId: id, artifactRef: ref })
    expect(taken.body.error).toMatchObject({ code: 'signature_invalid', details: { reason: 'publisher_changed' } })

    expect((await host.delete(`/packages/trusted-keys/${keyId}`)).body.data).toMatchObject({ keyId, success: true })
    expect((await upload(signedBy())).body.error).toMatchObject({ code: 'signature_invalid' })
    expect((await host.get('/packages/trusted-keys')).body.data.keys).toMatchObject([{ keyId, revoked: true }])
    expect((await host.delete('/packages/trusted-keys/nobody')).status).toBe(404)
  })

  it('are refused when they do not hold', async () => {
    const key = createSigningKey('honest')
    await host.post('/packages/trusted-keys', { keyId: key.keyId, publicKey: key.publicKey })
    const files = sealed(base(), key)
    const change = (edit: (signature: Record<string, unknown>) => void): Buffer => {
      const changed = files.map((file) => {
        if (file.path !== 'signature.json') return file
        const signature = JSON.parse(String(file.content)) as Record<string, unknown>
        edit(signature)
        return { ...file, content: JSON.stringify(signature) }
      })
      return zipOf(changed)
    }
    const other = createSigningKey('other')
    const cases = [
      change((signature) => void (signature['algorithm'] = 'none')),
      change((signature) => void (signature['signature'] = Buffer.alloc(64).toString('base64'))),
      change((signature) => void (signature['publicKey'] = other.publicKey)),
      change((signature) => void delete signature['publicKey']),
      zipOf(sealed(base(), { ...other, keyId: 'honest' })),
      zipOf([...base(), ...files.filter(({ path }) => path === 'signature.json')]),
    ]
    for (const bytes of cases) expect((await upload(bytes)).body.error.code).toBe('signature_invalid')
  })
})
