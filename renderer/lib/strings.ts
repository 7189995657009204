// Owns how words reach the screen: one key per sentence, parameters in braces, plurals by Intl; i18next looks them up. The
// words of a language are one chunk (strings/), loaded before the application: its modules already ask for texts.
import i18next from 'i18next'
import { language, locale, pseudo } from './language.ts'
import type { english } from './strings/en/index.ts'
import type { hubStrings } from './strings/hub/en.ts'

/** Key of a text. */
export type StringKey = keyof typeof english | keyof typeof hubStrings

/** Keys that exist as `<key>.one` and `<key>.other`. */
export type PluralKey = {
  [K in StringKey]: K extends `${infer Base}.one` ? (`${Base}.other` extends StringKey ? Base : never) : never
}[StringKey]

/** Values for the braces of a text; numbers are written as the locale writes them. */
export type StringParameters = Readonly<Record<string, string | number>>

type Words = Readonly<Record<string, string>>

const namespace = 'cairn'
const numbers = new Intl.NumberFormat(locale)
const texts = i18next.createInstance()

/** Loads the words of the page's language; nothing is called by its name before. */
export async function loadWords(): Promise<void> {
  const words = await wordsOf()
  await texts.init({
    lng: language,
    resources: { [language]: { [namespace]: words } },
    ns: [namespace],
    defaultNS: namespace,
    keySeparator: false,
    nsSeparator: false,
    pluralSeparator: '.',
    // What is drawn escapes, and what is spoken needs none.
    interpolation: { prefix: '{', suffix: '}', escapeValue: false },
    // A brace without a parameter stays: some texts show braces as they are typed.
    missingInterpolationHandler: (_text: string, [whole]: string[]) => whole,
  })
}

async function wordsOf(): Promise<Words> {
  if (language === 'de') return (await import('./strings/de/index.ts')).german
  return seen((await import('./strings/en/index.ts')).english)
}

/** Loads the words about a hub, which few workspaces have; nothing of its part is drawn before. */
export async function loadHubWords(): Promise<void> {
  const words =
    language === 'de'
      ? (await import('./strings/hub/de.ts')).hubGerman
      : await seen((await import('./strings/hub/en.ts')).hubStrings)
  texts.addResourceBundle(language, namespace, words)
}

/** English words as the page shows them. */
async function seen(words: Words): Promise<Words> {
  if (pseudo === undefined) return words
  const { pseudoText } = await import('./pseudo-locale.ts')
  return Object.fromEntries(Object.entries(words).map(([key, text]) => [key, pseudoText(text)]))
}

/** Whether there is a text of this key. */
export function isStringKey(key: string): key is StringKey {
  return texts.exists(key)
}

/** The text of a key with its parameters filled in. */
export function t(key: StringKey, parameters: StringParameters = {}): string {
  return lookUp(key, parameters)
}

/** The text of a key for a count, which is also the parameter `count`. */
export function tn(key: PluralKey, count: number, parameters: StringParameters = {}): string {
  return lookUp(key, { ...parameters, count }, count)
}

function lookUp(key: string, parameters: StringParameters, count?: number): string {
  const replace = Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [
      name,
      typeof value === 'number' ? numbers.format(value) : value,
    ]),
  )
  // What people typed is in the parameters: it is neither an option nor a key of another text.
  return texts.t(key, { replace, nest: false, ...(count === undefined ? {} : { count }) })
}
