// The cached get: D-108, D-104.
import { describe, expect, it } from 'vitest'
import { expectError, host, item, name, put, useMetadataHost } from '../support/metadata-suite.ts'

useMetadataHost()

const cached = (query = '') => host.get(`/meta/object/${name}/cached${query}`)
const posted = (body?: unknown) => host.post(`/meta/object/${name}/cached`, body)

describe('GET and POST /meta/:type/:name/cached', () => {
  it('answer the item bare with its cache data', async () => {
    const { body: saved } = await put(item())
    const { status, body } = await cached()
    expect(status).toBe(200)
    const read = await host.get(`/meta/object/${name}`)
    expect(body).toEqual({
      data: read.body.item,
      etag: { value: saved.etag.slice(1, -1), weak: false },
      lastModified: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
      cacheControl: { directives: ['private', 'no-cache'] },
      notModified: false,
      version: 1,
    })
    expect(read.headers.get('etag')).toBe(saved.etag)
    expect((await posted()).body).toEqual(body)
    expect((await posted({ cacheRequest: {} })).body).toEqual(body)
  })

  it('leave the item out when the caller has it', async () => {
    await put(item())
    const first = (await cached()).body
    const { value } = first.etag
    const { data: _data, ...head } = first
    const expected = { ...head, notModified: true }
    for (const tag of [value, `"${value}"`, `W/"${value}"`, `"x", "${value}"`, '*']) {
      expect((await cached(`?ifNoneMatch=${encodeURIComponent(tag)}`)).body).toEqual(expected)
      expect((await posted({ cacheRequest: { ifNoneMatch: tag } })).body).toEqual(expected)
    }
    expect((await host.get(`/meta/object/${name}/cached`, { 'if-none-match': `"${value}"` })).body).toEqual(expected)
    expect((await cached(`?ifModifiedSince=${encodeURIComponent(first.lastModified)}`)).body).toEqual(expected)
    const date = new Date(Date.parse(first.lastModified) + 1000).toUTCString()
    expect((await posted({ cacheRequest: { ifModifiedSince: date } })).body).toEqual(expected)
  })

  it('answer the item after a change and for another ETag, whatever the date says', async () => {
    await put(item())
    const { etag } = (await cached()).body
    const { body } = await posted({ cacheRequest: { ifNoneMatch: 'other', ifModifiedSince: '2999-01-01T00:00:00Z' } })
    expect(body).toMatchObject({ notModified: false, data: { label: 'Thing' } })
    await put(item({ label: 'Other' }))
    expect((await cached(`?ifNoneMatch=${etag.value}`)).body).toMatchObject({
      notModified: false,
      version: 2,
      data: { label: 'Other' },
    })
  })

  it('never answer a stale copy when the language changes', async () => {
    await put(item())
    await host.put(`/meta/translation/de_${name}`, {
      locale: 'de',
      translations: { objects: { [name]: { label: 'Ding' } } },
    })
    const english = (await cached('?locale=en')).body
    const german = (await cached(`?locale=de&ifNoneMatch=${english.etag.value}`)).body
    expect(german).toMatchObject({ notModified: false, data: { label: 'Ding' } })
    expect((await posted({ locale: 'de', cacheRequest: { ifNoneMatch: german.etag.value } })).body.notModified).toBe(
      true,
    )
  })

  it('refuse a language that is none and answer 404 for what is not there', async () => {
    expectError(await cached(), 404, 'resource_not_found')
    expectError(await host.get(`/meta/thing/${name}/cached`), 404, 'resource_not_found')
    await put(item())
    expectError(await cached('?locale=not%20a%20tag'), 400, 'validation_error', { fieldErrors: [{ field: 'locale' }] })
    expectError(await posted({ locale: 'not a tag' }), 400, 'validation_error')
    expectError(await posted({ cacheRequest: { ifNoneMatch: 1 } }), 400, 'validation_error')
  })
})
