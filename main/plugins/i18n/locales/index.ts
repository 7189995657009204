// The languages the program is delivered in, by tag.
import { chinese } from './zh-cn.ts'
import { english } from './en.ts'
import { french } from './fr.ts'
import { german } from './de.ts'
import { japanese } from './ja.ts'
import { spanish } from './es.ts'
import type { ProgramTexts } from './program-texts.ts'

/** Every delivered language. @source D-180 */
export const deliveredTexts: Readonly<Record<string, ProgramTexts>> = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  ja: japanese,
  'zh-CN': chinese,
}
