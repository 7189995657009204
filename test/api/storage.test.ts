// Files over a real host: uploads at once, types by bytes, rules, addresses, downloads, lists and deletion (D-184 to D-189).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'
import { sendBare } from '../support/raw-request.ts'
import type { BytesAnswer } from '../support/storage-calls.ts'
import {
  fetchBytes,
  filesOnDisk,
  jpeg,
  multipart,
  noise,
  page,
  png,
  sha256,
  svg,
  upload,
} from '../support/storage-calls.ts'

/** Any file may begin so: the mark of a frame of MPEG sound has eleven bits. */
const likeSound = Buffer.concat([Buffer.of(0xff, 0xfb), noise(500)])
let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
}, 60_000)

afterAll(async () => host?.stop())

const fileForm = {
  fileId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
  bucket: 'default',
  status: 'ready',
  created: expect.stringMatching(/Z$/),
  lastModified: expect.stringMatching(/Z$/),
  createdBy: '00000000-0000-7000-8000-000000000001',
}

const read = (id: string, headers: Record<string, string> = {}, query = ''): Promise<BytesAnswer> =>
  fetchBytes(`${host.host.url}/api/v1/storage/${id}${query}`, {
    authorization: `Bearer ${host.host.token}`,
    ...headers,
  })

const refusal = ({ status, body }: { status: number; body: { error?: { code: string } } }): [number, string?] => [
  status,
  body.error?.code,
]

