// Texts of the workspace by language: stored labels, translations of people and packages, the program's own texts.
import { notFound } from '#shared/errors.ts'
import { canonicalTag, resolveLanguage } from '#shared/language.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireObjectAction } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { SettingsService } from '#main/plugins/settings/api.ts'
import type { FieldLabels, I18nService } from './api.ts'
import { deliveredTexts } from './locales/index.ts'
import { storedLabels, isTree, layTree } from './service/text-tree.ts'
import type { TextTree } from './service/text-tree.ts'

/** What the service works with. */
export interface I18nParts {
  readonly metadata: Pick<MetadataService, 'objectSchema' | 'objectSchemas' | 'list' | 'translations' | 'locales'>
  readonly settings: SettingsService
  readonly authorizer: () => Authorizer
}

/** Makes the service. */
export function createI18nService({ metadata, settings, authorizer }: I18nParts): I18nService {
  const codes = (): string[] => [
    ...new Set([settings.get('locale'), ...Object.keys(deliveredTexts), ...metadata.locales()]),
  ]

  const resolve = (locale: string): string =>
    resolveLanguage({ locale }, { available: codes(), fallback: settings.get('locale') }).locale

  const labelsOf = (ctx: RequestContext, schema: ObjectSchema): TextTree =>
    storedLabels(schema, (field) => authorizer().canField(ctx, schema.name, field.name, 'readable'))

  /** What is translated of an object, without fields the object does not show. */
  const objectTexts = (ctx: RequestContext, schema: ObjectSchema, locale: string): TextTree => {
    const stored = labelsOf(ctx, schema)
    const objects = metadata.translations(locale)['objects']
    const translated = isTree(objects) && Object.hasOwn(objects, schema.name) ? objects[schema.name] : undefined
    if (!isTree(translated)) return stored
    const merged = layTree(stored, translated) as Record<string, unknown>
    const shown = stored['fields'] as TextTree
    const fields = isTree(merged['fields']) ? Object.entries(merged['fields']) : []
    return { ...merged, fields: Object.fromEntries(fields.filter(([name]) => Object.hasOwn(shown, name))) }
  }

  return {
    codes,
    locales: () =>
      codes().map((code) => ({
        code,
        label: nameOf(code),
        isDefault: code === settings.get('locale'),
        direction: directionOf(code),
      })),
    resolve,
    translations(ctx, locale) {
      const code = resolve(locale)
      const { objects: _objects, ...rest } = metadata.translations(code)
      const readable = metadata.objectSchemas().filter(({ name }) => authorizer().canObject(ctx, name, 'read'))
      const apps = Object.fromEntries(
        metadata.list('app').map(({ name, item }) => [name, { label: item['label'] ?? name }]),
      )
      const base = { apps, ...(deliveredTexts[code] ?? deliveredTexts[languageOf(code)] ?? deliveredTexts['en']) }
      return {
        objects: Object.fromEntries(readable.map((schema) => [schema.name, objectTexts(ctx, schema, code)])),
        ...(layTree(base, rest) as TextTree),
      }
    },
    errorText(code, locale) {
      const written = metadata.translations(locale)['errors']
      const delivered: TextTree = deliveredTexts[locale]?.errors ?? {}
      const text = [written, delivered].find((tree) => isTree(tree) && Object.hasOwn(tree, code))
      const sentence = (text as TextTree | undefined)?.[code]
      return typeof sentence === 'string' ? sentence : undefined
    },
    labels(ctx, object, locale) {
      const schema = metadata.objectSchema(object)
      if (schema === undefined) throw notFound('object', object)
      requireObjectAction(authorizer(), ctx, object, 'read')
      return objectTexts(ctx, schema, resolve(locale))['fields'] as Record<string, FieldLabels>
    },
  }
}

function languageOf(code: string): string {
  return code.split('-')[0]!
}

function nameOf(code: string): string {
  return new Intl.DisplayNames([code], { type: 'language' }).of(canonicalTag(code) ?? code) ?? code
}

/** Scripts that are written from right to left, by language. */
const rightToLeft: ReadonlySet<string> = new Set(['ar', 'he', 'fa', 'ur', 'ps', 'sd', 'ug', 'yi', 'dv', 'ckb'])

function directionOf(code: string): 'ltr' | 'rtl' {
  return rightToLeft.has(languageOf(code).toLowerCase()) ? 'rtl' : 'ltr'
}
