// The field type `url`.
import { z } from 'zod'
import type { FieldType } from './field-type.ts'
import { refused } from './field-type.ts'
import { textSettings, textualType } from './textual.ts'

const defaultSchemes = ['http', 'https', 'mailto', 'tel']
const form = /^([a-z][a-z0-9+.-]*):(.*)$/isu

/** Whether the text is an absolute address of one of the schemes; web addresses need a host. */
export function isUrl(text: string, schemes: readonly string[] = defaultSchemes): boolean {
  const match = form.exec(text)
  if (!match || /[\s<>"\\^`{|}\p{Cc}]/u.test(text)) return false
  const scheme = match[1]!.toLowerCase()
  const rest = match[2]!
  if (!schemes.includes(scheme)) return false
  if (scheme !== 'http' && scheme !== 'https') return rest !== ''
  const authority = /^\/\/([^/?#]*)/.exec(rest)?.[1]
  if (!authority) return false
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  return /^(?:\[[0-9a-f:.]+\]|[^:[\]@%]+)(?::\d{0,5})?$/iu.test(host)
}

/** An absolute address. @source D-94 */
export const urlType: FieldType = textualType(
  {
    operators: 'T',
    flags: { search: 'default', sortable: true, groupable: false, aggregatable: 'none' },
    maxLength: null,
    blankIsNull: true,
    settings: {
      ...textSettings,
      schemes: z
        .array(z.string().regex(/^[a-z][a-z0-9+.-]*$/))
        .min(1)
        .optional(),
    },
    check(text, field) {
      const schemes = field.settings.schemes ?? defaultSchemes
      if (isUrl(text, schemes)) return undefined
      return refused(field, 'invalid_url', 'The value is not an absolute address of a permitted scheme.', text, schemes)
    },
    jsonSchema: { format: 'uri' },
  },
  { family: 'text', searchedUnasked: true, names: true },
)