describe('an upload', () => {
  it('by a form is told whole, and read back', async () => {
    const parts = multipart(
      ['scope', 'private'],
      ['metadata', '{"topic":"tea","tags":[1]}'],
      ['file', Buffer.from('hello'), 'Größe 1.txt', 'text/plain'],
    )
    const { status, body } = await host.post('/storage/upload', ...parts)
    expect(status).toBe(201)
    expect(body).toMatchObject({ success: true, meta: { requestId: expect.any(String) } })
    const { data } = body
    expect(data).toEqual({
      ...fileForm,
      name: 'Größe 1.txt',
      path: `private/${data.fileId}.txt`,
      key: `private/${data.fileId}.txt`,
      size: 5,
      mimeType: 'text/plain',
      scope: 'private',
      eTag: sha256(Buffer.from('hello')),
      sha256: sha256(Buffer.from('hello')),
      metadata: { topic: 'tea', tags: [1] },
      url: `${host.host.url}/api/v1/storage/${data.fileId}`,
      place: { here: true, receivedBytes: null, machine: null },
    })
    expect((await read(data.fileId)).bytes.toString()).toBe('hello')
    expect((await read(`files/${data.fileId}`)).bytes.toString()).toBe('hello')
    expect((await host.get(`/storage/files/${data.fileId}/metadata`)).body.data).toEqual(data)
    const events = host.takeEvents().filter(({ type }) => type.startsWith('file.'))
    expect(events).toMatchObject([{ type: 'file.uploaded', payload: { fileId: data.fileId, size: 5 } }])
  })

  it('by its bytes takes every content type, JSON and none too', async () => {
    for (const headers of [{ 'content-type': 'application/json' }, { 'content-type': 'application/octet-stream' }]) {
      const { status, body } = await host.post('/storage/upload?filename=a.json&scope=public', '{"a":1}', headers)
      expect(status, JSON.stringify(body)).toBe(201)
      expect(body.data).toMatchObject({ mimeType: 'application/json', size: 7, scope: 'public', name: 'a.json' })
    }
    const target = '/api/v1/storage/upload?filename=a.txt'
    const headers = [`Authorization: Bearer ${host.host.token}`]
    const bare = await sendBare(Number(new URL(host.host.url).port), target, { method: 'POST', headers })
    expect([bare.status, JSON.parse(bare.body).data.size]).toEqual([201, 0])
    expect(refusal(await host.post('/storage/upload', 'x', { 'content-type': 'text/plain' }))).toEqual([
      400,
      'validation_error',
    ])
  })

  it('of equal bytes is stored once under ids of its own, until the last one goes', async () => {
    const bytes = noise(1_000, 77)
    const [one, two] = [await upload(host, bytes, { name: 'a.bin' }), await upload(host, bytes, { name: 'b.bin' })]
    expect(one.fileId).not.toBe(two.fileId)
    expect(filesOnDisk(host.dataDir).stored.filter((name) => name === one.sha256)).toHaveLength(1)
    expect((await host.delete(`/storage/${one.fileId}`)).body.data).toEqual({ fileId: one.fileId, success: true })
    expect((await read(two.fileId)).bytes.equals(bytes)).toBe(true)
    expect((await host.delete(`/storage/files/${two.fileId}`)).status).toBe(200)
    expect(filesOnDisk(host.dataDir)).toMatchObject({ temporary: [] })
    expect(filesOnDisk(host.dataDir).stored).not.toContain(one.sha256)
    expect(refusal(await host.get(`/storage/${two.fileId}`))).toEqual([404, 'file_not_found'])
    expect(host.takeEvents().filter(({ type }) => type === 'file.deleted')).toHaveLength(2)
  })

  it.each([
    ['no file', () => multipart(['scope', 'user']), 'file'],
    ['a file in another part', () => multipart(['other', Buffer.from('x'), 'x.txt']), 'file'],
    ['two files', () => multipart(['file', Buffer.from('x'), 'x.txt'], ['file', Buffer.from('y'), 'y.txt']), 'file'],
    ['an unknown scope', () => multipart(['file', Buffer.from('x'), 'x.txt'], ['scope', 'mine']), 'scope'],
    ['metadata that is no JSON', () => multipart(['file', Buffer.from('x'), 'x.txt'], ['metadata', '{']), 'metadata'],
    ['metadata that is no map', () => multipart(['file', Buffer.from('x'), 'x.txt'], ['metadata', '[1]']), 'metadata'],
    ['a bucket nobody can name', () => multipart(['file', Buffer.from('x'), 'x.txt'], ['bucket', '../x']), 'bucket'],
    ['a name without anything', () => multipart(['file', Buffer.from('x'), '..']), 'filename'],
  ])('with %s is refused, and leaves nothing', async (_what, parts, field) => {
    const answer = await host.post('/storage/upload', ...parts())
    expect(refusal(answer)).toEqual([400, 'validation_error'])
    expect(answer.body.error.details.fieldErrors[0].field).toBe(field)
    expect(filesOnDisk(host.dataDir).temporary).toEqual([])
  })

  it('of any length arrives whole, in however many pieces', async () => {
    for (const length of [16_383, 16_384, 65_300, 65_535, 65_536, 70_000, 81_921, 90_000, 131_072, 1_000_003]) {
      const bytes = noise(length, length)
      const parts = multipart(['scope', 'user'], ['file', bytes, 'a.bin'], ['metadata', '{}'])
      const answer = await host.post('/storage/upload', ...parts)
      expect([answer.status, answer.body.data?.size, answer.body.data?.eTag]).toEqual([201, length, sha256(bytes)])
    }
    const [body, headers] = multipart(['file', noise(200_000), 'a.bin'])
    const piece = { authorization: `Bearer ${host.host.token}`, ...headers }
    for (const step of [1_000, 16_384, 40_000]) {
      let at = 0
      const stream = new ReadableStream<Uint8Array>({
        async pull(controller) {
          await new Promise((resolve) => setTimeout(resolve, 1))
          if (at >= body.length) controller.close()
          else controller.enqueue(body.subarray(at, (at += step)))
        },
      })
      const init = { method: 'POST', headers: piece, body: stream, duplex: 'half' } as RequestInit
      expect((await fetch(`${host.host.url}/api/v1/storage/upload`, init)).status).toBe(201)
    }
  })

  it('that is cut or no form is refused', async () => {
    const [body, headers] = multipart(['file', Buffer.from('x'.repeat(5_000)), 'x.txt'])
    for (const given of [body.subarray(0, 3_000), Buffer.from('nothing of a form'), Buffer.alloc(0)])
      expect(refusal(await host.post('/storage/upload', given, headers))).toEqual([400, 'validation_error'])
    const without = { 'content-type': 'multipart/form-data' }
    expect(refusal(await host.post('/storage/upload', body, without))).toEqual([400, 'validation_error'])
    expect(filesOnDisk(host.dataDir).temporary).toEqual([])
  })

  it('keeps of a name what is seen, and makes no path of it', async () => {
    for (const [given, name] of [
      ['../../etc/passwd', 'passwd'],
      ['C:\\temp\\a.txt', 'a.txt'],
      ['photo\u202egnp.exe.txt', 'photognp.exe.txt'],
      ['a\u0000b\u0007.txt', 'ab.txt'],
      [`${'x'.repeat(400)}.txt`, `${'x'.repeat(251)}.txt`],
    ] as const) {
      const query = `filename=${encodeURIComponent(given)}`
      const { body } = await host.post(`/storage/upload?${query}`, 'x', { 'content-type': 'text/plain' })
      expect(body.data.name).toBe(name)
      expect(body.data.path).toBe(`user/${body.data.fileId}.txt`)
    }
    const { fileId } = await upload(host, 'x', { name: 'a%22; b=c%0d%0aX.txt' })
    const disposition = (await read(fileId)).headers.get('content-disposition')!
    expect(disposition).toMatch(/^inline; filename="[^"\r\n]*"; filename\*=UTF-8''[^\s]+$/)
  })

  it('over the limit of one request is refused while it comes', async () => {
    const length = 105 * 1_048_576
    const url = `${host.host.url}/api/v1/storage/upload?filename=a.bin`
    const headers = { authorization: `Bearer ${host.host.token}`, 'content-type': 'application/octet-stream' }
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent >= length) controller.close()
        else controller.enqueue(Buffer.alloc(1_048_576, 3))
        sent += 1_048_576
      },
    })
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit
    const answer = await fetch(url, init)
    expect([answer.status, ((await answer.json()) as { error: { code: string } }).error.code]).toEqual([
      413,
      'file_too_large',
    ])
    expect(filesOnDisk(host.dataDir).temporary).toEqual([])
  }, 30_000)
})

