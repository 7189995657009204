// The labels of every language, merged from `translation` items (D-180): a language below its regional form, packages
// below what people wrote. Knows no request.
import { applyMergePatch, isJsonMap } from '#shared/merge-patch.ts'
import type { MetadataItem, TranslationTree } from '../api.ts'
import { deepFreeze } from './json-values.ts'
import { canonicalTag } from '#shared/language.ts'

/** The labels of every language. Answers stay the same frozen values until a translation changes. */
export interface Translations {
  /** Canonical tags of the languages there are labels in, in the order of their code units. */
  locales(): readonly string[]
  /** The labels of a language; empty when there are none. */
  tree(locale: string): TranslationTree
  /** When a label last changed; null when there was none ever. */
  changedAt(): string | null
}

interface Content {
  readonly items: readonly MetadataItem[]
  readonly locales: readonly string[]
  readonly trees: Map<string, TranslationTree>
}

/** Makes the labels over the translation items in force. */
export function createTranslations(list: () => readonly MetadataItem[], now: () => string): Translations {
  let content: Content = { items: [], locales: [], trees: new Map() }
  let changedAt: string | null = null

  const current = (): Content => {
    const items = list()
    if (items === content.items) return content
    const isSame = items.length === content.items.length && items.every((item, index) => item === content.items[index])
    if (isSame) return (content = { ...content, items })
    // A translation that went leaves no time behind; the moment it is missed is late enough for a cache.
    const isFirst = content.items.length === 0 && changedAt === null
    changedAt = isFirst
      ? (items
          .map((item) => item.updatedAt)
          .toSorted()
          .at(-1) ?? null)
      : now()
    const tags = items.map(localeOf).filter((tag) => tag !== undefined)
    return (content = { items, locales: Object.freeze([...new Set(tags)].toSorted()), trees: new Map() })
  }

  const ownTree = ({ items }: Content, locale: string): TranslationTree => {
    const mine = items.filter((item) => localeOf(item)?.toLowerCase() === locale.toLowerCase())
    const ordered = [
      ...mine.filter(({ packageId }) => packageId !== null),
      ...mine.filter(({ packageId }) => packageId === null),
    ]
    return ordered.reduce<TranslationTree>((tree, { item }) => {
      const { translations } = item
      return isJsonMap(translations) ? (applyMergePatch(tree, translations) as TranslationTree) : tree
    }, {})
  }

  return {
    locales: () => current().locales,
    tree(locale) {
      const now_ = current()
      let tree = now_.trees.get(locale)
      if (tree === undefined) {
        tree = deepFreeze(
          withShorterForms(locale).reduce<TranslationTree>(
            (below, form) => applyMergePatch(below, ownTree(now_, form)) as TranslationTree,
            {},
          ),
        )
        // Only languages there are labels in are remembered, so that callers cannot fill memory with tags.
        if (now_.locales.includes(locale)) now_.trees.set(locale, tree)
      }
      return tree
    },
    changedAt() {
      current()
      return changedAt
    },
  }
}

/** `de-AT` as `de`, `de-AT`. */
function withShorterForms(locale: string): string[] {
  const parts = locale.split('-')
  return parts.map((_part, index) => parts.slice(0, index + 1).join('-'))
}

function localeOf({ item }: MetadataItem): string | undefined {
  const { locale } = item
  return typeof locale === 'string' ? canonicalTag(locale) : undefined
}
