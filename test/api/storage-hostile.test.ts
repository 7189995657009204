// Files that are two things at once, ranges and addresses of people who try: nothing of a file runs where it is shown, and no
// address does more than it was made for (D-186, D-264, D-268, safety N9).
import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { createAuthHost } from '../support/auth-host.ts'
import { createTestHost } from '../support/create-test-host.ts'
import { sendBare } from '../support/raw-request.ts'
import type { Part } from '../support/storage-calls.ts'
import { fetchBytes, filesOnDisk, jpeg, multipart, noise, png, upload } from '../support/storage-calls.ts'

let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
}, 60_000)

afterAll(async () => host?.stop())

const script = '<script>alert(1)</script>'
const utf16 = (text: string): Buffer => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')])
const read = (id: string, headers: Record<string, string> = {}) =>
  fetchBytes(`${host.host.url}/api/v1/storage/${id}`, { authorization: `Bearer ${host.host.token}`, ...headers })

describe('a file that is two things at once', () => {
  it.each<[string, Buffer]>([
    ['a GIF that is a script', Buffer.from(`GIF89a/*${'\u0001'.repeat(20)}*/=1;alert(1)//${script}`, 'latin1')],
    ['a picture with a page behind it', Buffer.concat([png, Buffer.from(`<html>${script}</html>`)])],
    ['a picture with an archive behind it', Buffer.concat([jpeg, Buffer.from('PK\u0003\u0004'), noise(200)])],
    ['a PDF that is a page', Buffer.from(`%PDF-1.7\n<html>${script}</html>`)],
    ['a page behind blanks', Buffer.from(`\ufeff \n\t<HTML>${script}`)],
    ['a page behind a remark', Buffer.from(`<!-- ${'x'.repeat(2_000)} --><html>${script}`)],
    ['a page behind the head of XML', Buffer.from(`<?xml version="1.0"?>\n<html xmlns="x">${script}</html>`)],
    ['a drawing behind a doctype', Buffer.from(`<!DOCTYPE svg [<!ENTITY a "b">]>\n<svg onload="alert(1)"/>`)],
    ['a drawing behind the head of XML', Buffer.from(`<?xml version="1.0"?><!-- --><svg>${script}</svg>`)],
    ['a style sheet for XML', Buffer.from(`<?xml version="1.0"?><?xml-stylesheet href="x.xsl"?><a>${script}</a>`)],
    ['a page in UTF-16', utf16(`<html>${script}</html>`)],
    ['a page behind much text', Buffer.from(`${'x '.repeat(40_000)}<html>${script}</html>`)],
  ])('never runs, whatever it is called: %s', async (_what, bytes) => {
    for (const [name, type] of [
      ['a.png', 'image/png'],
      ['a.html', 'text/html'],
      ['a.svg', 'image/svg+xml'],
      ['a.txt', 'text/plain'],
      ['a.pdf', 'application/pdf'],
      ['a.js', 'text/javascript'],
      ['a', undefined],
    ] as const) {
      const part: Part = type === undefined ? ['file', bytes, name] : ['file', bytes, name, type]
      const answer = await host.post('/storage/upload', ...multipart(part))
      if (answer.status !== 201) {
        expect([answer.status, answer.body.error.code]).toEqual([400, 'file_type_not_allowed'])
        continue
      }
      const { headers } = await read(answer.body.data.fileId)
      const told = `${headers.get('content-type')} ${headers.get('content-disposition')}`
      expect(told).toMatch(
        /^(image\/(png|jpeg|gif)|application\/pdf|text\/plain; charset=utf-8) inline|^\S.* attachment/,
      )
      expect(told).not.toMatch(/(html|svg|xml|javascript)\S* .*inline/)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
    }
    expect(filesOnDisk(host.dataDir).temporary).toEqual([])
  })
})

describe('a range', () => {
  it.each<[string, number]>([
    [`bytes=${'0-,'.repeat(1_000)}0-`, 200],
    [`bytes=${Array.from({ length: 500 }, (_, at) => `${at}-${at}`).join(',')}`, 200],
    ['bytes=0-99999999999999999999999', 206],
    ['bytes=99999999999999999999999-', 416],
    ['bytes=-99999999999999999999999', 206],
    ['bytes=9007199254740993-9007199254740992', 416],
    ['bytes=1e1-', 416],
    ['bytes=+1-2', 416],
    ['bytes=0x1-2', 416],
    ['bytes=--1', 416],
    ['bytes=', 416],
  ])('costs one answer at most: %#', async (range, status) => {
    const { fileId } = await upload(host, 'x'.repeat(1_000), { name: 'a.txt' })
    const answer = await read(fileId, { range })
    expect([range.slice(0, 40), answer.status]).toEqual([range.slice(0, 40), status])
    if (status !== 416) expect(answer.bytes.length).toBe(1_000)
    else expect(JSON.parse(answer.bytes.toString()).error.code).toBe('range_not_satisfiable')
  })

  it('said twice is read once', async () => {
    const { fileId } = await upload(host, '0123456789', { name: 'a.txt' })
    const headers = [`Authorization: Bearer ${host.host.token}`, 'Range: bytes=0-1', 'Range: bytes=5-6']
    const port = Number(new URL(host.host.url).port)
    const answer = await sendBare(port, `/api/v1/storage/${fileId}`, { headers })
    expect(answer.body.length).toBeLessThanOrEqual(10)
  })
})