describe('the type of a file', () => {
  it.each([
    [png, 'a.png', 'image/png', 'image/png', 'png'],
    [png, 'a.txt', undefined, 'image/png', 'png'],
    [jpeg, 'a.png', 'image/png', 'image/jpeg', 'jpg'],
    [Buffer.from('a,b\n1,2\n'), 'a.csv', 'application/vnd.ms-excel', 'text/csv', 'csv'],
    [Buffer.from('# Tea\n'), 'a.md', 'application/octet-stream', 'text/markdown', 'md'],
    [page, 'a.txt', 'text/plain', 'text/html', 'html'],
    [svg, 'a.svg', 'image/svg+xml', 'image/svg+xml', 'svg'],
    [svg, 'a.png', 'image/png', 'image/svg+xml', 'svg'],
    [noise(50), 'a.xyz', 'application/x-made-up', 'application/octet-stream', 'xyz'],
    [Buffer.alloc(0), 'a.txt', 'text/plain', 'text/plain', 'txt'],
    [Buffer.from('%PDF-1.7\n%x'), 'a.pdf', 'application/pdf', 'application/pdf', 'pdf'],
    // By chance: an encrypted file that begins like a sound, texts that begin like a picture and like a program.
    [likeSound, 'a.vault', 'application/x-vault', 'application/octet-stream', 'vault'],
    [likeSound, 'a.mp3', 'audio/mpeg', 'audio/mpeg', 'mp3'],
    [Buffer.from('BMX wheels'), 'a.txt', 'text/plain', 'text/plain', 'txt'],
    [Buffer.from('BMX wheels'), 'a.txt', undefined, 'text/plain', 'txt'],
    [Buffer.from('MZ,12'), 'a.csv', 'text/csv', 'text/csv', 'csv'],
  ])('is found from the bytes (%#)', async (bytes, name, type, mimeType, extension) => {
    const file = await upload(host, bytes, { name, ...(type === undefined ? {} : { type }) })
    expect(file).toMatchObject({ mimeType, path: `user/${file.fileId}.${extension}`, size: bytes.length })
  })

  it.each([
    [page, 'a.png', 'image/png'],
    [Buffer.from('plain'), 'a.jpg', 'image/jpeg'],
    [Buffer.from('MZ\u0090\u0000\u0003', 'latin1'), 'a.png', 'image/png'],
    [png, 'a.pdf', 'application/pdf'],
    [png, 'a.txt', 'text/plain'],
    [noise(100), 'a.png', 'image/png'],
    [noise(100), 'a.txt', 'text/plain'],
    [Buffer.from('text'), 'a.mp4', 'video/mp4'],
    [Buffer.alloc(0), 'a.png', 'image/png'],
    [svg, 'a.mp3', 'audio/mpeg'],
    [likeSound, 'a.png', 'image/png'],
  ])('must not be another one than announced (%#)', async (bytes, name, type) => {
    expect(refusal(await host.post('/storage/upload', ...multipart(['file', bytes, name, type])))).toEqual([
      400,
      'file_type_not_allowed',
    ])
    expect(filesOnDisk(host.dataDir).temporary).toEqual([])
  })
})

