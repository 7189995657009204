// Labels in the caller's language: translation items folded into metadata reads (D-103, D-104, D-180).
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { expectError, host, item, name, put, useMetadataHost } from '../support/metadata-suite.ts'

useMetadataHost()

const object = () => `/meta/object/${name}`
let stored: string[] = []

/** Stores a translation for the time of one test. */
async function translate(key: string, locale: string, translations: unknown, query = ''): Promise<void> {
  const path = `/meta/translation/${name}_${key}`
  const { status } = await host.put(`${path}${query}`, { locale, translations })
  expect(status).toBe(200)
  stored.push(path)
}

const inObject = (labels: unknown) => ({ objects: { [name]: labels } })
const label = async (query = '', headers: Record<string, string> = {}) =>
  (await host.get(`${object()}${query}`, headers)).body.item.label
const german = { 'accept-language': 'de-CH, fr;q=0.5' }

beforeEach(async () => {
  stored = []
  await put(
    item({
      fields: {
        title: { type: 'text', help: 'Short.' },
        level: { type: 'select', options: ['low', { value: 'high', label: 'High' }] },
      },
    }),
  )
})

// Languages of one test must not answer another's.
afterEach(async () => {
  for (const path of stored) await host.post(`${path}/state`, { state: 'archived' })
})

describe('labels of an object', () => {
  it('come in the language asked for, with fields, options and words', async () => {
    await translate(
      'de',
      'de',
      inObject({
        label: 'Ding',
        pluralLabel: 'Dinge',
        description: 'Ein Ding.',
        fields: {
          title: { label: 'Titel', help: 'Kurz.', placeholder: 'Hier' },
          level: { label: 'Stufe', options: { low: 'Niedrig', high: 'Hoch' } },
        },
      }),
    )
    const { body, headers } = await host.get(`${object()}?locale=de`)
    expect(body.item).toMatchObject({
      label: 'Ding',
      pluralLabel: 'Dinge',
      description: 'Ein Ding.',
      fields: {
        title: { type: 'text', label: 'Titel', help: 'Kurz.', placeholder: 'Hier' },
        level: {
          label: 'Stufe',
          options: [
            { value: 'low', label: 'Niedrig' },
            { value: 'high', label: 'Hoch' },
          ],
        },
      },
    })
    expect(headers.get('vary')).toContain('Accept-Language')
    expect((await host.get(`/meta/field/${name}.title?locale=de`)).body.item).toMatchObject({ label: 'Titel' })
    const { items } = (await host.get('/meta/object', german)).body
    expect(items).toContainEqual(expect.objectContaining({ name, label: 'Ding' }))
    expect((await host.get(`${object()}/cached?locale=de`)).body.data).toMatchObject({ label: 'Ding' })
    expect((await host.get(`${object()}/effective`, german)).body.data).toMatchObject({ label: 'Ding' })
    const view = (await host.get(`/ui/view/${name}/list`, german)).body
    expect(view.columns).toContainEqual(expect.objectContaining({ field: 'title', label: 'Titel' }))
    expect(await label()).toBe('Thing')
    expect(await label('?locale=en')).toBe('Thing')
  })

  it('resolve exactly, in another case, by language, then to the language of the workspace', async () => {
    await translate('de', 'de', inObject({ label: 'Ding', description: 'Deutsch' }))
    await translate('at', 'de-AT', inObject({ label: 'Dingl' }))
    await translate('pt', 'pt-BR', inObject({ label: 'Coisa' }))
    expect(await label('?locale=de')).toBe('Ding')
    expect(await label('?locale=DE')).toBe('Ding')
    expect(await label('?locale=de-AT')).toBe('Dingl')
    expect(await label('?locale=DE-at')).toBe('Dingl')
    expect(await label('?locale=de-CH')).toBe('Ding')
    expect(await label('?locale=de-AT-1996')).toBe('Dingl')
    expect(await label('?locale=pt')).toBe('Coisa')
    expect(await label('?locale=pt-PT')).toBe('Coisa')
    expect(await label('?locale=ja')).toBe('Thing')
    // What the regional form leaves open its language says.
    expect((await host.get(`${object()}?locale=de-AT`)).body.item.description).toBe('Deutsch')
    expect(await label('', german)).toBe('Ding')
    expect(await label('', { 'accept-language': 'ja, de-AT;q=0.9, de;q=0.8' })).toBe('Dingl')
    expect(await label('', { 'accept-language': 'de;q=0.1, pt-BR' })).toBe('Coisa')
    expect(await label('', { 'accept-language': 'de;q=0, *' })).toBe('Thing')
    expect(await label('', { 'accept-language': '!!, ;q=1' })).toBe('Thing')
    expect(await label('?locale=pt', german)).toBe('Coisa')
    expect(await label('?locale=und', german)).toBe('Thing')
    for (const bad of ['de_DE', '--', 'a', 'not a tag']) {
      expectError(await host.get(`${object()}?locale=${encodeURIComponent(bad)}`), 400, 'validation_error', {
        fieldErrors: [{ field: 'locale', code: 'invalid_format' }],
      })
      expectError(await host.get(`/meta/object?locale=${encodeURIComponent(bad)}`), 400, 'validation_error')
    }
  })

  it('merge over several translations, packages below what people wrote', async () => {
    await translate('a', 'de', inObject({ label: 'Unser', fields: { title: { label: 'Titel' } } }))
    await translate('z', 'de', inObject({ label: 'Ihres', description: 'Ihr' }), '?packageId=org.example.crm')
    expect((await host.get(`${object()}?locale=de`)).body.item).toMatchObject({
      label: 'Unser',
      description: 'Ihr',
      fields: { title: { label: 'Titel' } },
    })
  })

  it('follow a change, an overlay and the end of a translation', async () => {
    await translate('de', 'de', inObject({ label: 'Ding' }))
    expect(await label('?locale=de')).toBe('Ding')
    await host.put(`/meta/translation/${name}_de/overlay`, { patch: { translations: inObject({ label: 'Sache' }) } })
    expect(await label('?locale=de')).toBe('Sache')
    await host.post(`/meta/translation/${name}_de/state`, { state: 'archived' })
    expect(await label('?locale=de')).toBe('Thing')
  })
})