describe('a signed address', () => {
  const announce = async () => {
    const body = { filename: 'a.txt', mimeType: 'text/plain', size: 5, scope: 'user' }
    return (await host.post('/storage/upload/presigned', body)).body.data as { fileId: string; uploadUrl: string }
  }
  const put = async (path: string) => {
    const { status, body } = await host.anonymous('PUT', path, 'hello', { 'content-type': 'text/plain' })
    return [status, body.error?.code]
  }

  it('that is sent again changes nothing, not even at the same moment, after a start or a deletion', async () => {
    const { fileId, uploadUrl } = await announce()
    const path = new URL(uploadUrl).pathname
    const codes = (await Promise.all([put(path), put(path), put(path)])).map(([status]) => status).toSorted()
    expect(codes).toEqual([200, 410, 410])
    await host.post('/storage/upload/complete', { fileId })
    const { url } = (await host.get(`/storage/files/${fileId}/url`)).body
    await host.restart()
    const lent = new URL(url).pathname
    expect((await fetchBytes(`${host.host.url}${lent}`)).bytes.toString()).toBe('hello')
    expect(await put(path)).toEqual([410, 'gone'])
    await host.delete(`/storage/${fileId}`)
    expect(await put(path)).toEqual([404, 'file_not_found'])
    expect((await fetchBytes(`${host.host.url}${lent}`)).status).toBe(404)
  })

  it('of another workspace, or signed with a key that can be guessed, opens nothing', async () => {
    const { fileId, uploadUrl } = await announce()
    const [payload] = uploadUrl.split('/').at(-1)!.split('.') as [string]
    const other = await createTestHost()
    try {
      const { fileId: theirs } = await upload(other, 'hello')
      const { url } = (await other.get(`/storage/files/${theirs}/url`)).body
      expect((await fetchBytes(`${host.host.url}${new URL(url).pathname}`)).status).toBe(403)
    } finally {
      await other.stop()
    }
    for (const key of ['', 'cairn', 'secret', fileId, host.host.token])
      expect(
        await put(`/api/v1/storage/signed/${payload}.${createHmac('sha256', key).update(payload).digest('base64url')}`),
      ).toEqual([403, 'signed_url_invalid'])
    const wider = Buffer.from(JSON.stringify({ fileId, operation: ['upload', 'download'], expires: 9e15 }))
    for (const token of [`${wider.toString('base64url')}.${'A'.repeat(43)}`, `${payload}.__proto__`, 'e30.e30'])
      expect(await put(`/api/v1/storage/signed/${token}`), token).toEqual([403, 'signed_url_invalid'])
  }, 30_000)

  it('opens nothing any more once whoever lent it may not read the file, is banned, or the key is narrowed or revoked', async () => {
    const people = await createAuthHost()
    onTestFinished(() => people.stop())
    await people.defineObject('deal', { papers: { type: 'file' } })
    const { id } = await people.account('lender')
    const token = await people.signIn('lender')
    const set = (item: object) => people.put('/meta/permission/deals', { name: 'deals', fields: {}, ...item })
    await set({ objects: { deal: { allowRead: true } } })
    const { key } = (await people.as(token, 'POST', '/keys', { name: 'Deals', permissionSets: ['deals'] })).body
    const { fileId } = await upload(people, 'canary', { scope: 'private' })
    await people.post('/data/deal', { papers: fileId })
    const lent = async (credential: string) => {
      const { url } = (await people.as(credential, 'GET', `/storage/files/${fileId}/url`)).body
      return async () => {
        const { status, bytes } = await fetchBytes(`${people.host.url}${new URL(url).pathname}`)
        return [status, bytes.toString().includes('canary')]
      }
    }
    const announced = { filename: 'a.txt', mimeType: 'text/plain', size: 5, scope: 'user' }
    const presigned = async (credential: string) => {
      const { body } = await people.as(credential, 'POST', '/storage/upload/presigned', announced)
      const { pathname } = new URL(body.data.uploadUrl)
      return async () => {
        const { status, body: said } = await people.anonymous('PUT', pathname, 'hello', {
          'content-type': 'text/plain',
        })
        return [status, said.error?.code]
      }
    }
    const [putOfPerson, putOfKey] = [await presigned(token), await presigned(key)]
    const [ofPerson, ofKey] = [await lent(token), await lent(key)]
    expect([await ofPerson(), await ofKey()]).toEqual([
      [200, true],
      [200, true],
    ])
    await set({ objects: {} })
    expect([await ofPerson(), await ofKey()]).toEqual([
      [200, true],
      [403, false],
    ])
    await set({ objects: { deal: { allowRead: true } } })
    expect(await ofKey()).toEqual([200, true])
    const { keys } = (await people.as(token, 'GET', '/keys')).body
    await people.as(token, 'DELETE', `/keys/${keys[0].id}`)
    expect(await ofKey()).toEqual([403, false])
    expect(await putOfKey()).toEqual([403, 'signed_url_invalid'])
    await people.post('/auth/admin/ban-user', { userId: id })
    expect(await ofPerson()).toEqual([403, false])
    expect(await putOfPerson()).toEqual([403, 'signed_url_invalid'])
    await people.post('/auth/admin/unban-user', { userId: id })
    expect(await ofPerson()).toEqual([200, true])
    const closed = { name: 'closed', objects: {}, fields: {}, systemPermissions: [], rowLevelSecurity: [] }
    await people.put('/meta/profile/closed', closed)
    await people.put(`/permissions/assignments/${id}`, { profile: 'closed', roles: [], permissionSets: [] })
    expect(await ofPerson()).toEqual([403, false])
  }, 60_000)
})
