// Owns groups of values inside of a record: one group, or rows of them. @source D-94 composite, repeater

import { IconLayoutList, IconTable } from '@tabler/icons-react'
import { createGroupEditor, createRowsEditor } from '../editors/group-editor.tsx'
import type { FieldType } from '../field-type.ts'
import { setting } from '../settings.ts'
import { formatGroup, groupTexts, parseGroup, readJson } from '../group-text.ts'
import type { TypeOf } from '../group-text.ts'
import { operatorClasses } from '../operators.ts'
import { blankIsNull, parsed, refused } from '../parse-result.ts'
import { oneLine, plainText } from '../text-rules.ts'
import { t } from '../../lib/strings.ts'

const json = (value: unknown): string => (value == null ? '' : JSON.stringify(value))
const MOST_ROWS = 500

/** One group; the editor shows an editor per inner field. */
export function compositeField(typeOf: TypeOf): FieldType {
  return {
    group: 'structure',
    label: t('fieldType.composite'),
    hint: t('fieldType.composite.hint'),
    settings: [setting('fields', 'inner', { needed: true })],
    withoutDefault: true,
    withoutUnique: true,
    icon: IconLayoutList,
    format: (value, field, context) =>
      value == null ? '' : oneLine(formatGroup(typeOf, field, value, context)) || plainText(value),
    cellClass: () => '',
    toText: (value, field, context) =>
      value == null ? '' : JSON.stringify(groupTexts(typeOf, field, value, context, true)),
    copyText: json,
    parse: blankIsNull((text, field, context) => parseGroup(typeOf, field, readJson(text), context)),
    tall: true,
    operators: () => operatorClasses.none,
    Editor: createGroupEditor(typeOf),
  }
}

/** Rows of groups; the editor adds and removes rows. */
export function repeaterField(typeOf: TypeOf): FieldType {
  return {
    group: 'structure',
    label: t('fieldType.repeater'),
    hint: t('fieldType.repeater.hint'),
    settings: [
      setting('fields', 'inner', { needed: true }),
      setting('minItems', 'integer'),
      setting('maxItems', 'integer'),
    ],
    withoutDefault: true,
    withoutUnique: true,
    icon: IconTable,
    format: (value, _field, { translate }) => {
      if (!Array.isArray(value)) return value == null ? '' : plainText(value)
      if (value.length === 0) return ''
      return value.length === 1 ? translate('field.rows.one') : translate('field.rows', { count: value.length })
    },
    cellClass: () => '',
    toText: (value, field, context) => {
      if (!Array.isArray(value)) return json(value)
      return JSON.stringify(value.map((row) => groupTexts(typeOf, field, row, context, true)))
    },
    copyText: json,
    parse: blankIsNull((text, field, context) => {
      const rows = readJson(text)
      if (!Array.isArray(rows)) return refused(context, 'field.group')
      if (rows.length === 0 && field.required) return refused(context, 'field.required')
      const least = typeof field.minItems === 'number' ? field.minItems : 0
      const most = field.maxItems ?? MOST_ROWS
      if (rows.length < least) return refused(context, 'field.tooFew', { count: rows.length, min: least })
      if (rows.length > most) return refused(context, 'field.tooMany', { count: rows.length, max: most })
      const values: unknown[] = []
      for (const [index, row] of rows.entries()) {
        const result = parseGroup(typeOf, field, row, context)
        if (!result.ok) return refused(context, 'field.row', { row: index + 1, message: result.message })
        values.push(result.value)
      }
      return parsed(values)
    }),
    tall: true,
    operators: () => operatorClasses.none,
    Editor: createRowsEditor(typeOf),
  }
}
