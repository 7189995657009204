// Owns the contract of a field type in the renderer: what every type offers to grid, form, filter and import.
// Knows no concrete type and no screen.

import type { TablerIcon } from '@tabler/icons-react'
import type { ComponentType } from 'react'
import type { FieldDefinition } from './field-definition.ts'
import type { FilterOperator } from './operators.ts'
import type { Translate } from './field-messages.ts'

/** A record offered while choosing a lookup. */
export interface RecordChoice {
  id: string
  label: string
}

/** Where and for whom values are shown; one object per screen, so that it can be compared by identity. */
export interface FieldContext {
  /** BCP 47 tag that formats numbers and dates. */
  locale: string
  /** IANA name of the workspace's zone, in which date-times are shown and typed. */
  timeZone: string
  translate: Translate
  /** Reads the text of a secret field; without it secrets cannot be revealed. */
  revealSecret?(object: string, id: string, field: string): Promise<string | null>
  /** Finds records of an object by text; without it lookups are edited by id. */
  searchRecords?(object: string, text: string, signal: AbortSignal, filter?: unknown): Promise<readonly RecordChoice[]>
}

/** Result of reading typed text: a value (null clears the field) or why it cannot be one. */
export type ParseResult = { ok: true; value: unknown } | { ok: false; message: string }

/** A piece of a cell that is drawn as a badge; the class name carries the colour. */
export interface Chip {
  text: string
  className: string
}

/** What an editor is given. The draft is always text that `parse` reads, so nothing typed can be lost. */
export interface FieldEditorProps {
  field: FieldDefinition
  context: FieldContext
  /** Accessible name. */
  label: string
  draft: string
  /** Id of the record whose value is edited; absent for a new one. */
  recordId?: string
  /** The stored value when editing began; an editor may show what its draft stands for. */
  value: unknown
  onDraft(text: string): void
  /** Asks to keep the given draft and to close; only for editors in which choosing is finishing. */
  onDone(text: string): void
  invalid: boolean
  /** Id of the element that holds the error message. */
  describedBy?: string
  autoFocus?: boolean
}

/** Everything the screens need to know about one type of field. */
export interface FieldType {
  /** Type names of the catalogue it serves, the main one first. */
  types: readonly [string, ...string[]]
  icon: TablerIcon
  /** The value as people read it; empty text for null. One line. */
  format(value: unknown, field: FieldDefinition, context: FieldContext): string
  /** Classes of a display cell; must be cheap, it runs for every cell drawn. */
  cellClass(value: unknown, field: FieldDefinition): string
  /** Badges to draw instead of the text; null for none. */
  chips?(value: unknown, field: FieldDefinition, context: FieldContext): readonly Chip[] | null
  /** The value as an editor starts with it: `parse` reads it back to an equal value. */
  toText(value: unknown, field: FieldDefinition, context: FieldContext): string
  /** The value as other programs are given it; default: as `toText`. */
  copyText?(value: unknown, field: FieldDefinition, context: FieldContext): string
  /** Reads typed or pasted text; blank text is null, and an error when the field is required. */
  parse(text: string, field: FieldDefinition, context: FieldContext): ParseResult
  /** The other value, for types that Enter flips instead of opening an editor. */
  toggle?(value: unknown): unknown
  /** Tells that people never write this field. */
  computed?: boolean
  /** Tells that the editor needs more room than the cell. */
  tall?: boolean
  /** Tells that typing on a cell adds to its value instead of replacing it. */
  typingAdds?: boolean
  operators(field: FieldDefinition): readonly FilterOperator[]
  Editor: ComponentType<FieldEditorProps>
}