describe('the ETag of an item', () => {
  const tag = async (query = '', headers: Record<string, string> = {}) =>
    (await host.get(`${object()}${query}`, headers)).headers.get('etag')!

  it('changes exactly when the resolved language or a label changes', async () => {
    const plain = await tag()
    const untranslated = await tag('?locale=de')
    await translate('de', 'de', inObject({ label: 'Ding' }))
    const de = await tag('?locale=de')
    expect([plain, untranslated]).not.toContain(de)
    expect(await tag('?locale=de-CH')).toBe(de)
    expect(await tag('', german)).toBe(de)
    expect(await tag('?locale=en')).toBe(plain)
    expect(await tag()).toBe(plain)
    expect((await host.get(object(), { 'if-none-match': plain, ...german })).status).toBe(200)
    expect((await host.get(object(), { 'if-none-match': `"x", W/${de}`, ...german })).status).toBe(304)
    await translate('fr', 'fr', { objects: { other: { label: 'Autre' } } })
    expect(await tag('?locale=fr')).not.toBe(plain)
    expect(await tag('?locale=de')).toBe(de)
    await host.restart()
    expect(await tag('?locale=de')).toBe(de)
  })

  it('is another one in each language of the workspace, also where nothing is translated', async () => {
    const tags = { en: await tag('?locale=en'), de: await tag('?locale=de'), ja: await tag('?locale=ja') }
    expect(new Set(Object.values(tags)).size).toBe(3)
    expect(await tag('', german)).toBe(tags.de)
    expect(await tag('?locale=DE-ch')).toBe(tags.de)
    // A language the workspace does not have is answered in its own one.
    expect(await tag('?locale=sw')).toBe(tags.en)
    for (const [locale, own] of Object.entries(tags)) {
      for (const [other, theirs] of Object.entries(tags)) {
        const expected = locale === other ? 304 : 200
        const asked = { 'if-none-match': theirs }
        expect((await host.get(`${object()}?locale=${locale}`, asked)).status).toBe(expected)
        expect((await host.get(object(), { ...asked, 'accept-language': locale })).status).toBe(expected)
        const cached = await host.get(`${object()}/cached?locale=${locale}&ifNoneMatch=${encodeURIComponent(theirs)}`)
        expect(cached.body).toMatchObject({ notModified: locale === other, etag: { value: own.slice(1, -1) } })
      }
    }
    const shown = (await host.get(`${object()}?locale=ja`)).body.item
    expect((await put({ ...shown, icon: 'a' }, { 'if-match': tags.ja })).status).toBe(200)
    expectError(await put({ ...shown, icon: 'b' }, { 'if-match': tags.ja }), 409, 'CONCURRENT_UPDATE')
  })

  it('comes with the language named in Vary, as lists and generated views do', async () => {
    for (const path of [
      object(),
      '/meta/object',
      `/ui/view/${name}/list`,
      `${object()}/cached`,
      `${object()}/effective`,
    ]) {
      expect((await host.get(path, german)).headers.get('vary')).toContain('Accept-Language')
    }
  })

  it('of every language guards a save', async () => {
    await translate('de', 'de', inObject({ label: 'Ding' }))
    const de = await tag('?locale=de')
    const saved = await put(
      { ...item(), fields: (await host.get(object())).body.item.fields, icon: 'a' },
      {
        'if-match': de,
        ...german,
      },
    )
    expect(saved.status).toBe(200)
    expect(saved.body.etag).toBe(await tag('', german))
    expectError(await put(item({ icon: 'b' }), { 'if-match': de }, '?confirm=true'), 409, 'CONCURRENT_UPDATE')
  })

  it('is not the only thing that moves: Last-Modified follows labels', async () => {
    const before = (await host.get(object(), german)).headers.get('last-modified')!
    await new Promise((resolve) => setTimeout(resolve, 1100))
    await translate('de', 'de', inObject({ label: 'Ding' }))
    const answer = await host.get(object(), { 'if-modified-since': before, ...german })
    expect(answer.status).toBe(200)
    expect(answer.body.item.label).toBe('Ding')
    const after = answer.headers.get('last-modified')!
    expect(Date.parse(after)).toBeGreaterThan(Date.parse(before))
    expect((await host.get(object(), { 'if-modified-since': after, ...german })).status).toBe(304)
  })
})

