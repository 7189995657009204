// Owns finding the option a text means: by value, or by label without regard to case.
// Knows no display and no editors.

import type { FieldDefinition, FieldOption } from './field-definition.ts'

interface OptionIndex {
  all: readonly FieldOption[]
  byValue: Map<string, FieldOption>
  byText: Map<string, FieldOption>
  position: Map<string, number>
}

const indexes = new WeakMap<object, OptionIndex>()

function indexOf(options: readonly (FieldOption | string)[]): OptionIndex {
  const known = indexes.get(options)
  if (known) return known
  // A bare text is an option whose value is its label.
  const all = options.map((option) => (typeof option === 'string' ? { value: option } : option))
  const index: OptionIndex = { all, byValue: new Map(), byText: new Map(), position: new Map() }
  for (const [position, option] of all.entries()) {
    index.byValue.set(option.value, option)
    index.position.set(option.value, position)
    const text = optionLabel(option).trim().toLowerCase()
    // With equal labels the offered option wins over a retired one.
    if (!index.byText.has(text) || option.active !== false) index.byText.set(text, option)
  }
  indexes.set(options, index)
  return index
}

/** Text an option is called by. */
export function optionLabel(option: FieldOption): string {
  return option.label ?? option.value
}

/** Option with a stored value, or undefined when the field has none such (any more). */
export function optionByValue(field: FieldDefinition, value: string): FieldOption | undefined {
  return field.options ? indexOf(field.options).byValue.get(value) : undefined
}

/** What a choice is called; undefined for a value that is none of the field's choices. */
export function choiceLabel(field: FieldDefinition, value: string): string | undefined {
  const option = optionByValue(field, value)
  return option && optionLabel(option)
}

/** Place of a stored value among the options; 0 for unknown ones. */
export function optionPosition(field: FieldDefinition, value: string): number {
  return (field.options && indexOf(field.options).position.get(value)) ?? 0
}

/** Option a typed or pasted text means, or undefined. */
export function optionByText(field: FieldDefinition, text: string): FieldOption | undefined {
  if (!field.options) return undefined
  const index = indexOf(field.options)
  return index.byValue.get(text) ?? index.byValue.get(text.trim()) ?? index.byText.get(text.trim().toLowerCase())
}

/** Options people may choose: the active ones. */
export function offeredOptions(field: FieldDefinition): readonly FieldOption[] {
  return field.options ? indexOf(field.options).all.filter((option) => option.active !== false) : []
}

/** The first labels, for an error message. */
export function optionsForMessage(field: FieldDefinition): string {
  const labels = offeredOptions(field).map(optionLabel)
  return labels.length > 6 ? `${labels.slice(0, 6).join(', ')}, …` : labels.join(', ')
}
