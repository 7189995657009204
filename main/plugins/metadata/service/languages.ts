// Items in the languages there are labels in: which one a request means, and bodies in it (D-103, D-104, D-180).
import type { Language, LanguageRequest } from '#shared/language.ts'
import { resolveLanguage } from '#shared/language.ts'
import type { MetadataItem, TranslationTree } from '../api.ts'
import type { Body } from './json-values.ts'
import { localise } from './localise.ts'
import { createTranslations } from './translations.ts'

/** The language of an answer about items. */
export interface ItemLanguage extends Language {
  /** The language of the workspace that was meant, also where it has no labels: what the ETag stands for. */
  readonly meant: string
}

/** Items in languages. */
export interface Languages {
  /** The language of the workspace. */
  fallback(): string
  /** Canonical tags of the languages there are labels in. */
  locales(): readonly string[]
  /** The labels of a language. */
  tree(locale: string): TranslationTree
  /** The language a request means. @throws validation_error for a malformed tag */
  resolve(request: LanguageRequest): ItemLanguage
  /** The body in a language; the same value for the same body, so that its ETag is remembered. */
  show(item: Pick<MetadataItem, 'type' | 'name'>, body: Body, language: Language): Body
  /** The body in every language that can be meant, the workspace's own first. */
  showAll(item: Pick<MetadataItem, 'type' | 'name'>, body: Body): { meant: string; body: Body }[]
  /** When a body in the language last changed: the item, or a label. */
  modifiedAt(item: MetadataItem, language: Language): string
}

/**
 * Makes the languages of a cache.
 * @param list answers the translation items in force
 * @param spoken every language of the workspace, with labels or without
 */
export function createLanguages(
  list: () => readonly MetadataItem[],
  fallback: () => string,
  spoken: () => readonly string[],
  now: () => string,
): Languages {
  const translations = createTranslations(list, now)
  const shown = new WeakMap<TranslationTree, WeakMap<object, Body>>()

  const show: Languages['show'] = (item, body, { locale, isAsked }) => {
    if (!isAsked) return body
    const tree = translations.tree(locale)
    let known = shown.get(tree)
    if (known === undefined) shown.set(tree, (known = new WeakMap()))
    let result = known.get(body)
    if (result === undefined) known.set(body, (result = localise(item, body, tree)))
    return result
  }

  return {
    fallback,
    locales: translations.locales,
    tree: translations.tree,
    resolve(request) {
      const own = fallback()
      const language = resolveLanguage(request, { available: translations.locales(), fallback: own })
      if (language.locale !== own) return { ...language, meant: language.locale }
      return { ...language, meant: resolveLanguage(request, { available: spoken(), fallback: own }).locale }
    },
    show,
    showAll(item, body) {
      const withLabels = new Set([fallback(), ...translations.locales()])
      return [...new Set([...withLabels, ...spoken()])].map((meant) => {
        const locale = withLabels.has(meant) ? meant : fallback()
        return { meant, body: show(item, body, { locale, isAsked: true }) }
      })
    },
    modifiedAt({ updatedAt }, { isAsked }) {
      const labelsAt = isAsked ? (translations.changedAt() ?? '') : ''
      return updatedAt < labelsAt ? labelsAt : updatedAt
    },
  }
}