describe('an item read in a language and saved again', () => {
  it('keeps its own labels', async () => {
    await translate(
      'de',
      'de',
      inObject({
        label: 'Ding',
        description: 'Neu',
        fields: { level: { label: 'Stufe', options: { low: 'Niedrig' } } },
      }),
    )
    const before = (await host.get(object())).body.item
    const shown = (await host.get(object(), german)).body.item
    expect(shown.label).toBe('Ding')
    const fields = { ...shown.fields, title: { ...shown.fields.title, label: 'Überschrift' } }
    expect((await put({ ...shown, icon: 'star', fields }, german)).status).toBe(200)
    const after = (await host.get(object())).body.item
    expect(after).toEqual({
      ...before,
      icon: 'star',
      fields: { ...before.fields, title: { ...before.fields.title, label: 'Überschrift' } },
    })
    expect((await put({ ...after, label: 'Sache' }, german)).status).toBe(200)
    expect(await label()).toBe('Sache')
  })
})

describe('labels of other items', () => {
  it('reach views, actions, apps, rules and dashboards', async () => {
    await host.put(`/meta/view/${name}.board`, { object: name, viewKind: 'list', label: 'Board' })
    await host.put(`/meta/action/${name}.close`, { object: name, type: 'url', target: '/x', label: 'Close' })
    await host.put(`/meta/app/${name}`, {
      label: 'App',
      navigation: [
        { id: 'home', type: 'group', label: 'Home', children: [{ id: 'sub', type: 'url', target: '/', label: 'Sub' }] },
      ],
    })
    await host.put(`/meta/dashboard/${name}`, { label: 'Board', widgets: [] })
    await host.put(`/meta/validation/${name}.rule`, {
      object: name,
      type: 'script',
      condition: 'false',
      message: 'No.',
    })
    await translate('de', 'de', {
      objects: { [name]: { views: { board: 'Tafel' }, actions: { close: { label: 'Zu', confirmText: 'Sicher?' } } } },
      apps: { [name]: { label: 'Anwendung', navigation: { home: 'Start', sub: 'Unten' } } },
      dashboards: { [name]: { label: 'Übersicht' } },
      validationMessages: { [`${name}.rule`]: 'Nein.' },
    })
    const read = async (path: string) => (await host.get(`/meta/${path}?locale=de`)).body.item
    expect(await read(`view/${name}.board`)).toMatchObject({ label: 'Tafel' })
    expect(await read(`action/${name}.close`)).toMatchObject({ label: 'Zu', confirmText: 'Sicher?' })
    expect(await read(`app/${name}`)).toMatchObject({
      label: 'Anwendung',
      navigation: [{ id: 'home', label: 'Start', children: [{ id: 'sub', label: 'Unten' }] }],
    })
    expect(await read(`dashboard/${name}`)).toMatchObject({ label: 'Übersicht' })
    expect(await read(`validation/${name}.rule`)).toMatchObject({ message: 'Nein.' })
  })
})
