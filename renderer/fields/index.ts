// The public door of the field registry: types, lookup and the contexts screens hand to it.

import './fields.css'

export { fieldLabel } from './field-definition.ts'
export type { FieldDefinition, FieldOption } from './field-definition.ts'
export { fieldMessages, translateEnglish } from './field-messages.ts'
export type { FieldMessageKey, Translate } from './field-messages.ts'
export type { Chip, FieldContext, FieldEditorProps, FieldType, ParseResult, RecordChoice } from './field-type.ts'
export { numberOf } from './number-rules.ts'
export { operatorClasses, periods } from './operators.ts'
export type { FilterOperator, OperandKind } from './operators.ts'
export { fieldTypeList, fieldTypeOf, isEditable } from './registry.ts'
