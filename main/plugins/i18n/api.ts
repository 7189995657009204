// What other plugins may ask of languages. Types only.
import type { RequestContext } from '#main/kernel/context.ts'

/** A language the workspace can be shown in. */
export interface LocaleEntry {
  /** BCP-47 tag. */
  readonly code: string
  /** Its name in the language itself. */
  readonly label: string
  readonly isDefault: boolean
  readonly direction: 'ltr' | 'rtl'
}

/** Labels of one field. */
export interface FieldLabels {
  readonly label: string
  readonly help?: string
  readonly placeholder?: string
  /** Option value to label; absent for fields without options. */
  readonly options?: Readonly<Record<string, string>>
}

/** Texts of the workspace by language. */
export interface I18nService {
  locales(): LocaleEntry[]
  /** The tags of `locales`. */
  codes(): string[]
  /** The language there is for a tag (D-180). @throws validation_error for a malformed tag */
  resolve(locale: string): string
  /**
   * Every text of a language as a tree: what people and packages translated over the labels as they are stored, and the
   * program's own texts. Only objects the caller may read are in it.
   */
  translations(ctx: RequestContext, locale: string): Readonly<Record<string, unknown>>
  /** The sentence of an error code; undefined where the language has none. */
  errorText(code: string, locale: string): string | undefined
  /** Labels of the fields the caller may read. @throws resource_not_found */
  labels(ctx: RequestContext, object: string, locale: string): Record<string, FieldLabels>
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    i18n: I18nService
  }
}
