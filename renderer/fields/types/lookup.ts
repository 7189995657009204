// Owns links to other records: an id, a list of ids, or the records themselves when they were expanded.
// @source D-94 lookup, master_detail, tree, user; D-87

import { IconArrowUpRight } from '@tabler/icons-react'
import { createListEditor } from '../editors/list-editor.tsx'
import type { FieldDefinition } from '../field-definition.ts'
import type { FieldType } from '../field-type.ts'
import { setting, referenceSetting, deleteBehavior } from '../settings.ts'
import { linkedRecords } from '../linked-records.ts'
import { listToText, parseList } from '../list-text.ts'
import { operatorClasses } from '../operators.ts'
import { blankIsNull, parsed } from '../parse-result.ts'
import { t } from '../../lib/strings.ts'

const labels = (value: unknown, field: FieldDefinition): string[] =>
  linkedRecords(value, field).map((record) => record.label)

/** A link; typed text is an id, choosing goes by the other object's records. */
export const lookupField: FieldType = {
  group: 'relation',
  label: t('fieldType.lookup'),
  hint: t('fieldType.lookup.hint'),
  settings: [referenceSetting, setting('multiple', 'flag'), deleteBehavior('set_null', 'restrict', 'cascade')],
  groupRank: 5,
  summaryRank: 0,
  link: 'object',
  withoutDefault: true,
  namedByHost: true,
  icon: IconArrowUpRight,
  format: (value, field) => labels(value, field).join(', '),
  cellClass: () => 'field-chips',
  chips: (value, field) => labels(value, field).map((text) => ({ text, className: 'field-hue-link' })),
  toText: (value, field) => listToText(linkedRecords(value, field).map((record) => record.id)),
  copyText: (value, field) => listToText(labels(value, field)),
  parse: blankIsNull((text, field) => {
    const ids = [...new Set(parseList(text))]
    return parsed(field.multiple ? ids : (ids[0] ?? null))
  }),
  tall: true,
  operators: (field) => (field.multiple ? operatorClasses.multiple : operatorClasses.equality),
  Editor: createListEditor({ records: true }),
}

/** The record that owns this one. */
export const masterDetailField: FieldType = {
  ...lookupField,
  label: t('fieldType.masterDetail'),
  hint: t('fieldType.masterDetail.hint'),
  settings: [referenceSetting, deleteBehavior('cascade', 'restrict')],
  groupRank: 6,
  alwaysRequired: true,
}

/** A record of the same object. */
export const treeField: FieldType = {
  ...lookupField,
  label: t('fieldType.tree'),
  hint: t('fieldType.tree.hint'),
  settings: [deleteBehavior('set_null', 'restrict', 'cascade')],
  link: 'self',
  groupRank: undefined,
  summaryRank: undefined,
}

/** A person. */
export const userField: FieldType = {
  ...lookupField,
  label: t('fieldType.user'),
  hint: t('fieldType.user.hint'),
  settings: [setting('multiple', 'flag')],
  groupRank: 7,
  link: 'user',
}
