// The compiled form of one field, shared by host and renderer. Data only: behaviour is in the registry of field types.

/** Storage classes of SQLite that columns use. */
export type SqlType = 'TEXT' | 'REAL' | 'INTEGER' | 'BLOB'

/** A value as it is bound to a statement. Booleans are 0 and 1; bytes belong to BLOB columns only. */
export type SqlValue = string | number | Uint8Array | null

/** One choice of a select, multiselect or tags field. */
export interface FieldOption {
  readonly value: string
  readonly label: string
  readonly color?: string
  readonly default?: boolean
  /** False: stored values stay valid, new ones are refused. */
  readonly active?: boolean
}

/** How a currency field behaves (D-94). */
export interface CurrencyConfig {
  readonly precision?: number
  readonly currencyMode?: 'fixed' | 'dynamic'
  readonly defaultCurrency?: string
}

/** What a summary field counts or adds up (D-94). */
export interface SummaryOperations {
  /** The child object whose records are summed up. */
  readonly object: string
  /** The child's field; absent for `count`. */
  readonly field?: string
  readonly function: 'count' | 'sum' | 'min' | 'max' | 'avg'
  /** The child's relation to this object; needed when it has several. */
  readonly relationField?: string
  /** A filter of D-79 or D-80 that child records must match. */
  readonly filter?: unknown
}

/** The value of a file field; a reference given as bare id has the id alone until the storage fills in the rest. */
export interface FileReference {
  readonly fileId: string
  readonly name?: string
  readonly mimeType?: string
  /** Bytes. */
  readonly size?: number
}

/** What may be attached to a file field (D-94). Sizes in bytes, extensions without the dot. */
export interface FileAttachmentConfig {
  readonly minSize?: number
  readonly maxSize?: number
  readonly allowedMimeTypes?: readonly string[]
  readonly blockedMimeTypes?: readonly string[]
  readonly allowedTypes?: readonly string[]
  readonly blockedTypes?: readonly string[]
}

/** The keys of a field definition that only some types read. Each type's file says which, and their defaults. */
export interface FieldSettings {
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  /** A number for numeric types, a date or timestamp for date types. */
  readonly min?: number | string
  readonly max?: number | string
  readonly precision?: number
  readonly scale?: number
  readonly schemes?: readonly string[]
  readonly currencyConfig?: CurrencyConfig
  readonly maxItems?: number
  readonly referenceFilters?: unknown
  readonly deleteBehavior?: 'set_null' | 'cascade' | 'restrict'
  readonly relationshipName?: string
  readonly schema?: unknown
  readonly autonumberFormat?: string
  readonly startNumber?: number
  /** What machines add at the same time is summed up; left out, the later value wins. */
  readonly merge?: 'sum'
  /** Objects a `record` field may point at; absent for any. */
  readonly references?: readonly string[]
  /** CEL of a formula: text, or `{dialect: "cel", source}` (D-97). */
  readonly expression?: unknown
  /** What a formula answers; compiling infers it where the definition does not say. */
  readonly returnType?: 'text' | 'number' | 'boolean' | 'date' | 'datetime'
  /** True for a formula that follows the clock, itself or through another; set by compiling, never written. */
  readonly computedOnRead?: boolean
  readonly summaryOperations?: SummaryOperations
  /** Inner fields of composites and repeaters, as their author wrote them. */
  readonly fields?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly minItems?: number
  readonly maxRating?: number
  readonly allowHalf?: boolean
  readonly step?: number
  readonly language?: string
  readonly colorFormat?: 'hex' | 'rgb' | 'rgba' | 'hsl'
  readonly barcodeFormat?: string
  readonly addressFormat?: string
  readonly vectorConfig?: { readonly dimensions: number; readonly distanceMetric?: string }
  readonly fileAttachmentConfig?: FileAttachmentConfig
}

/** A second column of a field, named after it. */
export interface ExtraColumn {
  readonly name: string
  readonly sqlType: SqlType
}

/** One field of an object, ready for use: every default applied, nothing left to look up. */
export interface FieldSchema {
  readonly name: string
  /** Stable over renames; the name itself for system fields. */
  readonly uid: string
  /** A key of the registry of field types. */
  readonly type: string
  readonly column: string
  readonly sqlType: SqlType
  readonly extraColumns: readonly ExtraColumn[]
  readonly label: string
  /** True for the fields of D-51. */
  readonly system: boolean
  /** True when only the server writes it: system fields and computed types. */
  readonly computed: boolean
  readonly required: boolean
  readonly unique: boolean
  /** Whether the field has an index of its own. */
  readonly index: boolean
  readonly externalId: boolean
  readonly searchable: boolean
  readonly sortable: boolean
  readonly hidden: boolean
  readonly readonly: boolean
  /** Whether the value is an array: multiselect, checkboxes, tags, repeater; relations and files declared `multiple`. */
  readonly multiple: boolean
  /** False: equality ignores case. Always false for email. */
  readonly caseSensitive: boolean
  readonly defaultValue: unknown
  /** In order of definition; empty for types without options. */
  readonly options: readonly FieldOption[]
  /** Name of the object a relation points at; null for other types. `user` for user fields. */
  readonly reference: string | null
  /** The compiled inner fields of a composite or repeater, in order; empty for other types. */
  readonly inner: readonly FieldSchema[]
  readonly settings: FieldSettings
}
