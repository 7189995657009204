// Owns postal addresses: named parts, edited as a group of texts. @source D-94 address

import { IconMapPin } from '@tabler/icons-react'
import { AddressEditor } from '../editors/address-editor.tsx'
import { addressParts as parts } from '../address-parts.ts'
import type { FieldType } from '../field-type.ts'
import { setting } from '../settings.ts'
import { groupOf, readJson } from '../group-text.ts'
import { operatorClasses } from '../operators.ts'
import { blankIsNull, parsed, refused } from '../parse-result.ts'
import { checkLength, oneLine, plainText, textOf } from '../text-rules.ts'
import { t } from '../../lib/strings.ts'

const MOST_CHARACTERS = 1_000

function partsOf(value: unknown): Record<string, string> {
  const group = groupOf(value) ?? {}
  return Object.fromEntries(
    parts
      .filter((part) => Object.hasOwn(group, part) && group[part] != null)
      .map((part) => [part, textOf(group[part])]),
  )
}

/** Street, then postal code with city and state, then country; as written when there is nothing else. */
function lineOf(value: unknown): string {
  const { street, postalCode, city, state, country, countryCode, formatted } = partsOf(value)
  const place = [postalCode, city].filter(Boolean).join(' ')
  const line = [street, place, state, country ?? countryCode].filter(Boolean).join(', ')
  return line === '' ? (formatted ?? '') : line
}

/** An address; text that is not JSON is taken as the address in one piece. */
export const addressField: FieldType = {
  group: 'structure',
  label: t('fieldType.address'),
  hint: t('fieldType.address.hint'),
  settings: [setting('addressFormat', 'text')],
  withoutUnique: true,
  icon: IconMapPin,
  format: (value) => (value == null ? '' : oneLine(lineOf(value)) || plainText(value)),
  cellClass: () => '',
  toText: (value) => (value == null ? '' : JSON.stringify(partsOf(value))),
  copyText: (value) => (value == null ? '' : JSON.stringify(partsOf(value))),
  parse: blankIsNull((text, field, context) => {
    const typed = text.trim()
    const group = typed.startsWith('{') ? groupOf(readJson(typed)) : { formatted: typed }
    if (group === null) return refused(context, 'field.group')
    const stranger = Object.keys(group).find((key) => !(parts as readonly string[]).includes(key))
    if (stranger !== undefined) return refused(context, 'field.unknownPart', { part: stranger })
    const address: Record<string, string> = {}
    for (const part of parts) {
      const given = textOf(Object.hasOwn(group, part) ? group[part] : null)
      if (given.trim() === '') continue
      const tooLong = checkLength(given, { name: part, type: 'text' }, context, MOST_CHARACTERS)
      if (tooLong) return tooLong
      const code = given.trim().toUpperCase()
      if (part === 'countryCode' && !/^[A-Z]{2}$/.test(code))
        return refused(context, 'field.countryCode', { text: given })
      address[part] = part === 'countryCode' ? code : given
    }
    if (Object.keys(address).length > 0) return parsed(address)
    return field.required ? refused(context, 'field.required') : parsed(null)
  }),
  tall: true,
  operators: () => operatorClasses.none,
  Editor: AddressEditor,
}
