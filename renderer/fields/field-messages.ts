// Owns which texts fields use, under stable keys, and where they are looked up.
import type { fieldMessageStrings } from '../lib/strings/en/field-messages.ts'
import { t } from '../lib/strings.ts'

/** Key of a text of this folder. */
export type FieldMessageKey = keyof typeof fieldMessageStrings

/** Turns a key and parameters into words in the user's language. */
export type Translate = (key: FieldMessageKey, parameters?: Record<string, string | number>) => string

/** The {@link Translate} of the page's language. */
export const translateField: Translate = (key, parameters) => t(key, parameters)
