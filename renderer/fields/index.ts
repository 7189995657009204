// The public door of the field registry: types, lookup and the contexts screens hand to it.

import './fields.css'

export { fieldLabel } from './field-definition.ts'
export type { FieldDefinition } from './field-definition.ts'
export { translateField } from './field-messages.ts'
export { hueClass } from './hues.ts'
export { typeGroups } from './field-type.ts'
export type { FieldContext, FieldType, RecordChoice, TypeGroup } from './field-type.ts'
export { choiceLabel } from './options.ts'
export { periods } from './operators.ts'
export type { FilterOperator } from './operators.ts'
export { fieldTypeNames, fieldTypeOf, findFieldType, isEditable, leadsToRecord, typesByRank } from './registry.ts'
export type { Setting, SettingKind } from './settings.ts'