describe('rules of scopes', () => {
  const put = (rules: object) => host.put('/storage/rules', { rules })

  it('are kept whole, and none at first', async () => {
    expect((await host.get('/storage/rules')).body.data).toEqual({ rules: {} })
    const rule = { mode: 'whitelist', mimeTypes: ['image/*'], extensions: ['png'], maxFileSize: 1_000, minFileSize: 5 }
    expect((await put({ public: rule })).body.data).toEqual({ rules: { public: rule } })
    expect((await host.get('/storage/rules')).body).toMatchObject({ success: true, data: { rules: { public: rule } } })
    for (const rules of [{ mine: rule }, { user: { mode: 'list', mimeTypes: [] } }, { user: { mode: 'whitelist' } }])
      expect(refusal(await put(rules))).toEqual([400, 'validation_error'])
    await put({})
  })

  it.each([
    ['whitelist', 'image/*', ['png'], png, 'a.png', null],
    ['whitelist', 'image/*', ['png'], png, 'a.jpg', 'file_type_not_allowed'],
    ['whitelist', 'image/*', undefined, Buffer.from('text'), 'a.txt', 'file_type_not_allowed'],
    ['blacklist', 'text/html', ['exe'], Buffer.from('text'), 'a.txt', null],
    ['blacklist', 'text/html', undefined, page, 'a.txt', 'file_type_not_allowed'],
    ['blacklist', 'text/html', ['exe'], Buffer.from('text'), 'a.EXE', 'file_type_not_allowed'],
  ])('%s %s %s', async (mode, mimeType, extensions, bytes, name, code) => {
    await put({ user: { mode, mimeTypes: [mimeType], ...(extensions === undefined ? {} : { extensions }) } })
    const answer = await host.post('/storage/upload', ...multipart(['file', bytes, name]))
    expect(answer.body.error?.code ?? null).toBe(code)
    const other = await host.post('/storage/upload', ...multipart(['file', bytes, name], ['scope', 'public']))
    expect(other.status).toBe(201)
    await put({})
  })

  it('bound sizes, and hold for what is announced', async () => {
    await put({ user: { mode: 'blacklist', mimeTypes: [], minFileSize: 3, maxFileSize: 10 } })
    const send = (text: string) => host.post('/storage/upload', ...multipart(['file', Buffer.from(text), 'a.txt']))
    expect(refusal(await send('0123456789x'))).toEqual([413, 'file_too_large'])
    const small = await send('x')
    expect(small.body.error.details.fieldErrors).toMatchObject([{ field: 'file', code: 'file_too_small' }])
    expect((await send('0123456789')).status).toBe(201)
    await put({ user: { mode: 'whitelist', mimeTypes: ['text/*'] } })
    const announced = { filename: 'a.png', mimeType: 'image/png', size: 5, scope: 'user' }
    expect(refusal(await host.post('/storage/upload/presigned', announced))).toEqual([400, 'file_type_not_allowed'])
    await put({})
  })
})

describe('a quota', () => {
  it('bounds the bytes of all files, announced ones too', async () => {
    const fresh = await createTestHost()
    try {
      await upload(fresh, '0123456789')
      await fresh.patch('/settings', { 'storage.quotaBytes': 15 })
      const send = (text: string) => fresh.post('/storage/upload', ...multipart(['file', Buffer.from(text), 'a.txt']))
      expect(refusal(await send('012345'))).toEqual([409, 'storage_quota_exceeded'])
      expect(filesOnDisk(fresh.dataDir).stored).toHaveLength(1)
      expect((await send('01234')).status).toBe(201)
      const more = { filename: 'a.txt', mimeType: 'text/plain', size: 1, scope: 'user' }
      expect(refusal(await fresh.post('/storage/upload/presigned', more))).toEqual([409, 'storage_quota_exceeded'])
    } finally {
      await fresh.stop()
    }
  }, 30_000)
})

