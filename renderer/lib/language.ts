// Owns which language the screens speak: what the address says, else what was chosen in this browser, else what the
// system speaks. Another choice is another page: words, formats and direction are settled before anything is drawn.
import { readStored, writeStored } from './storage.ts'

/** Languages people choose from, each under its own name. */
export const languages = { en: 'English', de: 'Deutsch' } as const

/** Tag of a language with words of its own. */
export type LanguageTag = keyof typeof languages

/** Made from the English words to show what would break: longer words with accents, and the same from right to left. */
const pseudoLocales = ['en-XA', 'ar-XB']

const key = 'language'

/** The chosen language; undefined for the one of the system. */
export function chosenLanguage(): LanguageTag | undefined {
  const stored = readStored(key)
  return isLanguage(stored) ? stored : undefined
}

/** Keeps the choice in this browser and loads the page anew in it; undefined follows the system. */
export function chooseLanguage(tag: LanguageTag | undefined): void {
  writeStored(key, tag)
  window.location.reload()
}

/** Whether a text is the tag of a language people choose from. */
export function isLanguage(tag: string | undefined): tag is LanguageTag {
  return tag !== undefined && Object.hasOwn(languages, tag)
}

/**
 * The language for what was asked for, in the order of preference.
 * @param asked tags of languages or pseudo-locales that win over the system, the strongest first
 * @param system tags of the system, the most wanted first
 * @returns `locale` writes dates and numbers, with the region the system has for the language
 */
export function settleLanguage(
  asked: readonly (string | undefined)[],
  system: readonly string[],
): { language: LanguageTag; locale: string; pseudo: string | undefined } {
  const pseudo = asked.find((tag) => tag !== undefined && (isLanguage(tag) || pseudoLocales.includes(tag)))
  if (pseudo !== undefined && !isLanguage(pseudo)) return { language: 'en', locale: 'en', pseudo }
  const language = pseudo ?? system.map(languageOf).find(isLanguage) ?? 'en'
  const locale = system.find((tag) => languageOf(tag) === language) ?? language
  return { language, locale, pseudo: undefined }
}

function languageOf(tag: string): string {
  return tag.split('-')[0]!.toLowerCase()
}

// Outside of a page, in tests of single modules, nothing says what the system speaks.
const isPage = typeof window !== 'undefined'
const settled = isPage
  ? settleLanguage(
      [new URLSearchParams(window.location.search).get('locale') ?? undefined, readStored(key)],
      window.navigator.languages,
    )
  : settleLanguage([], [])

/** The language of the words. */
export const { language, locale, pseudo } = settled

/** Which way lines run. */
export const direction = pseudo === 'ar-XB' ? 'rtl' : 'ltr'

/** Says language and direction on the page itself, for readers, hyphenation and styles. */
export function markPage(): void {
  document.documentElement.lang = pseudo ?? locale
  document.documentElement.dir = direction
}
