// Handlers of languages and their texts.
import type { i18nRoutes } from '#shared/contracts/i18n.ts'
import { validationError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { I18nService } from './api.ts'
import { isTree, pickPaths } from './service/text-tree.ts'
import type { TextTree } from './service/text-tree.ts'

type Text = string | readonly string[] | undefined

/** Binds the routes to the service. */
export function i18nHandlers(
  service: I18nService,
  metadata: Pick<MetadataService, 'list'>,
): Handlers<typeof i18nRoutes> {
  /** One group of texts, or the objects of a package's namespace. */
  const inNamespace = (tree: TextTree, namespace: string): TextTree => {
    if (Object.hasOwn(tree, namespace)) return { [namespace]: tree[namespace] }
    const own = new Set(metadata.list('object').flatMap((item) => (item.namespace === namespace ? [item.name] : [])))
    const objects = isTree(tree['objects']) ? Object.entries(tree['objects']) : []
    return { objects: Object.fromEntries(objects.filter(([name]) => own.has(name))) }
  }

  const translations = (ctx: RequestContext, given: string | undefined, namespace: Text, keys: Text) => {
    const locale = required(given)
    let tree: TextTree = service.translations(ctx, locale)
    const group = last(namespace)
    if (group !== undefined && group !== '') tree = inNamespace(tree, group)
    const paths = [keys ?? []].flat().flatMap((part) => part.split(','))
    const wanted = paths.map((path) => path.trim()).filter((path) => path !== '')
    // Whoever names a group may leave its name out of the keys.
    if (wanted.length > 0) tree = pickPaths(tree, [...wanted, ...wanted.map((path) => `${group}.${path}`)])
    const resolved = service.resolve(locale)
    return { locale: resolved, ...(resolved === locale ? {} : { requestedLocale: locale }), translations: { ...tree } }
  }

  return {
    listLocales: () => ({ locales: service.locales() }),
    getTranslations: (ctx, { query }) => translations(ctx, last(query.locale), query.namespace, query.keys),
    getTranslationsByPath: (ctx, { params, query }) => translations(ctx, params.locale, query.namespace, query.keys),
    getLabels(ctx, { params, query }) {
      const locale = required(params.locale ?? last(query.locale))
      const labels = service.labels(ctx, params.object, locale)
      return { object: params.object, locale: service.resolve(locale), labels: { ...labels } }
    },
  }
}

/** @throws validation_error */
function required(locale: string | undefined): string {
  if (locale !== undefined && locale.trim() !== '') return locale
  throw validationError([{ field: 'locale', code: 'required', message: 'Name a language.' }])
}

function last(value: Text): string | undefined {
  return typeof value === 'string' ? value : value?.at(-1)
}