describe('a signed address for an upload', () => {
  const announce = async (more: object = {}) => {
    const body = { filename: 'a.txt', mimeType: 'text/plain', size: 5, scope: 'user', ...more }
    const answer = await host.post('/storage/upload/presigned', body)
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    return answer.body.data as { fileId: string; uploadUrl: string; downloadUrl: string; [key: string]: unknown }
  }
  const put = (url: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
    host.anonymous('PUT', new URL(url).pathname, body, headers)

  it('is given without a type, too, as browsers have none for endings they do not know (D-261)', async () => {
    const made = await announce({ filename: 'a.unheardof', mimeType: '' })
    expect(made['headers']).toEqual({ 'Content-Type': 'application/octet-stream' })
    const sent = await put(made.uploadUrl, 'hello', { 'content-type': 'application/octet-stream' })
    expect(sent.status).toBe(200)
    const done = await host.post('/storage/upload/complete', { fileId: made.fileId })
    expect([done.status, done.body.data.status]).toEqual([201, 'ready'])
  })

  it('takes the bytes once, without a credential, and the file is complete when its maker says so', async () => {
    const made = await announce()
    expect(made).toMatchObject({ method: 'PUT', headers: { 'Content-Type': 'text/plain' }, expiresIn: 900 })
    expect(made.uploadUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1\/storage\/signed\/[\w-]+\.[\w-]{43}$/)
    const [payload] = made.uploadUrl.split('/').at(-1)!.split('.')
    expect(JSON.parse(Buffer.from(payload!, 'base64url').toString())).toEqual({
      fileId: made.fileId,
      operation: 'upload',
      expires: expect.any(Number),
      by: { user: expect.any(String), organization: null },
    })
    expect(refusal(await host.post('/storage/upload/complete', { fileId: made.fileId }))).toEqual([
      409,
      'upload_incomplete',
    ])
    expect(refusal(await host.get(`/storage/${made.fileId}`))).toEqual([404, 'file_not_found'])
    expect((await host.get(`/storage/files/${made.fileId}/metadata`)).body.data).toMatchObject({
      status: 'pending',
      eTag: null,
      size: 5,
    })
    const sent = await put(made.uploadUrl, 'hello', { 'content-type': 'text/plain' })
    expect(sent.body.data).toEqual({ fileId: made.fileId, eTag: sha256(Buffer.from('hello')), size: 5 })
    expect(refusal(await put(made.uploadUrl, 'other', { 'content-type': 'text/plain' }))).toEqual([410, 'gone'])
    expect(refusal(await host.get(`/storage/${made.fileId}`))).toEqual([404, 'file_not_found'])
    const complete = (eTag?: string) => host.post('/storage/upload/complete', { fileId: made.fileId, eTag })
    expect(refusal(await complete('0'.repeat(64)))).toEqual([400, 'checksum_mismatch'])
    const done = await complete(`"${sent.body.data.eTag}"`)
    expect(done.status).toBe(201)
    expect(done.body.data).toMatchObject({ ...fileForm, fileId: made.fileId, name: 'a.txt', size: 5 })
    expect((await complete()).body.data).toEqual(done.body.data)
    const path = new URL(made.downloadUrl).pathname.replace('/api/v1/storage/', '')
    expect((await read(path)).bytes.toString()).toBe('hello')
  })

  it('refuses what is not the announced file, and stays good', async () => {
    const made = await announce({ filename: 'a.png', mimeType: 'image/png', size: png.length })
    expect(refusal(await put(made.uploadUrl, png.subarray(1), {}))).toEqual([400, 'chunk_invalid'])
    expect(refusal(await put(made.uploadUrl, Buffer.concat([png, png]), {}))).toEqual([400, 'chunk_invalid'])
    const other = Buffer.concat([jpeg, Buffer.alloc(png.length)]).subarray(0, png.length)
    expect(refusal(await put(made.uploadUrl, other, {}))).toEqual([400, 'file_type_not_allowed'])
    expect(refusal(await put(made.uploadUrl, png, { 'content-type': 'text/html' }))).toEqual([
      400,
      'file_type_not_allowed',
    ])
    expect((await put(made.uploadUrl, png, { 'content-type': 'application/json' })).status).toBe(200)
    expect(filesOnDisk(host.dataDir).temporary).toEqual([])
  })

  it('is for one file and one operation, and unaltered', async () => {
    const made = await announce()
    const [payload, signature] = made.uploadUrl.split('/').at(-1)!.split('.') as [string, string]
    const forged = Buffer.from(
      JSON.stringify({ ...JSON.parse(Buffer.from(payload, 'base64url').toString()), expires: 9e15 }),
    ).toString('base64url')
    const base = '/api/v1/storage/signed'
    for (const token of [
      `${forged}.${signature}`,
      `${payload}.${signature.slice(0, -1)}`,
      `${payload}.${signature}=`,
      `${payload}.${signature}.x`,
      `${payload}.`,
      payload,
      'x',
      `${payload}.${'A'.repeat(43)}`,
    ])
      expect(refusal(await host.anonymous('PUT', `${base}/${token}`, 'hello')), token).toEqual([
        403,
        'signed_url_invalid',
      ])
    expect(refusal(await host.anonymous('GET', `${base}/${payload}.${signature}`))).toEqual([403, 'signed_url_invalid'])
    const ready = await upload(host, 'hello')
    const { url } = (await host.get(`/storage/files/${ready.fileId}/url`)).body
    expect(refusal(await host.anonymous('PUT', new URL(url).pathname, 'hello'))).toEqual([403, 'signed_url_invalid'])
  })

  it.each([
    [{ size: 104_857_601 }, 413, 'file_too_large'],
    [{ size: -1 }, 400, 'validation_error'],
    [{ size: 1.5 }, 400, 'validation_error'],
    [{ size: undefined }, 400, 'validation_error'],
    [{ filename: '' }, 400, 'validation_error'],
    [{ filename: undefined }, 400, 'validation_error'],
    [{ mimeType: 'png' }, 400, 'validation_error'],
    [{ scope: 'all' }, 400, 'validation_error'],
  ])('is not made for %j', async (more, status, code) => {
    const body = { filename: 'a.txt', mimeType: 'text/plain', size: 5, scope: 'user', ...more }
    expect(refusal(await host.post('/storage/upload/presigned', body))).toEqual([status, code])
  })
})

describe('a download', () => {
  let id: string
  const bytes = Buffer.from('0123456789')

  beforeAll(async () => {
    id = (await upload(host, bytes, { name: 'digits.txt' })).fileId
  })

  it('says what it is, so that nothing of it runs', async () => {
    const { status, headers } = await read(id)
    expect(status).toBe(200)
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '10',
      etag: `"${sha256(bytes)}"`,
      'accept-ranges': 'bytes',
      'cache-control': 'private, max-age=0, must-revalidate',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'content-disposition': `inline; filename="digits.txt"; filename*=UTF-8''digits.txt`,
    })
    expect((await read(id, {}, '?download=true')).headers.get('content-disposition')).toMatch(/^attachment;/)
    for (const [sample, kind] of [
      [png, 'inline'],
      [svg, 'attachment'],
      [page, 'attachment'],
      [noise(9), 'attachment'],
    ] as const) {
      const file = await upload(host, sample, { name: 'x' })
      expect((await read(file.fileId)).headers.get('content-disposition')).toMatch(new RegExp(`^${kind};`))
    }
  })

  it.each([
    ['bytes=0-0', 206, '0', 'bytes 0-0/10'],
    ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=-99', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=5-999', 206, '56789', 'bytes 5-9/10'],
    ['bytes=0-1,3-4', 200, '0123456789', null],
    ['lines=0-1', 200, '0123456789', null],
    ['bytes=10-', 416, null, 'bytes */10'],
    ['bytes=4-2', 416, null, 'bytes */10'],
    ['bytes=-0', 416, null, 'bytes */10'],
    ['bytes=x-y', 416, null, 'bytes */10'],
  ])('of %s', async (range, status, text, told) => {
    const answer = await read(id, { range })
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-range')).toBe(told)
    if (text === null) expect(JSON.parse(answer.bytes.toString()).error.code).toBe('range_not_satisfiable')
    else expect(answer.bytes.toString()).toBe(text)
    if (status === 206) expect(answer.headers.get('content-length')).toBe(String(text!.length))
  })

  it('follows conditions', async () => {
    const { headers } = await read(id)
    const [eTag, at] = [headers.get('etag')!, headers.get('last-modified')!]
    for (const known of [eTag, `W/${eTag}`, `"x", ${eTag}`, '*']) {
      const answer = await read(id, { 'if-none-match': known })
      expect([answer.status, answer.bytes.length]).toEqual([304, 0])
      // What is told of the length is told of the file (RFC 9110, 8.6).
      expect(answer.headers.get('content-length')).toBeNull()
      expect(answer.headers.get('etag')).toBe(eTag)
    }
    expect((await read(id, { 'if-none-match': '"x"' })).status).toBe(200)
    for (const [condition, status] of [
      [eTag, 206],
      [at, 206],
      ['"x"', 200],
      [`W/${eTag}`, 200],
      ['Fri, 01 Jan 2010 00:00:00 GMT', 200],
    ] as const)
      expect((await read(id, { range: 'bytes=1-2', 'if-range': condition })).status).toBe(status)
  })

  it('of nothing has no part', async () => {
    const { fileId } = await upload(host, '')
    expect((await read(fileId)).bytes.length).toBe(0)
    expect((await read(fileId, { range: 'bytes=0-' })).status).toBe(416)
  })

  it('by an address needs no credential while it is good', async () => {
    const answer = await host.get(`/storage/files/${id}/url?expiresIn=60`)
    expect(Object.keys(answer.body).toSorted()).toEqual(['expiresAt', 'fileId', 'url'])
    const left = Date.parse(answer.body.expiresAt) - Date.now()
    expect(left).toBeGreaterThan(55_000)
    expect(left).toBeLessThanOrEqual(60_000)
    const got = await fetchBytes(answer.body.url, { range: 'bytes=0-1' })
    expect([got.status, got.bytes.toString()]).toEqual([206, '01'])
    expect((await fetchBytes(`${answer.body.url}?download=1`)).headers.get('content-disposition')).toMatch(
      /^attachment/,
    )
    expect(refusal(await host.get(`/storage/files/${id}/url?expiresIn=604801`))).toEqual([400, 'validation_error'])
    expect(refusal(await host.get(`/storage/files/${id}/url?expiresIn=0`))).toEqual([400, 'validation_error'])
    const short = (await host.get(`/storage/files/${id}/url?expiresIn=1`)).body.url
    await expect.poll(async () => (await fetchBytes(short)).status, { timeout: 4_000 }).toBe(403)
  })

  it('is not found under words and ids that are none', async () => {
    for (const path of [
      'nobody',
      'files/nobody',
      'files/01a21b14-882a-7000-9c6a-9692c111217d',
      'signed',
      '..%2f..%2fcairn.db',
    ])
      expect((await host.get(`/storage/${path}`)).status, path).toBe(404)
    expect((await host.get('/storage/upload')).status).toBe(405)
    expect((await host.anonymous('GET', `/storage/${id}`)).status).toBe(401)
  })
})

describe('the list of files', () => {
  it('pages newest first, and is searched by names as they are', async () => {
    const made = []
    for (const name of ['100%_a.txt', '100x_b.txt', 'other.txt']) made.push((await upload(host, name, { name })).fileId)
    const list = async (query: string) => (await host.get(`/storage/files?${query}`)).body.data
    expect((await list('search=100%25_')).files.map((file: { name: string }) => file.name)).toEqual(['100%_a.txt'])
    const first = await list('limit=2')
    expect(first.files.map((file: { fileId: string }) => file.fileId)).toEqual([made[2], made[1]])
    expect(first.hasMore).toBe(true)
    const next = await list(`limit=1&cursor=${first.nextCursor}`)
    expect(next.files[0].fileId).toBe(made[0])
    expect((await list('scope=public')).files.every((file: { scope: string }) => file.scope === 'public')).toBe(true)
    expect(refusal(await host.get('/storage/files?scope=mine'))).toEqual([400, 'validation_error'])
    expect(refusal(await host.get('/storage/files?limit=0'))).toEqual([400, 'validation_error'])
    expect(refusal(await host.get(`/storage/files?scope=user&cursor=${first.nextCursor}`))).toEqual([
      400,
      'validation_error',
    ])
  })
})
