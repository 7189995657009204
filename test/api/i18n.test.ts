// Languages over HTTP: locales, translations, labels, resolution (D-180).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { baseErrors, fieldErrorCodes } from '#shared/errors.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'

let host: TestHost

beforeAll(async () => {
  host = await createTestHost()
  await host.defineObject('task', {
    title: { type: 'text', label: 'Title', help: 'What to do' },
    status: {
      type: 'select',
      options: [
        { value: 'open', label: 'Open' },
        { value: 'done', label: 'Done' },
      ],
    },
  })
  const objects = {
    task: {
      label: 'Aufgabe',
      pluralLabel: 'Aufgaben',
      fields: { title: { label: 'Titel' }, status: { label: 'Stand', options: { open: 'Offen' } } },
    },
  }
  const item = { name: 'german', locale: 'de', translations: { objects, messages: { hello: 'Hallo' } } }
  expect((await host.put('/meta/translation/german', item)).status).toBe(200)
  const arabic = { name: 'arabic', locale: 'ar', translations: { messages: { hello: 'مرحبا' } } }
  expect((await host.put('/meta/translation/arabic', arabic)).status).toBe(200)
})
afterAll(() => host.stop())

describe('locales', () => {
  it('are the delivered ones, the workspace’s own and those of translation items', async () => {
    const { locales } = (await host.get('/i18n/locales')).body
    const codes = locales.map((entry: { code: string }) => entry.code)
    expect(codes).toEqual(expect.arrayContaining(['en', 'de', 'fr', 'es', 'ja', 'zh-CN', 'ar']))
    expect(locales.filter((entry: { isDefault: boolean }) => entry.isDefault)).toMatchObject([{ code: 'en' }])
    const byCode = new Map(locales.map((entry: { code: string }) => [entry.code, entry]))
    expect(byCode.get('de')).toEqual({ code: 'de', label: 'Deutsch', isDefault: false, direction: 'ltr' })
    expect(byCode.get('ar')).toMatchObject({ direction: 'rtl' })
  })
})

describe('translations', () => {
  it('lay what people wrote over stored labels and the program’s texts', async () => {
    const { body } = await host.get('/i18n/translations?locale=de')
    expect(body.locale).toBe('de')
    expect(body).not.toHaveProperty('requestedLocale')
    expect(body.translations.objects.task).toMatchObject({
      label: 'Aufgabe',
      pluralLabel: 'Aufgaben',
      fields: {
        title: { label: 'Titel', help: 'What to do' },
        status: { label: 'Stand', options: { open: 'Offen', done: 'Done' } },
      },
    })
    expect(body.translations.messages).toMatchObject({ hello: 'Hallo', save: 'Speichern' })
  })

  it.each(['en', 'de', 'fr', 'es', 'ja', 'zh-CN'])('have every code of an error in %s', async (locale) => {
    const { translations } = (await host.get(`/i18n/translations/${locale}`)).body
    expect(Object.keys(translations.errors)).toEqual(expect.arrayContaining(Object.keys(baseErrors)))
    expect(Object.keys(translations.validationMessages)).toEqual(expect.arrayContaining([...fieldErrorCodes]))
    const texts = [...Object.values(translations.errors), ...Object.values(translations.validationMessages)]
    expect(texts.filter((text) => typeof text !== 'string' || text.length < 3)).toEqual([])
  })

  it('keep a group, or some keys', async () => {
    const group = (await host.get('/i18n/translations?locale=de&namespace=messages')).body
    expect(Object.keys(group.translations)).toEqual(['messages'])
    const within = (await host.get('/i18n/translations?locale=de&namespace=messages&keys=hello,messages.save')).body
    expect(within.translations).toEqual({ messages: { hello: 'Hallo', save: 'Speichern' } })
    const keys = (await host.get('/i18n/translations?locale=de&keys=objects.task.label,messages.hello,nothing.here'))
      .body
    expect(keys.translations).toEqual({ objects: { task: { label: 'Aufgabe' } }, messages: { hello: 'Hallo' } })
  })

  it.each([
    ['DE', 'de'],
    ['de-AT', 'de'],
    ['zh', 'zh-CN'],
    ['pt-BR', 'en'],
  ])('of %s are those of %s', async (asked, locale) => {
    expect((await host.get(`/i18n/translations?locale=${asked}`)).body).toMatchObject({
      locale,
      requestedLocale: asked,
    })
  })

  it.each([
    '/i18n/translations',
    '/i18n/translations?locale=',
    '/i18n/translations?locale=no_tag!',
    '/i18n/labels/task',
  ])('need a well-formed language: %s', async (path) => {
    const { status, body } = await host.get(path)
    expect([status, body.error.details.fieldErrors[0].field]).toEqual([400, 'locale'])
  })
})

describe('labels', () => {
  it('name the fields of an object in a language', async () => {
    const labels = {
      title: { label: 'Titel', help: 'What to do' },
      status: { label: 'Stand', options: { open: 'Offen', done: 'Done' } },
    }
    for (const path of ['/i18n/labels/task?locale=de', '/i18n/labels/task/de']) {
      expect((await host.get(path)).body).toEqual({ object: 'task', locale: 'de', labels })
    }
    expect((await host.get('/i18n/labels/task/fr')).body.labels.title.label).toBe('Title')
    expect((await host.get('/i18n/labels/nothing/de')).status).toBe(404)
  })
})

describe('errors', () => {
  it('come with their sentence in the language the caller asks for, never in place of the stable one', async () => {
    const german = (await host.get('/data/nothing', { 'accept-language': 'de-CH, en;q=0.5' })).body.error
    expect(german).toMatchObject({
      message: 'The resource does not exist.',
      details: { localizedMessage: 'Das gibt es nicht.' },
    })
    const english = (await host.get('/data/nothing', { 'accept-language': 'en-US' })).body.error
    expect(english.details).not.toHaveProperty('localizedMessage')
    expect((await host.get('/discovery')).body.locale.supported).toEqual(
      expect.arrayContaining(['en', 'de', 'zh-CN', 'ar']),
    )
  })
})
