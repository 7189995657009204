// Owns links to records of any object, typed as `object/id`. @source D-94 record

import { IconLink } from '@tabler/icons-react'
import { RecordEditor } from '../editors/record-editor.tsx'
import type { FieldType } from '../field-type.ts'
import { setting } from '../settings.ts'
import { groupOf, readJson } from '../group-text.ts'
import { operatorClasses } from '../operators.ts'
import { blankIsNull, parsed, quoteForMessage, refused } from '../parse-result.ts'
import { plainText } from '../text-rules.ts'
import { t } from '../../lib/strings.ts'

const form = /^([a-z][a-z0-9_]{0,62})\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i

function linkText(value: unknown): string {
  const link = groupOf(value)
  return link === null ? plainText(value) : `${String(link.object)}/${String(link.id)}`
}

/** A link to one record of one of several objects. */
export const recordField: FieldType = {
  group: 'relation',
  label: t('fieldType.record'),
  hint: t('fieldType.record.hint'),
  settings: [setting('references', 'objects')],
  withoutDefault: true,
  withoutUnique: true,
  namedByHost: true,
  icon: IconLink,
  format: linkText,
  cellClass: () => 'field-chips',
  chips: (value) => (value == null ? null : [{ text: linkText(value), className: 'field-hue-link' }]),
  toText: linkText,
  parse: blankIsNull((text, field, context) => {
    const typed = text.trim()
    const link = form.exec(typed.startsWith('{') ? linkText(readJson(typed)) : typed)
    if (!link) return refused(context, 'field.record', { text: quoteForMessage(text) })
    const [, object = '', id = ''] = link
    const allowed = Array.isArray(field.references) ? (field.references as readonly unknown[]) : undefined
    if (allowed && !allowed.includes(object)) return refused(context, 'field.recordObject', { object })
    return parsed({ object, id: id.toLowerCase() })
  }),
  operators: () => operatorClasses.none,
  Editor: RecordEditor,
}
