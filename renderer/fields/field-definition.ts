// Owns the shape of a field as the object schema delivers it, as far as screens read it.
// Knows no values, no components; unknown keys pass through. Field types of the catalogue: D-94.

/** A choice of a select field. `color` is a hue name or a hex colour; inactive choices are shown but not offered. */
export interface FieldOption {
  value: string
  label?: string
  color?: string
  active?: boolean
}

/** A field of an object. @source D-93 (common keys) and D-94 (keys of single types) */
export interface FieldDefinition {
  name: string
  type: string
  label?: string
  description?: string
  help?: string
  placeholder?: string
  required?: boolean
  unique?: boolean
  readonly?: boolean
  hidden?: boolean
  sortable?: boolean
  multiple?: boolean
  /** A bare text is its own label. */
  options?: readonly (FieldOption | string)[]
  min?: number | string
  max?: number | string
  scale?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  pattern?: string
  schemes?: readonly string[]
  /** Object a lookup points to. */
  reference?: string
  /** Filter of the records of that object that may be linked (D-94). */
  referenceFilters?: unknown
  /** Object the field belongs to; told by whoever lists the fields of that object. */
  object?: string
  /** Field of the referenced object that stands for a record; told by whoever knows that object. */
  displayField?: string
  currencyConfig?: { precision?: number; currencyMode?: 'fixed' | 'dynamic'; defaultCurrency?: string }
  maxRating?: number
  /** Values inside of a group, by name. */
  fields?: Readonly<Record<string, Omit<FieldDefinition, 'name'>>>
  /** Type of a formula's result. */
  returnType?: string
  [key: string]: unknown
}

/** Text a field is called by on screen. */
export function fieldLabel(field: FieldDefinition): string {
  return field.label ?? field.name
}
